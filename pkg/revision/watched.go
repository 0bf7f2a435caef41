package revision

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// maxWatched is the maximum number of watched namespaces that are checked. It leaves space for other warnings in status.
const maxWatched = 5

// WatchedNamespaces returns the first namespaces that spec.config.watchNamespace names, without the install namespace, which the manager
// creates. It omits invalid names, for which the rendering fails.
func WatchedNamespaces(spec corev1alpha2.BundleDeploymentSpec) []string {
	var config struct{ WatchNamespace string }
	if spec.Config == nil || json.Unmarshal(spec.Config.Raw, &config) != nil || config.WatchNamespace == "" {
		return nil
	}
	names := slices.DeleteFunc(strings.Split(config.WatchNamespace, ","), func(name string) bool {
		return name == spec.InstallNamespace || len(validation.IsDNS1123Label(name)) > 0
	})
	return names[:min(len(names), maxWatched)]
}

// WithWatchedNamespaces returns warnings with one for each watched namespace that does not exist, and without those for the others.
func WithWatchedNamespaces(warnings, watched, missing []string) []string {
	for _, name := range watched {
		text := Message(fmt.Sprintf("Namespace %s, which spec.config.watchNamespace names, does not exist: create it (\"kubectl create namespace %s\"), or correct the field",
			name, name))
		isMissing, isListed := slices.Contains(missing, name), slices.Contains(warnings, text)
		switch {
		case isMissing && !isListed && len(warnings) < maxWarnings:
			warnings = append(slices.Clip(warnings), text)
		case !isMissing && isListed:
			warnings = slices.DeleteFunc(slices.Clone(warnings), func(each string) bool { return each == text })
		}
	}
	return warnings
}
