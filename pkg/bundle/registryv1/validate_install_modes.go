package registryv1

import "fmt"

// validateInstallModes demands one mode in which the operator can be installed. Which one is used is for Render.
func validateInstallModes(b *Bundle) []string {
	if b.supportedModes() != "none" {
		return nil
	}
	return []string{fmt.Sprintf("%s supports no install mode, so that the operator can watch nothing; set one of spec.installModes to supported", b.csvFile)}
}
