package environment

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"github.com/openshift/platform-operators/test/localcatalog"
)

const (
	// CatalogName is the name of the CatalogSource and the ClusterCatalog that Start announces.
	CatalogName = "local"
	// CatalogNamespace is the namespace of the CatalogSources.
	CatalogNamespace = "openshift-marketplace"
)

var (
	catalogSources  = schema.GroupVersionResource{Group: "operators.coreos.com", Version: "v1alpha1", Resource: "catalogsources"}
	clusterCatalogs = schema.GroupVersionResource{Group: "olm.operatorframework.io", Version: "v1", Resource: "clustercatalogs"}
)

// Publish makes the local catalog re-read its folders and announces the new content as OLM does. The CatalogSource gets a pod with a
// different image and a new connection, and the ClusterCatalog gets a new resolved image.
func (e *Environment) Publish(ctx context.Context) error {
	if err := e.Catalog.Update(ctx); err != nil {
		return fmt.Errorf("publishing the catalogs' new content: %w", err)
	}
	return e.Announce(ctx, CatalogName, e.Catalog)
}

// AddCatalog serves one more catalog from folders, as in localcatalog.Options. It adds the catalog's authority to the CA file that the
// manager reads. It creates no objects in the cluster; call Announce for that. Environment.Stop closes the server.
func (e *Environment) AddCatalog(ctx context.Context, name string, folders ...string) (*localcatalog.Server, error) {
	server, err := localcatalog.Start(ctx, localcatalog.Options{Catalogs: folders, Dir: filepath.Join(e.Dir, "catalog-"+name)})
	if err != nil {
		return nil, fmt.Errorf("serving catalog %q: %w", name, err)
	}
	e.added = append(e.added, server)
	if err := appendFile(e.Catalog.CAFile(), server.CAFile()); err != nil {
		return nil, fmt.Errorf("trusting the authority of catalog %q: %w", name, err)
	}
	return server, nil
}

// appendFile appends the content of the file more to the file at path. It replaces the file at path by renaming, so that no reader sees
// partial content.
func appendFile(path, more string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	added, err := os.ReadFile(more)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", append(content, added...), 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// Announce creates or updates a CatalogSource and a ClusterCatalog with this name for a catalog. It also writes their status, as the
// controllers of OLM v0 and OLM v1 do; neither runs here.
func (e *Environment) Announce(ctx context.Context, name string, catalog *localcatalog.Server) error {
	client, err := dynamic.NewForConfig(e.Admin)
	if err != nil {
		return err
	}
	now := time.Now().UTC().Format(time.RFC3339Nano)
	source := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "operators.coreos.com/v1alpha1", "kind": "CatalogSource",
		"metadata": map[string]any{"name": name, "namespace": CatalogNamespace},
		"spec":     map[string]any{"sourceType": "grpc", "image": "local.invalid/catalog:latest", "displayName": "Local catalog"},
	}}
	if err := e.announcePod(ctx, name, catalog.ContentDigest()); err != nil {
		return fmt.Errorf("announcing the CatalogSource's pod: %w", err)
	}
	sourceStatus := map[string]any{"connectionState": map[string]any{
		"address": catalog.GRPCAddress(), "lastObservedState": "READY", "lastConnect": now,
	}}
	if err := put(ctx, client.Resource(catalogSources).Namespace(CatalogNamespace), source, sourceStatus); err != nil {
		return fmt.Errorf("announcing the CatalogSource: %w", err)
	}
	image := "local.invalid/catalog@" + catalog.ContentDigest()
	clusterCatalog := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterCatalog",
		"metadata": map[string]any{"name": name},
		"spec": map[string]any{"source": map[string]any{"type": "Image",
			"image": map[string]any{"ref": "local.invalid/catalog:latest"}}},
	}}
	clusterCatalogStatus := map[string]any{
		"urls":           map[string]any{"base": catalog.HTTPSBaseURL()},
		"lastUnpacked":   time.Now().UTC().Format(time.RFC3339),
		"resolvedSource": map[string]any{"type": "Image", "image": map[string]any{"ref": image}},
		"conditions": []any{map[string]any{"type": "Serving", "status": "True", "reason": "Available",
			"message": "Serving desired content", "lastTransitionTime": time.Now().UTC().Format(time.RFC3339)}},
	}
	if err := put(ctx, client.Resource(clusterCatalogs), clusterCatalog, clusterCatalogStatus); err != nil {
		return fmt.Errorf("announcing the ClusterCatalog: %w", err)
	}
	return nil
}

// announcePod creates the pod of a CatalogSource and deletes its pods with other content. The pod's status reports that it runs the image
// with this digest. The pod has a scheduling gate, so that no other program writes its status. Its name contains the digest, so that each
// image has its own pod.
func (e *Environment) announcePod(ctx context.Context, catalog, digest string) error {
	client, err := kubernetes.NewForConfig(e.Admin)
	if err != nil {
		return err
	}
	pods := client.CoreV1().Pods(CatalogNamespace)
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: catalog + "-" + strings.TrimPrefix(digest, "sha256:")[:8], Namespace: CatalogNamespace,
			Labels: map[string]string{"olm.catalogSource": catalog}},
		Spec: corev1.PodSpec{
			SchedulingGates: []corev1.PodSchedulingGate{{Name: "local.invalid/served-elsewhere"}},
			Containers:      []corev1.Container{{Name: "registry-server", Image: "local.invalid/catalog:latest"}},
		},
	}
	created, err := pods.Create(ctx, pod, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		created, err = pods.Get(ctx, pod.Name, metav1.GetOptions{})
	}
	if err != nil {
		return err
	}
	created.Status.Phase = corev1.PodRunning
	created.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	created.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name: "registry-server", Image: "local.invalid/catalog:latest", ImageID: "local.invalid/catalog@" + digest, Ready: true,
	}}
	if _, err := pods.UpdateStatus(ctx, created, metav1.UpdateOptions{}); err != nil {
		return err
	}
	// As OLM does, delete the pods with other content. The grace period is 0 because no kubelet ends a pod without a node.
	return pods.DeleteCollection(ctx, metav1.DeleteOptions{GracePeriodSeconds: ptr.To(int64(0))}, metav1.ListOptions{
		LabelSelector: "olm.catalogSource=" + catalog, FieldSelector: "metadata.name!=" + pod.Name,
	})
}

// put creates an object if it is missing, and writes its status in any case. It does not change the spec of an existing object.
func put(ctx context.Context, client dynamic.ResourceInterface, object *unstructured.Unstructured, status map[string]any) error {
	live, err := client.Get(ctx, object.GetName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		live, err = client.Create(ctx, object, metav1.CreateOptions{})
	}
	if err != nil {
		return err
	}
	live.Object["status"] = status
	_, err = client.UpdateStatus(ctx, live, metav1.UpdateOptions{})
	return err
}
