package v1alpha2

const (
	// ProvisionerClassRegistry is the shipped class of registry+v1 bundles.
	ProvisionerClassRegistry = "core-rukpak-io-registry"
	// ProvisionerRegistry is the provisioner that reads registry+v1 bundles.
	ProvisionerRegistry = GroupName + "/registry"
	// FormatRegistryV1 is what status.format of a Bundle says of registry+v1 content.
	FormatRegistryV1 = "registry+v1"

	// ProvisionerClassPlain is the shipped class of plain+v0 bundles.
	ProvisionerClassPlain = "core-rukpak-io-plain"
	// ProvisionerPlain is the provisioner that reads plain+v0 bundles.
	ProvisionerPlain = GroupName + "/plain"
	// FormatPlainV0 is what status.format of a Bundle says of plain+v0 content.
	FormatPlainV0 = "plain+v0"
)

// formats are the formats of bundles, each with who reads it and the shipped class of that.
var formats = [...]struct{ format, provisioner, class string }{
	{FormatRegistryV1, ProvisionerRegistry, ProvisionerClassRegistry},
	{FormatPlainV0, ProvisionerPlain, ProvisionerClassPlain},
}

// FormatOf is the format that a provisioner reads; empty for one that is not known here.
func FormatOf(provisioner string) string {
	for _, each := range formats {
		if each.provisioner == provisioner {
			return each.format
		}
	}
	return ""
}

// ClassOf is the shipped class whose bundles are of a format; empty for a format that nobody reads here.
func ClassOf(format string) string {
	for _, each := range formats {
		if each.format == format {
			return each.class
		}
	}
	return ""
}
