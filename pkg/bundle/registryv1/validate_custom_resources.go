package registryv1

import (
	"fmt"
	"slices"
	"strings"

	utilvalidation "k8s.io/apimachinery/pkg/util/validation"

	"github.com/openshift/platform-operators/pkg/truncate"
)

// validateCustomResources checks the CustomResourceDefinitions of the bundle's custom resources. Each must serve the versions of these
// objects, and have a valid plural name, because the manager needs permissions for that resource.
func validateCustomResources(b *Bundle) []string {
	var findings []string
	for _, o := range b.objects {
		definition, ok := b.definitionOf(groupKind(o))
		switch {
		case !ok:
		case len(utilvalidation.IsDNS1035Label(definition.Plural)) > 0: // the plural is in the rule that permits the manager to write the objects
			findings = append(findings, fmt.Sprintf("%s: spec.names.plural %s of its CustomResourceDefinition is not a name of a resource; correct it",
				o, truncate.Quote(definition.Plural)))
		case !slices.Contains(definition.Served, o.GroupVersionKind().Version):
			findings = append(findings, fmt.Sprintf("%s: its CustomResourceDefinition serves no version %q; use one of: %s",
				o, o.GroupVersionKind().Version, strings.Join(definition.Served, ", ")))
		}
	}
	return findings
}
