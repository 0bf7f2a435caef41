package manifestserver

import (
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/openshift/platform-operators/pkg/manifestserver/kinds"
)

// Cache keeps data for servers of successive inputs, so that New is faster. It identifies an object or a definition by its pointer: the caller
// must not change it after New has used it. Servers that share a Cache need the same Options.Default, and must not be used at the same time.
// The zero value is ready to use.
type Cache struct {
	definitions []*apiextensionsv1.CustomResourceDefinition
	kinds       *kinds.Set
	// entries are the objects of the last input whose stored form depends neither on the clock nor on the seed, and that have no InputError.
	entries map[*unstructured.Unstructured]*entry
}

// kindsOf returns the kinds of a server. c may be nil.
func (c *Cache) kindsOf(options Options) (*kinds.Set, error) {
	canShare := c != nil && len(options.Inferred) == 0 // inferred kinds are added to the set
	if canShare && c.kinds != nil && slices.Equal(c.definitions, options.Definitions) {
		return c.kinds, nil
	}
	set, err := kinds.NewSet(options.Definitions, options.Default)
	if c != nil {
		c.definitions, c.kinds, c.entries = nil, nil, nil
	}
	if canShare && err == nil {
		c.definitions, c.kinds = slices.Clone(options.Definitions), set
	}
	return set, err
}

// get returns the stored form of an object, or nil if it is not known. c may be nil.
func (c *Cache) get(object *unstructured.Unstructured) *entry {
	if c == nil {
		return nil
	}
	return c.entries[object]
}

// set replaces the known objects. It does nothing if c is nil or has no kinds.
func (c *Cache) set(entries map[*unstructured.Unstructured]*entry) {
	if c != nil && c.kinds != nil {
		c.entries = entries
	}
}
