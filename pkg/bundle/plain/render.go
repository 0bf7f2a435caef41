package plain

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/openshift/platform-operators/pkg/bundle"
)

// CheckConfig refuses every configuration with a *bundle.ConfigError, because the format has nothing to configure and a configuration
// without effect would mislead users. It accepts an empty text, null and an empty object.
func (b *Bundle) CheckConfig(config []byte) error {
	switch string(bytes.TrimSpace(config)) {
	case "", "null", "{}":
		return nil
	}
	return &bundle.ConfigError{Err: errors.New("spec.config: plain+v0 bundles have no configuration; remove it")}
}

// RequiresCertificates returns false, because the format does not define webhooks.
func (b *Bundle) RequiresCertificates() bool { return false }

// Render returns the objects to apply, sorted by group, kind, namespace and name. Namespaced objects without a namespace go to the install
// namespace, if Kubernetes, OpenShift or a CustomResourceDefinition of the bundle defines their kind as namespaced. Render removes the
// namespace from objects of a cluster-scoped kind, as an API server does. Everything else is as written. It is an error if two objects have
// the same namespace and name only because of the install namespace. Callers may change the metadata of the objects. All other fields are
// shared with the bundle and with other renderings, and must be copied before they are changed.
func (b *Bundle) Render(options bundle.Options) ([]unstructured.Unstructured, error) {
	if err := b.CheckConfig(options.Config); err != nil {
		return nil, fmt.Errorf("rendering %s: %w", b, err)
	}
	installNamespace := options.InstallNamespace
	if err := bundle.CheckInstallNamespace(installNamespace); err != nil {
		return nil, fmt.Errorf("rendering %s: %w", b, err)
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
			return nil, fmt.Errorf("rendering %s: %s %q of namespace %q, the install namespace, is defined twice, in %s and in %s; remove one",
				b, o.GetKind(), o.GetName(), installNamespace, file, o.File)
		}
		first[id] = o.File
		objects = append(objects, rendered)
	}
	return sortObjects(objects), nil
}

// sortObjects sorts objects in place by group, kind, namespace and name, and returns them.
func sortObjects(objects []unstructured.Unstructured) []unstructured.Unstructured {
	slices.SortStableFunc(objects, func(x, y unstructured.Unstructured) int { return identityOf(&x).compare(identityOf(&y)) })
	return objects
}
