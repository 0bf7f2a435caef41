package scenarios

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/pkg/scenario/generate"
	"github.com/openshift/platform-operators/pkg/scenario/story"
	"github.com/openshift/platform-operators/test/environment"
)

// shippedDefinitions returns the CustomResourceDefinitions of the payload.
func shippedDefinitions() ([]*apiextensionsv1.CustomResourceDefinition, error) {
	root, err := environment.Root()
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(root, "manifests", "*.crd.yaml"))
	if err != nil {
		return nil, err
	}
	var definitions []*apiextensionsv1.CustomResourceDefinition
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		definition := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.Unmarshal(content, definition); err != nil {
			return nil, fmt.Errorf("reading %s: %w", file, err)
		}
		definitions = append(definitions, definition)
	}
	return definitions, nil
}

// shippedKinds returns the kinds of the payload, with the values in folder values.
func shippedKinds() ([]*generate.Kind, error) {
	definitions, err := shippedDefinitions()
	if err != nil {
		return nil, err
	}
	kinds := make([]*generate.Kind, 0, len(definitions))
	for _, definition := range definitions {
		file := filepath.Join("values", strings.ToLower(definition.Spec.Names.Kind)+".yaml")
		kind, err := generate.ReadKind(file, definitions)
		if err != nil {
			return nil, err
		}
		kinds = append(kinds, kind)
	}
	return kinds, nil
}

// Each spec field of each kind has a valid and an invalid value for generated stories, or a reason why it has none: ReadKind checks this.
func TestEachFieldHasValues(t *testing.T) {
	kinds, err := shippedKinds()
	if err != nil {
		t.Fatal(err)
	}
	if len(kinds) != 5 {
		t.Errorf("the payload has %d kinds, want 5", len(kinds))
	}
	for _, kind := range kinds {
		values := map[generate.Class]int{}
		for _, field := range kind.Fields {
			for _, value := range field.Values {
				values[value.Class]++
			}
		}
		t.Logf("%s: %d leaves, %v, %d omitted", kind.GroupVersionKind.Kind, len(kind.Leaves), values, len(kind.Omitted))
	}
}

// The API server accepts each valid or reported value in the base object of its kind, and refuses each refused value.
func TestTheAPIServerTreatsEachValueAsItsClassSays(t *testing.T) {
	kinds, err := shippedKinds()
	if err != nil {
		t.Fatal(err)
	}
	RunFrom(t, Origin{Offer: sampleWriter(defaultOperators), NoManager: true}, func(s *Story) {
		client, err := dynamic.NewForConfig(s.ClientConfig(scenario.AdminUser))
		s.must(err)
		for _, kind := range kinds {
			if err := deleteBase(s.Context(), client, kind); err != nil {
				t.Fatal(err)
			}
			for _, field := range kind.Fields {
				for _, value := range field.Values {
					if err := checkValue(s.Context(), client, kind, field.Path, value); err != nil {
						t.Error(err)
					}
				}
			}
		}
	})
}

// deleteBase deletes the object with the name of the base object, if it exists. The payload has created some of them.
func deleteBase(ctx context.Context, client dynamic.Interface, kind *generate.Kind) error {
	objects, err := client.Resource(kind.Resource).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, each := range objects.Items {
		if each.GetName() != kind.Name() {
			continue
		}
		if err := client.Resource(kind.Resource).Delete(ctx, kind.Name(), metav1.DeleteOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// checkValue creates the base object with the value in a dry run. It returns an error if the API server accepts a refused value, or refuses
// a valid or reported one.
func checkValue(ctx context.Context, client dynamic.Interface, kind *generate.Kind, path generate.Path, value generate.Value) error {
	object := &unstructured.Unstructured{Object: kind.Base()}
	if err := kind.Set(object.Object, path, value.Value); err != nil {
		return err
	}
	_, err := client.Resource(kind.Resource).Create(ctx, object, metav1.CreateOptions{
		DryRun: []string{metav1.DryRunAll}, FieldValidation: metav1.FieldValidationStrict,
	})
	isRefused := story.IsRefused(err)
	if isRefused == (value.Class == generate.Refused) && (err == nil || isRefused) {
		return nil
	}
	if err == nil {
		err = errors.New("the API server accepts it")
	}
	return fmt.Errorf("%s: a value of %s is in class %s, but: %w; correct the class in test/scenarios/values:\n%v",
		kind.GroupVersionKind.Kind, path, value.Class, err, value.Value)
}
