package registryv1

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/openshift/platform-operators/pkg/bundle"
)

// validateDuplicates refuses an object that two manifests define, even in different versions of its kind.
func validateDuplicates(b *Bundle) []string {
	type identity struct {
		schema.GroupKind
		name string
	}
	first := map[identity]bundle.Object{}
	reported := sets.New[identity]()
	var findings []string
	for _, o := range b.objects {
		id := identity{groupKind(o), o.GetName()}
		other, ok := first[id]
		if !ok {
			first[id] = o
			continue
		}
		if !reported.Has(id) {
			reported.Insert(id)
			findings = append(findings, fmt.Sprintf("%s is defined twice, in %s and in %s; remove one",
				strings.TrimPrefix(o.String(), o.File+": "), other.File, o.File))
		}
	}
	return findings
}
