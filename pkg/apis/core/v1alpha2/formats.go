package v1alpha2

const (
	// ProvisionerClassRegistry is the shipped class of registry+v1 bundles.
	ProvisionerClassRegistry = "core-rukpak-io-registry"
	// ProvisionerRegistry is the provisioner that reads registry+v1 bundles.
	ProvisionerRegistry = GroupName + "/registry"
	// FormatRegistryV1 is the value of status.format of a Bundle with registry+v1 content.
	FormatRegistryV1 = "registry+v1"

	// ProvisionerClassPlain is the shipped class of plain+v0 bundles.
	ProvisionerClassPlain = "core-rukpak-io-plain"
	// ProvisionerPlain is the provisioner that reads plain+v0 bundles.
	ProvisionerPlain = GroupName + "/plain"
	// FormatPlainV0 is the value of status.format of a Bundle with plain+v0 content.
	FormatPlainV0 = "plain+v0"
)

// formats lists the formats of bundles. Each has the provisioner that reads the format, and the shipped ProvisionerClass of that
// provisioner.
var formats = [...]struct{ format, provisioner, class string }{
	{FormatRegistryV1, ProvisionerRegistry, ProvisionerClassRegistry},
	{FormatPlainV0, ProvisionerPlain, ProvisionerClassPlain},
}

// FormatOf returns the format that a provisioner reads; empty for an unknown provisioner.
func FormatOf(provisioner string) string {
	for _, each := range formats {
		if each.provisioner == provisioner {
			return each.format
		}
	}
	return ""
}

// ClassOf returns the shipped ProvisionerClass for bundles of a format; empty for an unknown format.
func ClassOf(format string) string {
	for _, each := range formats {
		if each.format == format {
			return each.class
		}
	}
	return ""
}
