package registryv1

import (
	"fmt"
	"slices"
	"strings"
)

// validateCustomResources checks that the bundle's CustomResourceDefinitions serve the versions of its custom resources, and name their
// resource, for which the manager needs permissions.
func validateCustomResources(b *Bundle) []string {
	var findings []string
	for _, o := range b.objects {
		definition, ok := b.definitionOf(groupKind(o))
		switch {
		case !ok:
		case definition.Plural == "":
			findings = append(findings, fmt.Sprintf("%s: its CustomResourceDefinition has no spec.names.plural; add it", o))
		case !slices.Contains(definition.Served, o.GroupVersionKind().Version):
			findings = append(findings, fmt.Sprintf("%s: its CustomResourceDefinition serves no version %q; use one of: %s",
				o, o.GroupVersionKind().Version, strings.Join(definition.Served, ", ")))
		}
	}
	return findings
}
