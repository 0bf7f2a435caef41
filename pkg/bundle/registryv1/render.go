package registryv1

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
)

// Options are what a rendering depends on beside the bundle's content.
type Options struct {
	// InstallNamespace is where the operator's namespaced objects go; required.
	InstallNamespace string
}

// generator makes one family of objects.
type generator func(b *Bundle, opts Options) ([]unstructured.Unstructured, error)

// generators is the list of families.
var generators = [...]generator{
	renderManifests,
	renderServiceAccounts,
	renderRBAC,
	renderDeployments,
}

// Render gives the objects to apply, for an operator that watches all namespaces, sorted by group, kind, namespace and name.
// Callers may change the metadata of what they get; everything below it is shared with the bundle and with other renderings,
// and must be copied before it is changed.
func (b *Bundle) Render(opts Options) ([]unstructured.Unstructured, error) {
	if problems := utilvalidation.IsDNS1123Label(opts.InstallNamespace); len(problems) > 0 {
		return nil, fmt.Errorf("rendering bundle %q: install namespace %q: %s", b.meta.Name, opts.InstallNamespace, strings.Join(problems, ", "))
	}
	var objects []unstructured.Unstructured
	for _, generate := range generators {
		more, err := generate(b, opts)
		if err != nil {
			return nil, fmt.Errorf("rendering bundle %q: %w", b.meta.Name, err)
		}
		objects = append(objects, more...)
	}
	return inOrder(b, objects)
}

// inOrder sorts the objects and refuses one that is there twice, for example a Deployment that the install strategy and a
// manifest both define.
func inOrder(b *Bundle, objects []unstructured.Unstructured) ([]unstructured.Unstructured, error) {
	type keyed struct {
		id  identity
		obj unstructured.Unstructured
	}
	list := make([]keyed, len(objects))
	for i, o := range objects {
		list[i] = keyed{identify(o), o}
	}
	slices.SortFunc(list, func(x, y keyed) int { return x.id.compare(y.id) })
	for i, k := range list {
		if i > 0 && k.id == list[i-1].id {
			return nil, fmt.Errorf("rendering bundle %q: %s %q comes out twice: a manifest defines what the ClusterServiceVersion asks for too; rename one",
				b.meta.Name, k.id.kind.Kind, k.id.name)
		}
		objects[i] = k.obj
	}
	return objects, nil
}

type identity struct {
	kind            schema.GroupKind
	namespace, name string
}

func identify(o unstructured.Unstructured) identity {
	return identity{o.GroupVersionKind().GroupKind(), o.GetNamespace(), o.GetName()}
}

func (i identity) compare(j identity) int {
	return cmp.Or(
		cmp.Compare(i.kind.Group, j.kind.Group),
		cmp.Compare(i.kind.Kind, j.kind.Kind),
		cmp.Compare(i.namespace, j.namespace),
		cmp.Compare(i.name, j.name),
	)
}
