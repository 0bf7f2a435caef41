package inventory

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/openshift/platform-operators/pkg/catalogsource"
	"github.com/openshift/platform-operators/pkg/resolve"
)

const (
	// listTimeout bounds how long others wait to know what there is, where the API server does not say.
	listTimeout = 5 * time.Second
)

// kind is one kind of object that installs a package: which it is, and what of it matters.
type kind struct {
	resource  schema.GroupVersionResource
	installer func(*unstructured.Unstructured) string
	pkg       []string
	version   func(*unstructured.Unstructured) string
}

// kinds are read as what is needed of them, so that neither OLM is imported.
var kinds = []kind{
	{
		resource: schema.GroupVersionResource{Group: "operators.coreos.com", Version: "v1alpha1", Resource: "subscriptions"},
		installer: func(o *unstructured.Unstructured) string {
			return "Subscription " + o.GetNamespace() + "/" + o.GetName()
		},
		pkg:     []string{"spec", "name"},
		version: func(o *unstructured.Unstructured) string { return versionIn(text(o, "status", "installedCSV")) },
	},
	{
		resource:  schema.GroupVersionResource{Group: "olm.operatorframework.io", Version: "v1", Resource: "clusterextensions"},
		installer: func(o *unstructured.Unstructured) string { return "ClusterExtension " + o.GetName() },
		pkg:       []string{"spec", "source", "catalog", "packageName"},
		version:   func(o *unstructured.Unstructured) string { return text(o, "status", "install", "bundle", "version") },
	},
}

// Installations are all of them, kept up to date while Run runs. They are also an informer in the form that library-go's
// factory takes, whose objects are named after packages: it tells of every package of which something else can be said.
type Installations struct {
	watched []*Optional
	changes catalogsource.Changes
}

// NewInstallations prepares the watches of those kinds that the cluster serves; nothing is asked before Run. served have to be
// run by somebody.
func NewInstallations(client dynamic.Interface, served *Kinds) (*Installations, error) {
	i := &Installations{}
	for _, kind := range kinds {
		watched, err := NewOptional(client, served, OptionalConfig{Resource: kind.resource, Transform: kind.reduce})
		if err != nil {
			return nil, err
		}
		watched.AddEventHandler(i.handler())
		i.watched = append(i.watched, watched)
	}
	return i, nil
}

// All returns every package that somebody else has, sorted by package and installer. It reads memory only. Of a Subscription
// only the name of its ClusterServiceVersion is known: where that ends in ".v" and something the version is that something,
// else the whole name; empty when nothing is installed yet.
func (i *Installations) All() []resolve.ExternalPackage {
	var found []resolve.ExternalPackage
	for _, watched := range i.watched {
		for _, object := range watched.GetStore().List() {
			if reduced, ok := object.(*reduced); ok && reduced.Package != "" {
				found = append(found, reduced.ExternalPackage)
			}
		}
	}
	slices.SortFunc(found, func(a, b resolve.ExternalPackage) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.Installer, b.Installer))
	})
	return found
}

// EachWatched gives every kind that is watched while it is served: its name in the plural, and what takes whom to tell when the
// API server does not have it listed or watched.
func (i *Installations) EachWatched(give func(resource string, listen func(cache.WatchErrorHandlerWithContext) error)) {
	for _, watched := range i.watched {
		give(watched.config.Resource.Resource, watched.SetWatchErrorHandlerWithContext)
	}
}

// Run watches until the context ends. A kind that the cluster does not serve is watched from when it does, without a restart
// when one of the OLMs appears.
func (i *Installations) Run(ctx context.Context) {
	var running sync.WaitGroup
	settled := make([]cache.InformerSynced, 0, len(i.watched))
	for _, watched := range i.watched {
		running.Go(func() { watched.Run(ctx) })
		settled = append(settled, watched.Settled)
	}
	listing, cancel := context.WithTimeout(ctx, listTimeout)
	if !cache.WaitForCacheSync(listing.Done(), settled...) {
		klog.Warningf("not every kind of object that installs operators could be listed within %s; going on with those that could", listTimeout)
	}
	cancel()
	i.changes.SetListed()
	running.Wait()
}

// AddEventHandler registers a handler; it is called from the goroutine that watches and must not block.
func (i *Installations) AddEventHandler(handler cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	return i.changes.AddEventHandler(handler)
}

// HasSynced says whether everything that there was at the start is known, or does not come within seconds.
func (i *Installations) HasSynced() bool { return i.changes.HasSynced() }

// handler tells of the packages of what comes, changes and goes. An object that changes otherwise is no news.
func (i *Installations) handler() cache.ResourceEventHandler {
	one := func(object any) {
		if tombstone, ok := object.(cache.DeletedFinalStateUnknown); ok {
			object = tombstone.Obj
		}
		if reduced, ok := object.(*reduced); ok {
			i.notify(reduced.Package)
		}
	}
	return cache.ResourceEventHandlerFuncs{AddFunc: one, DeleteFunc: one, UpdateFunc: func(old, object any) {
		before, _ := old.(*reduced)
		after, _ := object.(*reduced)
		if before == nil || after == nil || before.ExternalPackage == after.ExternalPackage {
			return
		}
		i.notify(before.Package)
		if after.Package != before.Package {
			i.notify(after.Package)
		}
	}}
}

func (i *Installations) notify(pkg string) {
	if pkg != "" {
		i.changes.Notify([]string{pkg})
	}
}

// reduced is what is kept of an object.
type reduced struct {
	metav1.ObjectMeta
	resolve.ExternalPackage
}

// reduce leaves of an object what is kept of it.
func (k kind) reduce(object any) (any, error) {
	found, ok := object.(*unstructured.Unstructured)
	if !ok {
		return object, nil // reduced before
	}
	return &reduced{
		ObjectMeta: metav1.ObjectMeta{Namespace: found.GetNamespace(), Name: found.GetName(), UID: found.GetUID(), ResourceVersion: found.GetResourceVersion()},
		ExternalPackage: resolve.ExternalPackage{
			Package:   text(found, k.pkg...),
			Installer: k.installer(found),
			Version:   k.version(found),
		},
	}, nil
}

// versionIn takes the version out of a ClusterServiceVersion's name.
func versionIn(name string) string {
	if at := strings.LastIndex(name, ".v"); at > 0 && at+2 < len(name) && name[at+2] >= '0' && name[at+2] <= '9' {
		return name[at+2:]
	}
	return name
}

// text reads a field of another project's object; what is absent or of another type reads as empty, because the object is
// not ours to judge.
func text(object *unstructured.Unstructured, path ...string) string {
	value, _, err := unstructured.NestedString(object.Object, path...)
	if err != nil {
		return ""
	}
	return value
}
