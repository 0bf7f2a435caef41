package applyconfiguration

import (
	"fmt"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/openshift/platform-operators/bindata"
	"github.com/openshift/platform-operators/pkg/manifestserver"
	"github.com/openshift/platform-operators/pkg/mustgather"
)

// Cache keeps data for successive calls of Reconcile, so that they are faster. It identifies an object of the input by its pointer: the
// caller must not change an object after a call has used it. Calls that share a Cache must not run at the same time. The zero value is ready
// to use.
type Cache struct {
	server manifestserver.Cache
	// builtIn are the definitions of the manager's kinds. custom are the definitions in the last input, keyed by their objects.
	builtIn []*apiextensionsv1.CustomResourceDefinition
	custom  map[*unstructured.Unstructured]*apiextensionsv1.CustomResourceDefinition
}

// definitions returns the definitions of the manager's kinds, which are built in, and those of the other kinds in the input.
func (c *Cache) definitions(input *mustgather.Input) (all []*apiextensionsv1.CustomResourceDefinition, err error) {
	if c.builtIn == nil {
		if c.builtIn, err = bindata.Definitions(); err != nil {
			return nil, err
		}
	}
	all = slices.Clone(c.builtIn)
	custom := map[*unstructured.Unstructured]*apiextensionsv1.CustomResourceDefinition{}
	for _, each := range input.Objects {
		if each.Resource.GroupResource() != definitionResource {
			continue
		}
		if slices.ContainsFunc(c.builtIn, func(own *apiextensionsv1.CustomResourceDefinition) bool { return own.Name == each.GetName() }) {
			continue
		}
		definition := c.custom[each.Unstructured]
		if definition == nil {
			definition = &apiextensionsv1.CustomResourceDefinition{}
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(each.Object, definition); err != nil {
				return nil, fmt.Errorf("%s: %w", each.File, err)
			}
		}
		custom[each.Unstructured] = definition
		all = append(all, definition)
	}
	c.custom = custom
	return all, nil
}
