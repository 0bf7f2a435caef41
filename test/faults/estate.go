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

// Estate looks, as the cluster's admin, at what belongs to BundleDeployments. It is told nothing by the manager but what the
// cluster keeps.
type Estate struct {
	platform   versioned.Interface
	kubernetes kubernetes.Interface
	dynamic    dynamic.Interface
	metadata   dynamic.Interface
	discovery  discovery.DiscoveryInterface
	revisions  *store.Revisions
	namespace  string
}

// NewEstate looks at a cluster. Namespace is where the manager keeps revisions. The configuration should have no rate limit:
// a look at everything is a hundred requests.
func NewEstate(admin *rest.Config, namespace string) (*Estate, error) {
	e := &Estate{namespace: namespace}
	var errs [5]error
	e.platform, errs[0] = versioned.NewForConfig(admin)
	e.kubernetes, errs[1] = kubernetes.NewForConfig(admin)
	e.dynamic, errs[2] = dynamic.NewForConfig(admin)
	e.discovery, errs[3] = discovery.NewDiscoveryClientForConfig(admin)
	lean := rest.CopyConfig(admin)
	lean.Wrap(func(next http.RoundTripper) http.RoundTripper { return metadataOnly{next} })
	e.metadata, errs[4] = dynamic.NewForConfig(lean)
	if err := errors.Join(errs[:]...); err != nil {
		return nil, fmt.Errorf("looking at the cluster: %w", err)
	}
	e.revisions = store.NewRevisions(e.kubernetes.CoreV1().Secrets(namespace))
	return e, nil
}

// metadataOnly asks for the metadata of objects alone, so that a look at everything does not read everything.
type metadataOnly struct{ next http.RoundTripper }

// RoundTrip sends one request.
func (m metadataOnly) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Accept", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1")
	return m.next.RoundTrip(r)
}

// Object is an object that is there, as far as it matters whose it is.
type Object struct {
	schema.GroupVersionResource
	Kind, Namespace, Name string
	// Labelled says that its labels name the BundleDeployment as its owner, Managed that the BundleDeployment's field manager
	// has a field of it, Deleting that it is on its way out, Derived that some controller made it of another object.
	Labelled, Managed, Deleting, Derived bool
	// OrphanedFrom is the package whose CustomResourceDefinition it was.
	OrphanedFrom string
}

// String gives "Deployment memo/controller".
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

// Everything gives all objects of all kinds that have the BundleDeployment's labels or its field manager, by kind and name.
func (e *Estate) Everything(ctx context.Context, deployment string) ([]Object, error) {
	lists, err := e.discovery.ServerPreferredResources()
	if err != nil && len(lists) == 0 {
		return nil, fmt.Errorf("listing the kinds of the cluster: %w", err)
	}
	var (
		group  sync.WaitGroup
		lock   sync.Mutex
		found  []Object
		faults []error
	)
	slots := make(chan struct{}, 8)
	for resource, kind := range listable(lists) {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			objects, err := e.of(ctx, deployment, resource, kind)
			lock.Lock()
			defer lock.Unlock()
			found = append(found, objects...)
			if err != nil {
				faults = append(faults, err)
			}
		})
	}
	group.Wait()
	slices.SortFunc(found, func(a, b Object) int { return cmp.Compare(a.String(), b.String()) })
	return found, errors.Join(faults...)
}

// listable are the resources that objects can be listed of. Events belong to nobody, and there are many.
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

func (e *Estate) of(ctx context.Context, deployment string, resource schema.GroupVersionResource, kind string) ([]Object, error) {
	list, err := e.metadata.Resource(resource).List(ctx, metav1.ListOptions{})
	if apierrors.IsNotFound(err) || apierrors.IsMethodNotSupported(err) {
		return nil, nil // its definition has gone meanwhile
	}
	if err != nil {
		return nil, fmt.Errorf("listing %s: %w", resource.GroupResource(), err)
	}
	var found []Object
	for i := range list.Items {
		item := &list.Items[i]
		object := Object{
			GroupVersionResource: resource, Kind: kind, Namespace: item.GetNamespace(), Name: item.GetName(),
			Labelled: item.GetLabels()[corev1alpha2.LabelOwnerName] == deployment &&
				item.GetLabels()[corev1alpha2.LabelOwnerKind] == corev1alpha2.OwnerKindBundleDeployment,
			Managed:      managed(item, "platform-operators/"+deployment),
			Deleting:     item.GetDeletionTimestamp() != nil,
			Derived:      metav1.GetControllerOf(item) != nil || resource.GroupResource() == schema.GroupResource{Resource: "endpoints"},
			OrphanedFrom: item.GetAnnotations()[platformv1alpha1.AnnotationOrphanedFrom],
		}
		if object.Labelled || object.Managed {
			found = append(found, object)
		}
	}
	return found, nil
}

func managed(item *unstructured.Unstructured, manager string) bool {
	return slices.ContainsFunc(item.GetManagedFields(), func(entry metav1.ManagedFieldsEntry) bool { return entry.Manager == manager })
}
