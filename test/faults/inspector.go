package faults

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/client/clientset/versioned"
	"github.com/openshift/platform-operators/pkg/store"
)

// Inspector finds and checks the objects that belong to a BundleDeployment. It reads them as the cluster's admin. It uses the manager's
// code to load stored revisions, but not to check objects.
type Inspector struct {
	platform   versioned.Interface
	kubernetes kubernetes.Interface
	dynamic    dynamic.Interface
	metadata   dynamic.Interface
	discovery  discovery.DiscoveryInterface
	revisions  *store.Revisions
	namespace  string
}

// NewInspector returns an Inspector for a cluster. namespace is where the manager stores revisions. The configuration should have no rate
// limit, because listing all kinds takes about a hundred requests.
func NewInspector(admin *rest.Config, namespace string) (*Inspector, error) {
	in := &Inspector{namespace: namespace}
	var errs [5]error
	in.platform, errs[0] = versioned.NewForConfig(admin)
	in.kubernetes, errs[1] = kubernetes.NewForConfig(admin)
	in.dynamic, errs[2] = dynamic.NewForConfig(admin)
	in.discovery, errs[3] = discovery.NewDiscoveryClientForConfig(admin)
	metadataOnly := rest.CopyConfig(admin)
	metadataOnly.Wrap(func(next http.RoundTripper) http.RoundTripper { return metadataTransport{next} })
	in.metadata, errs[4] = dynamic.NewForConfig(metadataOnly)
	if err := errors.Join(errs[:]...); err != nil {
		return nil, fmt.Errorf("creating the clients of an Inspector: %w", err)
	}
	in.revisions = store.NewRevisions(in.kubernetes.CoreV1().Secrets(namespace))
	return in, nil
}

// metadataTransport is an http.RoundTripper that requests only the metadata of objects, to keep lists of all kinds small.
type metadataTransport struct{ next http.RoundTripper }

// RoundTrip sends the request with an Accept header for PartialObjectMetadataList.
func (m metadataTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Accept", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1")
	return m.next.RoundTrip(r)
}

// Object is an object in the cluster, with the properties that link it to a BundleDeployment.
type Object struct {
	schema.GroupVersionResource
	Kind, Namespace, Name string
	// HasOwnerLabels is true if the object's labels name the BundleDeployment as the owner. HasManagedFields is true if the
	// BundleDeployment's field manager owns a field. Deleting is true if the object has a deletion timestamp. Derived is true if a
	// controller created the object from another object.
	HasOwnerLabels, HasManagedFields, Deleting, Derived bool
	// OrphanedFrom is the package of a CustomResourceDefinition that a removal kept; empty for other objects.
	OrphanedFrom string
}

// String returns the kind, the group and the name, as in "Deployment.apps memo/controller".
func (o Object) String() string { return identity(o.Group, o.Kind, o.Namespace, o.Name) }

func identity(group, kind, namespace, name string) string {
	if group != "" {
		kind += "." + group
	}
	if namespace != "" {
		name = namespace + "/" + name
	}
	return kind + " " + name
}

// OwnedObjects returns the objects of all kinds, except Events, that have the BundleDeployment's owner labels or a field that its field
// manager owns. They are ordered by kind and name. If a list, or the discovery of an API group, fails, it returns the objects of the other
// kinds and an error.
func (in *Inspector) OwnedObjects(ctx context.Context, deployment string) ([]Object, error) {
	lists, err := in.discovery.ServerPreferredResources()
	var (
		group sync.WaitGroup
		lock  sync.Mutex
		found []Object
		errs  []error
	)
	if err != nil {
		errs = append(errs, fmt.Errorf("listing the kinds of the cluster: %w", err))
	}
	slots := make(chan struct{}, 8)
	for resource, kind := range listable(lists) {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			objects, err := in.list(ctx, deployment, resource, kind)
			lock.Lock()
			defer lock.Unlock()
			found = append(found, objects...)
			if err != nil {
				errs = append(errs, err)
			}
		})
	}
	group.Wait()
	slices.SortFunc(found, func(a, b Object) int { return cmp.Compare(a.String(), b.String()) })
	return found, errors.Join(errs...)
}

// listable returns the resources that support list, with their kinds. It leaves out subresources, and leaves out Events, which are numerous
// and have no owner labels.
func listable(lists []*metav1.APIResourceList) map[schema.GroupVersionResource]string {
	all := map[schema.GroupVersionResource]string{}
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			continue
		}
		for _, each := range list.APIResources {
			if slices.Contains(each.Verbs, "list") && each.Kind != "Event" && !strings.Contains(each.Name, "/") {
				all[version.WithResource(each.Name)] = each.Kind
			}
		}
	}
	return all
}

func (in *Inspector) list(ctx context.Context, deployment string, resource schema.GroupVersionResource, kind string) ([]Object, error) {
	list, err := in.metadata.Resource(resource).List(ctx, metav1.ListOptions{})
	if apierrors.IsNotFound(err) || apierrors.IsMethodNotSupported(err) {
		return nil, nil // the kind was removed since discovery
	}
	if err != nil {
		return nil, fmt.Errorf("listing %s: %w", resource.GroupResource(), err)
	}
	var found []Object
	for i := range list.Items {
		item := &list.Items[i]
		object := Object{
			GroupVersionResource: resource, Kind: kind, Namespace: item.GetNamespace(), Name: item.GetName(),
			HasOwnerLabels: item.GetLabels()[corev1alpha2.LabelOwnerName] == deployment &&
				item.GetLabels()[corev1alpha2.LabelOwnerKind] == corev1alpha2.OwnerKindBundleDeployment,
			HasManagedFields: hasManager(item, "platform-operators/"+deployment),
			Deleting:         item.GetDeletionTimestamp() != nil,
			Derived:          metav1.GetControllerOf(item) != nil || resource.GroupResource() == schema.GroupResource{Resource: "endpoints"},
			OrphanedFrom:     item.GetAnnotations()[platformv1alpha1.AnnotationOrphanedFrom],
		}
		if object.HasOwnerLabels || object.HasManagedFields {
			found = append(found, object)
		}
	}
	return found, nil
}

func hasManager(item *unstructured.Unstructured, manager string) bool {
	return slices.ContainsFunc(item.GetManagedFields(), func(entry metav1.ManagedFieldsEntry) bool { return entry.Manager == manager })
}
