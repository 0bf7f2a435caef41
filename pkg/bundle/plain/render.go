package plain

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"

	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/truncate"
)

// CheckConfig refuses a configuration, given as JSON: the format has nothing that could be configured, and one that is overlooked
// would be taken for one that is in effect. None at all, null and an empty object are none.
func CheckConfig(raw []byte) error {
	switch string(bytes.TrimSpace(raw)) {
	case "", "null", "{}":
		return nil
	}
	return errors.New("spec.config: plain+v0 bundles take no configuration; remove it")
}

// Render gives the objects to apply, sorted by group, kind, namespace and name. Namespaced ones without a namespace go to the
// install namespace, where it is known that their kind is namespaced: Kubernetes or OpenShift says so or the bundle's own
// CustomResourceDefinition. One of a cluster-scoped kind has none, whatever the author wrote, as on an API server. All else is as
// it was written. Callers may change the metadata of what they get; everything below it is shared with the bundle and with other
// renderings, and must be copied before it is changed.
func (b *Bundle) Render(installNamespace string) ([]unstructured.Unstructured, error) {
	if problems := utilvalidation.IsDNS1123Label(installNamespace); len(problems) > 0 {
		return nil, fmt.Errorf("rendering %s: install namespace %s: %s", b, truncate.Quote(installNamespace), strings.Join(problems, ", "))
	}
	objects := make([]unstructured.Unstructured, 0, len(b.objects))
	first := make(map[identity]string, len(b.objects))
	for _, o := range b.objects {
		content := maps.Clone(o.Object)
		content["metadata"] = bundle.CloneMetadata(o.Object["metadata"])
		rendered := unstructured.Unstructured{Object: content}
		id := b.identify(o)
		switch scope := b.scopeOf(id.kind); {
		case scope == cluster:
			unstructured.RemoveNestedField(content, "metadata", "namespace")
		case scope == namespaced && id.namespace == "":
			rendered.SetNamespace(installNamespace)
			id.namespace = installNamespace
		}
		if file, twice := first[id]; twice {
			return nil, fmt.Errorf("rendering %s: %s %q of namespace %q, the install namespace, is defined in %s and in %s; remove one", b, o.GetKind(), o.GetName(), installNamespace, file, o.File)
		}
		first[id] = o.File
		objects = append(objects, rendered)
	}
	return inOrder(objects), nil
}

// inOrder sorts again what namespaces have been filled into.
func inOrder(objects []unstructured.Unstructured) []unstructured.Unstructured {
	slices.SortStableFunc(objects, func(x, y unstructured.Unstructured) int { return identityOf(&x).compare(identityOf(&y)) })
	return objects
}
