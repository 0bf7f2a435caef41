package ratcheting

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"github.com/openshift/platform-operators/pkg/scenario"
)

const (
	formerCRDs  = "testdata/c02a7af/*.yaml"
	shippedCRDs = "../../manifests/*.crd.yaml"
	// recorded are objects that the manager of commit c02a7af wrote.
	recorded = "../scenarios/testdata/c02a7af/objects.yaml"
)

func TestMain(m *testing.M) {
	scenario.PrepareProcess()
	os.Exit(m.Run())
}

// cluster is a cluster in memory with a client.
type cluster struct {
	*testing.T
	*scenario.Cluster
	client dynamic.Interface
}

// run runs a test in virtual time, with a cluster in memory that has the CRDs whose files match the pattern crds.
func run(t *testing.T, crds string, test func(c cluster)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		started, err := scenario.Start(t.Context(), scenario.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer started.Stop()
		c := cluster{T: t, Cluster: started}
		c.client, err = dynamic.NewForConfig(started.ClientConfig(scenario.AdminUser))
		c.must(err)
		c.apply(crds)
		test(c)
	})
}

func (c cluster) must(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

// apply creates or updates the CRDs whose files match pattern, and waits until the API server uses them.
func (c cluster) apply(pattern string) {
	c.Helper()
	for _, crd := range readCRDs(c.T, pattern) {
		client := c.client.Resource(apiextensionsv1.SchemeGroupVersion.WithResource("customresourcedefinitions"))
		if live, err := client.Get(c.Context(), crd.GetName(), metav1.GetOptions{}); err == nil {
			crd.SetResourceVersion(live.GetResourceVersion())
			_, err = client.Update(c.Context(), crd, metav1.UpdateOptions{})
			c.must(err)
			continue
		}
		_, err := client.Create(c.Context(), crd, metav1.CreateOptions{})
		c.must(err)
	}
	c.must(c.Settle())
}

// resource returns the client of an object's kind.
func (c cluster) resource(object *unstructured.Unstructured) dynamic.ResourceInterface {
	resource, _ := meta.UnsafeGuessKindToResource(object.GroupVersionKind())
	return c.client.Resource(resource)
}

// create creates an object, with its status.
func (c cluster) create(object *unstructured.Unstructured) error {
	created, err := c.resource(object).Create(c.Context(), object.DeepCopy(), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	status, has := object.Object["status"]
	if !has {
		return nil
	}
	created.Object["status"] = runtime.DeepCopyJSONValue(status)
	_, err = c.resource(object).UpdateStatus(c.Context(), created, metav1.UpdateOptions{FieldValidation: metav1.FieldValidationStrict})
	return err
}

func readCRDs(t *testing.T, pattern string) []*unstructured.Unstructured {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) != 5 {
		t.Fatalf("%s matches %d files, want 5 (%v)", pattern, len(files), err)
	}
	var all []*unstructured.Unstructured
	for _, file := range files {
		all = append(all, readObjects(t, file, strings.NewReplacer())...)
	}
	return all
}

// schemas returns the schemas of the CRDs whose files match pattern, by kind. It returns the schema of each CRD's first version.
func schemas(t *testing.T, pattern string) map[string]apiextensionsv1.JSONSchemaProps {
	t.Helper()
	all := map[string]apiextensionsv1.JSONSchemaProps{}
	for _, each := range readCRDs(t, pattern) {
		crd := apiextensionsv1.CustomResourceDefinition{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(each.Object, &crd); err != nil {
			t.Fatal(err)
		}
		all[crd.Spec.Names.Kind] = *crd.Spec.Versions[0].Schema.OpenAPIV3Schema
	}
	return all
}

// readObjects returns the objects of a YAML file, after words replaced placeholders in its text.
func readObjects(t *testing.T, file string, words *strings.Replacer) (all []*unstructured.Unstructured) {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(content))); ; {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return all
		}
		object := &unstructured.Unstructured{}
		if err == nil {
			document, err = yaml.YAMLToJSON([]byte(words.Replace(string(document))))
		}
		if err == nil {
			err = object.UnmarshalJSON(document)
		}
		if err != nil {
			t.Fatal(fmt.Errorf("reading %s: %w", file, err))
		}
		all = append(all, object)
	}
}
