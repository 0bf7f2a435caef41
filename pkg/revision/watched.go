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

// WatchedNamespaces returns the first maxWatched namespaces that spec.config.watchNamespace names. It omits the install namespace, because
// the manager creates it, and invalid names, because rendering fails for them.
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

// WithWatchedNamespaces returns warnings that contain one warning for each missing watched namespace. It adds those that are absent. It
// removes earlier ones about namespaces that are no longer missing or watched, but keeps those about unchecked namespaces.
func WithWatchedNamespaces(warnings, unchecked, missing []string) []string {
	isOutdated := func(warning string) bool {
		name, _, found := strings.Cut(strings.TrimPrefix(warning, "Namespace "), ",")
		return found && warning == missingNamespace(name) && !slices.Contains(unchecked, name) && !slices.Contains(missing, name)
	}
	if slices.ContainsFunc(warnings, isOutdated) {
		warnings = slices.DeleteFunc(slices.Clone(warnings), isOutdated)
	}
	for _, name := range missing {
		if text := missingNamespace(name); !slices.Contains(warnings, text) && len(warnings) < maxWarnings {
			warnings = append(slices.Clip(warnings), text)
		}
	}
	return warnings
}

// missingNamespace returns the warning about a watched namespace that does not exist.
func missingNamespace(name string) string {
	return Message(fmt.Sprintf("Namespace %s, which spec.config.watchNamespace names, does not exist: create it (\"kubectl create namespace %s\"), or correct the field",
		name, name))
}
