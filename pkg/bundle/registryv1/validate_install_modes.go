package registryv1

import "fmt"

// validateInstallModes checks that the operator supports at least one install mode. Render chooses the mode.
func validateInstallModes(b *Bundle) []string {
	if b.supportedModes() != "none" {
		return nil
	}
	return []string{fmt.Sprintf("%s supports no install mode, so the operator can watch nothing; "+
		"set supported: true for one of spec.installModes", b.csvFile)}
}
