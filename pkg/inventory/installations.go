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
	// listTimeout is the maximum time for which consumers wait for the first lists if the API server does not respond.
	listTimeout = 5 * time.Second
)

// kind is a kind of object that installs a package. It holds the resource, functions that return the installer and the version, and the
// path of the field with the package's name.
type kind struct {
	resource  schema.GroupVersionResource
	installer func(*unstructured.Unstructured) string
	pkg       []string
	version   func(*unstructured.Unstructured) string
}

// kinds are the kinds of objects that install packages. Their objects are read as unstructured, so that neither OLM v0 nor OLM v1 is
// imported.
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

// Installations holds all packages that OLM has installed, and is up to date while Run runs. It is also an informer for library-go's
// factory, with one object for each package: it reports to handlers each package whose information changes.
type Installations struct {
	watched []*Optional
	changes catalogsource.Changes
}

// NewInstallations returns Installations for the kinds that the cluster serves. It makes no request before Run. The caller must run served.
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

// All returns every package that OLM has installed, sorted by package and installer. It only reads memory. For a Subscription, only the
// name of its ClusterServiceVersion is known: the version is the part after ".v", or else the whole name; it is empty before the
// installation.
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

// EachWatched calls f for every watched kind. It passes the plural resource name, and a function that sets the handler for list and watch
// errors.
func (i *Installations) EachWatched(f func(resource string, setErrorHandler func(cache.WatchErrorHandlerWithContext) error)) {
	for _, watched := range i.watched {
		f(watched.config.Resource.Resource, watched.SetWatchErrorHandlerWithContext)
	}
}

// Run watches until the context ends. It starts to watch a kind when the cluster serves it, so no restart is needed when OLM is installed.
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

// AddEventHandler registers a handler. The handler is called from the watching goroutine and must not block.
func (i *Installations) AddEventHandler(handler cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	return i.changes.AddEventHandler(handler)
}

// HasSynced returns true when all existing objects are known, or when listTimeout has passed since Run was called.
func (i *Installations) HasSynced() bool { return i.changes.HasSynced() }

// handler returns a handler that reports the package of each object that is added, deleted, or changes its ExternalPackage.
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

// reduced is the cached part of an object.
type reduced struct {
	metav1.ObjectMeta
	resolve.ExternalPackage
}

// reduce returns the cached part of an object.
func (k kind) reduce(object any) (any, error) {
	found, ok := object.(*unstructured.Unstructured)
	if !ok {
		return object, nil // already reduced, or a tombstone
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

// versionIn returns the version in a ClusterServiceVersion's name, or the whole name if it has none.
func versionIn(name string) string {
	if at := strings.LastIndex(name, ".v"); at > 0 && at+2 < len(name) && name[at+2] >= '0' && name[at+2] <= '9' {
		return name[at+2:]
	}
	return name
}

// text returns a field of another project's object. If the field is missing or has another type, text returns an empty string, because the
// other project validates the object.
func text(object *unstructured.Unstructured, path ...string) string {
	value, _, err := unstructured.NestedString(object.Object, path...)
	if err != nil {
		return ""
	}
	return value
}
