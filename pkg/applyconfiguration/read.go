package applyconfiguration

import (
	"fmt"
	"os"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/platform-operators/bindata"
	"github.com/openshift/platform-operators/pkg/applyconfiguration/content"
	"github.com/openshift/platform-operators/pkg/manifestserver"
	"github.com/openshift/platform-operators/pkg/mustgather"
)

// defaultKubernetesVersion is the version of the API server if the input does not have it. It is that of the client libraries.
const defaultKubernetesVersion = "v1.36.3"

var definitionResource = schema.GroupResource{Group: "apiextensions.k8s.io", Resource: "customresourcedefinitions"}

// readInput reads the input directory and builds the server of its objects.
func (r *run) readInput() error {
	input, err := mustgather.Read(os.DirFS(r.InputDir), nil)
	if err != nil {
		return fmt.Errorf("reading the input directory %s: %w", r.InputDir, err)
	}
	r.input, r.catalogs, r.images = input, content.NewCatalogs(os.DirFS(r.InputDir)), content.NewImages(os.DirFS(r.InputDir))
	definitions, err := bindata.Definitions()
	if err != nil {
		return err
	}
	options := manifestserver.Options{
		KubernetesVersion: r.kubernetesVersion(), Clock: frozenClock{now: r.now}, Seed: fmt.Sprint(r.seed), NotCollected: r.notCollected(),
	}
	for _, each := range input.Objects {
		if each.IsElided() {
			continue
		}
		options.Objects = append(options.Objects, each.Unstructured)
		if each.Resource.GroupResource() != definitionResource {
			continue
		}
		definition := &apiextensionsv1.CustomResourceDefinition{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(each.Object, definition); err != nil {
			return fmt.Errorf("reading %s: %w", each.File, err)
		}
		definitions = append(definitions, definition)
	}
	options.Definitions = definitions
	if r.server, err = manifestserver.New(options); err != nil {
		return fmt.Errorf("reading the input directory %s: %w", r.InputDir, err)
	}
	return nil
}

func (r *run) notCollected() (scopes []manifestserver.Scope) {
	for _, each := range r.input.NotCollected.Resources {
		scopes = append(scopes, manifestserver.Scope{GroupResource: schema.GroupResource(each)})
	}
	for _, each := range r.input.NotCollected.Namespaces {
		scopes = append(scopes, manifestserver.Scope{Namespace: each})
	}
	return scopes
}

// kubernetesVersion returns the version of the API server.
func (r *run) kubernetesVersion() string {
	if r.KubernetesVersion != "" {
		return r.KubernetesVersion
	}
	for _, each := range r.input.Objects {
		if each.Resource.Resource != "clusteroperators" || each.GetName() != "kube-apiserver" {
			continue
		}
		versions, _, _ := unstructured.NestedSlice(each.Object, "status", "versions")
		for _, entry := range versions {
			if operand, isMap := entry.(map[string]any); isMap && operand["name"] == "kube-apiserver" {
				if version, isText := operand["version"].(string); isText && version != "" {
					return "v" + strings.TrimPrefix(version, "v")
				}
			}
		}
	}
	return defaultKubernetesVersion
}
