package registryv1

import (
	"fmt"
	"sort"
	"strings"

	"github.com/operator-framework/api/pkg/operators/v1alpha1"
)

// validateInstallModes demands AllNamespaces: a platform operator serves the whole cluster.
func validateInstallModes(b *Bundle) []string {
	var supported []string
	for _, mode := range b.csv.Spec.InstallModes {
		if !mode.Supported {
			continue
		}
		if mode.Type == v1alpha1.InstallModeTypeAllNamespaces {
			return nil
		}
		supported = append(supported, string(mode.Type))
	}
	sort.Strings(supported)
	list := strings.Join(supported, ", ")
	if list == "" {
		list = "none"
	}
	return []string{fmt.Sprintf("does not support AllNamespaces; supported modes: %s", list)}
}
