package inventory

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/truncate"
)

// Kinds holds all kinds that CustomResourceDefinitions define, and is up to date while Run runs. It is also an informer for library-go's
// factory: for each definition whose cached part changes, handlers get an object with the definition's name.
type Kinds struct {
	informer cache.SharedIndexInformer

	lock sync.Mutex
	// sorted is the last result of All, nil after a change.
	sorted []resolve.Kind
}

var definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// NewKinds returns Kinds. It makes no request before Run.
func NewKinds(client dynamic.Interface) (*Kinds, error) {
	k := &Kinds{informer: dynamicinformer.NewFilteredDynamicInformer(client, definitions, metav1.NamespaceAll, 0, cache.Indexers{}, nil).Informer()}
	if err := k.informer.SetTransform(reduceDefinition); err != nil {
		return nil, fmt.Errorf("watching %s: %w", definitions.Resource, err)
	}
	// Each handler that AddEventHandler registers also drops the result of All. Without a handler, All would return stale kinds.
	if _, err := k.AddEventHandler(cache.ResourceEventHandlerFuncs{}); err != nil {
		return nil, fmt.Errorf("watching %s: %w", definitions.Resource, err)
	}
	return k, nil
}

// All returns every kind, sorted. The list is shared; the caller must not change it. All only reads memory.
func (k *Kinds) All() []resolve.Kind {
	k.lock.Lock()
	defer k.lock.Unlock()
	if k.sorted != nil {
		return k.sorted
	}
	all := []resolve.Kind{}
	for _, object := range k.informer.GetStore().List() {
		if definition, ok := object.(*definition); ok {
			all = append(all, definition.kinds...)
		}
	}
	slices.SortFunc(all, func(a, b resolve.Kind) int { return cmp.Or(a.GVK.Compare(b.GVK), cmp.Compare(a.Operator, b.Operator)) })
	k.sorted = all
	return all
}

// Serves reports whether a CustomResourceDefinition serves this resource. It only reads memory.
func (k *Kinds) Serves(resource schema.GroupVersionResource) bool {
	object, exists, err := k.informer.GetStore().GetByKey(resource.GroupResource().String())
	found, ok := object.(*definition)
	return err == nil && exists && ok && slices.ContainsFunc(found.kinds, func(kind resolve.Kind) bool { return kind.Version == resource.Version })
}

// SetWatchErrorHandlerWithContext sets the handler for list and watch errors. It must be called before Run.
func (k *Kinds) SetWatchErrorHandlerWithContext(handler cache.WatchErrorHandlerWithContext) error {
	return k.informer.SetWatchErrorHandlerWithContext(handler)
}

// Run watches until the context ends.
func (k *Kinds) Run(ctx context.Context) { k.informer.Run(ctx.Done()) }

// HasSynced reports whether all existing definitions are known.
func (k *Kinds) HasSynced() bool { return k.informer.HasSynced() }

// AddEventHandler registers a handler. It calls only the handler's OnAdd: for each added or deleted definition, and for each one whose
// cached part changes. The object that it passes contains only the definition's name.
func (k *Kinds) AddEventHandler(handler cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	notify := func(object any) {
		if tombstone, ok := object.(cache.DeletedFinalStateUnknown); ok {
			object = tombstone.Obj
		}
		k.forget() // before the handler calls All
		if found, ok := object.(*definition); ok {
			handler.OnAdd(&metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: found.Name}}, false)
		}
	}
	return k.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: notify, DeleteFunc: notify, UpdateFunc: func(before, after any) {
		old, okOld := before.(*definition)
		current, okNow := after.(*definition)
		if okOld && okNow && (old.orphanedFrom != current.orphanedFrom || !reflect.DeepEqual(old.kinds, current.kinds)) {
			notify(after)
		}
	}})
}

func (k *Kinds) forget() {
	k.lock.Lock()
	defer k.lock.Unlock()
	k.sorted = nil
}

// definition is the cached part of a CustomResourceDefinition.
type definition struct {
	metav1.ObjectMeta
	kinds []resolve.Kind
	// orphanedFrom is the annotation that names the previous owner of a definition that was kept by a removal, truncated to maxMark bytes.
	// It decides who may adopt the definition.
	orphanedFrom string
}

// maxMark is the maximum size of the cached part of the annotation that names the previous owner, in bytes. Names of owners are shorter.
const maxMark = 300

// reduceDefinition returns the part of an object to cache. The whole object is too large, because a schema can be a megabyte.
func reduceDefinition(object any) (any, error) {
	found, ok := object.(*unstructured.Unstructured)
	if !ok {
		return object, nil // already reduced
	}
	reduced := &definition{ObjectMeta: metav1.ObjectMeta{Name: found.GetName(), UID: found.GetUID(), ResourceVersion: found.GetResourceVersion()}}
	reduced.orphanedFrom = strings.Clone(truncate.Bytes(found.GetAnnotations()[platformv1alpha1.AnnotationOrphanedFrom], maxMark))
	kind := resolve.Kind{GVK: catalog.GVK{Group: text(found, "spec", "group"), Kind: text(found, "spec", "names", "kind")}}
	kind.Operator, kind.Installer = ownerOf(found.GetLabels())
	versions, _, err := unstructured.NestedSlice(found.Object, "spec", "versions")
	if err != nil {
		return reduced, nil // an unreadable definition serves nothing
	}
	for _, each := range versions {
		version, ok := each.(map[string]any)
		if !ok || version["served"] != true {
			continue
		}
		kind.Version, _ = version["name"].(string)
		reduced.kinds = append(reduced.kinds, kind)
	}
	return reduced, nil
}

// Labels that OLM v0 and OLM v1 set on objects that they apply.
const (
	olmPackagePrefix = "operators.coreos.com/"
	olmOwnerKind     = "olm.operatorframework.io/owner-kind"
	olmOwnerName     = "olm.operatorframework.io/owner-name"
)

// ownerOf returns the owner of a definition: the name of a BundleDeployment as operator, or else a description of its OLM installation as
// installer. Both are empty if the owner is not known.
func ownerOf(labels map[string]string) (operator, installer string) {
	if labels[corev1alpha2.LabelOwnerKind] == "BundleDeployment" {
		return labels[corev1alpha2.LabelOwnerName], ""
	}
	if labels[olmOwnerKind] == "ClusterExtension" {
		return "", "ClusterExtension " + labels[olmOwnerName]
	}
	var packages []string
	for name := range labels {
		if pkg, ok := strings.CutPrefix(name, olmPackagePrefix); ok {
			packages = append(packages, "OLM's operator "+pkg)
		}
	}
	if len(packages) == 0 {
		return "", ""
	}
	return "", slices.Min(packages)
}
