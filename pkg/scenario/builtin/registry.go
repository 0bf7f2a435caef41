package builtin

import (
	"context"
	"fmt"
	"maps"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/generic"
	genericregistry "k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/names"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Storage returns the storage of a kind and of its subresources, keyed by their names in a URL, such as "pods" and "pods/status".
func (k Kind) Storage(scheme *runtime.Scheme, options generic.RESTOptionsGetter, grants Grants) (map[string]rest.Storage, error) {
	base := strategy{ObjectTyper: scheme, NameGenerator: names.SimpleNameGenerator, kind: k}
	store, err := k.store(base, options)
	if err != nil {
		return nil, fmt.Errorf("making the registry of %s: %w", k.Resource, err)
	}
	served := resourceREST{Store: store, kind: k}
	storages := map[string]rest.Storage{k.Resource: served}
	if k.Group == rbacv1.GroupName {
		storages[k.Resource] = grantREST{served, grants}
	}
	if k.Resource == "events" {
		storages[k.Resource] = eventREST{served}
	}
	if k.rules.hasStatus {
		storages[k.Resource+"/status"] = newSubresource(store, statusStrategy{base})
	}
	if k.rules.hasScale {
		storages[k.Resource+"/scale"] = scaleREST{store, k}
	}
	if k.rules.hasSpecFinalizers {
		storages[k.Resource] = namespaceREST{served, served}
		storages[k.Resource+"/finalize"] = newSubresource(store, finalizeStrategy{base})
	}
	return storages, nil
}

func (k Kind) store(strategy strategy, options generic.RESTOptionsGetter) (*genericregistry.Store, error) {
	resource := k.WithResource(k.Resource).GroupResource()
	store := &genericregistry.Store{
		NewFunc:                   k.Object.DeepCopyObject,
		NewListFunc:               k.List.DeepCopyObject,
		PredicateFunc:             k.predicate,
		DefaultQualifiedResource:  resource,
		SingularQualifiedResource: k.WithResource(k.Singular).GroupResource(),
		CreateStrategy:            strategy,
		UpdateStrategy:            strategy,
		DeleteStrategy:            strategy,
		ResetFieldsStrategy:       strategy,
		TableConvertor:            rest.NewDefaultTableConvertor(resource),
		ReturnDeletedObject:       k.rules.returnsDeleted,
	}
	if k.rules.gracePeriod != nil {
		store.DeleteStrategy = gracefulStrategy{strategy}
	}
	if k.ttl > 0 {
		store.TTLFunc = func(runtime.Object, uint64, bool) (uint64, error) { return k.ttl, nil }
	}
	if k.rules.hasSpecFinalizers {
		store.ShouldDeleteDuringUpdate = namespaceEnds
	}
	return store, store.CompleteWithOptions(&generic.StoreOptions{RESTOptions: options, AttrFunc: k.attributes})
}

// updateStrategy contains the methods that a subresource needs from its strategy.
type updateStrategy interface {
	rest.RESTUpdateStrategy
	rest.ResetFieldsStrategy
}

func (k Kind) predicate(label labels.Selector, field fields.Selector) storage.SelectionPredicate {
	return storage.SelectionPredicate{Label: label, Field: field, GetAttrs: k.attributes}
}

// attributes returns the labels and the selectable fields of an object.
func (k Kind) attributes(object runtime.Object) (labels.Set, fields.Set, error) {
	attributes := storage.DefaultClusterScopedAttr
	if k.Namespaced {
		attributes = storage.DefaultNamespaceScopedAttr
	}
	labelSet, fieldSet, err := attributes(object)
	if err == nil && k.fields != nil {
		maps.Copy(fieldSet, k.fields(object))
	}
	return labelSet, fieldSet, err
}

// resourceREST is a registry with the short names and categories for discovery.
type resourceREST struct {
	*genericregistry.Store
	kind Kind
}

var (
	_ rest.StandardStorage    = resourceREST{}
	_ rest.ShortNamesProvider = resourceREST{}
	_ rest.CategoriesProvider = resourceREST{}
)

// ShortNames implements rest.ShortNamesProvider.
func (r resourceREST) ShortNames() []string { return r.kind.ShortNames }

// Categories implements rest.CategoriesProvider.
func (r resourceREST) Categories() []string {
	if r.kind.All {
		return []string{"all"}
	}
	return nil
}

// subresource is a subresource, such as "status", that reads and updates the objects of a registry.
type subresource struct{ store *genericregistry.Store }

var (
	_ rest.Patcher             = subresource{}
	_ rest.ResetFieldsStrategy = subresource{}
)

func newSubresource(store *genericregistry.Store, strategy updateStrategy) subresource {
	part := *store
	part.UpdateStrategy, part.ResetFieldsStrategy = strategy, strategy
	return subresource{&part}
}

// New implements rest.Storage.
func (s subresource) New() runtime.Object { return s.store.New() }

// Destroy implements rest.Storage. It does nothing; the server destroys the registry itself.
func (s subresource) Destroy() {}

// Get implements rest.Getter.
func (s subresource) Get(ctx context.Context, name string, options *metav1.GetOptions) (runtime.Object, error) {
	return s.store.Get(ctx, name, options)
}

// Update implements rest.Updater. It never creates an object.
//
//nolint:revive // rest.Updater has that many arguments
func (s subresource) Update(ctx context.Context, name string, object rest.UpdatedObjectInfo, validateCreate rest.ValidateObjectFunc,
	validateUpdate rest.ValidateObjectUpdateFunc, _ bool, options *metav1.UpdateOptions) (runtime.Object, bool, error) {
	return s.store.Update(ctx, name, object, validateCreate, validateUpdate, false, options)
}

// GetResetFields implements rest.ResetFieldsStrategy.
func (s subresource) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	return s.store.GetResetFields()
}

// ConvertToTable implements rest.TableConvertor.
func (s subresource) ConvertToTable(ctx context.Context, object, options runtime.Object) (*metav1.Table, error) {
	return s.store.ConvertToTable(ctx, object, options)
}
