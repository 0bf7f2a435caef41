package environment

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

const (
	// CatalogName is the name of both catalog objects.
	CatalogName = "local"
	// CatalogNamespace is where the CatalogSource is.
	CatalogNamespace = "openshift-marketplace"
)

var (
	catalogSources  = schema.GroupVersionResource{Group: "operators.coreos.com", Version: "v1alpha1", Resource: "catalogsources"}
	clusterCatalogs = schema.GroupVersionResource{Group: "olm.operatorframework.io", Version: "v1", Resource: "clustercatalogs"}
)

// Publish makes the local catalog read its folders again and tells the cluster so, in the way that OLM does: a new
// connection on the CatalogSource, a new resolved image on the ClusterCatalog.
func (e *Environment) Publish(ctx context.Context) error {
	if err := e.Catalog.Update(ctx); err != nil {
		return fmt.Errorf("publishing the catalogs' new content: %w", err)
	}
	return e.announce(ctx)
}

// announce writes the catalog objects and the status that OLM's two generations of controllers would write: none of them
// runs here.
func (e *Environment) announce(ctx context.Context) error {
	client, err := dynamic.NewForConfig(e.Admin)
	if err != nil {
		return err
	}
	now := time.Now().UTC().Format(time.RFC3339Nano)
	source := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "operators.coreos.com/v1alpha1", "kind": "CatalogSource",
		"metadata": map[string]any{"name": CatalogName, "namespace": CatalogNamespace},
		"spec":     map[string]any{"sourceType": "grpc", "address": e.Catalog.GRPCAddress(), "displayName": "Local catalog"},
	}}
	sourceStatus := map[string]any{"connectionState": map[string]any{
		"address": e.Catalog.GRPCAddress(), "lastObservedState": "READY", "lastConnect": now,
	}}
	if err := put(ctx, client.Resource(catalogSources).Namespace(CatalogNamespace), source, sourceStatus); err != nil {
		return fmt.Errorf("announcing the CatalogSource: %w", err)
	}
	image := "local.invalid/catalog@" + e.Catalog.ContentDigest()
	clusterCatalog := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterCatalog",
		"metadata": map[string]any{"name": CatalogName},
		"spec": map[string]any{"source": map[string]any{"type": "Image",
			"image": map[string]any{"ref": "local.invalid/catalog:latest"}}},
	}}
	clusterCatalogStatus := map[string]any{
		"urls":           map[string]any{"base": e.Catalog.HTTPSBaseURL()},
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

// put creates an object if it is missing and writes its status.
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
