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
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve"
)

// Kinds are all of them, kept up to date while Run runs. They are also an informer in the form that library-go's factory
// takes, which tells of each definition of which something else can be said; the object's name is the definition's.
type Kinds struct {
	informer cache.SharedIndexInformer

	lock sync.Mutex
	// sorted is what All gave last, nil when something has changed since.
	sorted []resolve.Kind
}

var definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// NewKinds prepares the watch; nothing is asked before Run.
func NewKinds(client dynamic.Interface) (*Kinds, error) {
	k := &Kinds{informer: dynamicinformer.NewFilteredDynamicInformer(client, definitions, metav1.NamespaceAll, 0, cache.Indexers{}, nil).Informer()}
	if err := k.informer.SetTransform(reduceDefinition); err != nil {
		return nil, fmt.Errorf("watching %s: %w", definitions.Resource, err)
	}
	// Whoever asks without having registered a handler must not read what was.
	if _, err := k.AddEventHandler(cache.ResourceEventHandlerFuncs{}); err != nil {
		return nil, fmt.Errorf("watching %s: %w", definitions.Resource, err)
	}
	return k, nil
}

// All returns every kind, sorted. The list is shared and must not be changed. It reads memory only.
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

// Serves says whether a CustomResourceDefinition serves this resource. It reads memory only.
func (k *Kinds) Serves(resource schema.GroupVersionResource) bool {
	object, exists, err := k.informer.GetStore().GetByKey(resource.GroupResource().String())
	found, ok := object.(*definition)
	return err == nil && exists && ok && slices.ContainsFunc(found.kinds, func(kind resolve.Kind) bool { return kind.Version == resource.Version })
}

// SetWatchErrorHandlerWithContext has somebody told when the API server does not have definitions listed or watched. It is for
// before Run.
func (k *Kinds) SetWatchErrorHandlerWithContext(handler cache.WatchErrorHandlerWithContext) error {
	return k.informer.SetWatchErrorHandlerWithContext(handler)
}

// Run watches until the context ends.
func (k *Kinds) Run(ctx context.Context) { k.informer.Run(ctx.Done()) }

// HasSynced says whether everything that there was at the start is known.
func (k *Kinds) HasSynced() bool { return k.informer.HasSynced() }

// AddEventHandler registers a handler. A definition that changes otherwise than in what is kept of it is no news.
func (k *Kinds) AddEventHandler(handler cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	tell := func(object any) {
		if tombstone, ok := object.(cache.DeletedFinalStateUnknown); ok {
			object = tombstone.Obj
		}
		k.forget() // before who is told asks
		if found, ok := object.(*definition); ok {
			handler.OnAdd(&metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: found.Name}}, false)
		}
	}
	return k.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: tell, DeleteFunc: tell, UpdateFunc: func(before, after any) {
		old, okOld := before.(*definition)
		now, okNow := after.(*definition)
		if okOld && okNow && !reflect.DeepEqual(old.kinds, now.kinds) {
			tell(after)
		}
	}})
}

func (k *Kinds) forget() {
	k.lock.Lock()
	defer k.lock.Unlock()
	k.sorted = nil
}

// definition is what is kept of a CustomResourceDefinition.
type definition struct {
	metav1.ObjectMeta
	kinds []resolve.Kind
}

// reduceDefinition leaves of an object what is kept of it: a schema can be a megabyte.
func reduceDefinition(object any) (any, error) {
	found, ok := object.(*unstructured.Unstructured)
	if !ok {
		return object, nil // reduced before
	}
	reduced := &definition{ObjectMeta: metav1.ObjectMeta{Name: found.GetName(), UID: found.GetUID(), ResourceVersion: found.GetResourceVersion()}}
	kind := resolve.Kind{GVK: catalog.GVK{Group: text(found, "spec", "group"), Kind: text(found, "spec", "names", "kind")}}
	kind.Operator, kind.Installer = ownerOf(found.GetLabels())
	versions, _, err := unstructured.NestedSlice(found.Object, "spec", "versions")
	if err != nil {
		return reduced, nil // one that cannot be read serves nothing
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

// Labels by which the two OLMs mark what they have applied.
const (
	olmPackagePrefix = "operators.coreos.com/"
	olmOwnerKind     = "olm.operatorframework.io/owner-kind"
	olmOwnerName     = "olm.operatorframework.io/owner-name"
)

// ownerOf says whose a definition is.
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
