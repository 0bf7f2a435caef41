package plan

import (
	"cmp"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

type identity struct {
	schema.GroupKind
	namespace, name string
}

func identify(o unstructured.Unstructured) identity {
	return identity{o.GroupVersionKind().GroupKind(), o.GetNamespace(), o.GetName()}
}

func (i identity) compare(j identity) int {
	return cmp.Or(
		cmp.Compare(i.Group, j.Group),
		cmp.Compare(i.Kind, j.Kind),
		cmp.Compare(i.namespace, j.namespace),
		cmp.Compare(i.name, j.name),
	)
}

func (i identity) String() string {
	if i.namespace == "" {
		return fmt.Sprintf("%s %s", i.Kind, i.name)
	}
	return fmt.Sprintf("%s %s/%s", i.Kind, i.namespace, i.name)
}

// maxNamed is the maximum number of objects that an error names.
const maxNamed = 10

// CheckDuplicates returns an error if an object occurs twice, even in two API versions, because the result would depend on the order. The
// error names at most ten duplicates, sorted.
func CheckDuplicates(objects []unstructured.Unstructured) error {
	count := make(map[identity]int, len(objects))
	var named []string
	more := 0
	for _, o := range sorted(objects) {
		id := identify(o)
		count[id]++
		switch {
		case count[id] != 2:
		case len(named) == maxNamed:
			more++
		default:
			named = append(named, id.String())
		}
	}
	if len(named) == 0 {
		return nil
	}
	text := strings.Join(named, ", ")
	if more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Errorf("these objects are defined twice: %s; remove the duplicates", text)
}
