package bundle

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

func TestADefinitionIsReadFromItsCustomResourceDefinition(t *testing.T) {
	versions := `[{name: v1alpha1, served: false}, {name: v1beta1, served: true}, {name: v1, served: true}]`
	crd := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(`{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: memos.example.com},
		spec: {group: example.com, scope: Namespaced, names: {plural: memos, kind: Memo}, versions: `+versions+`}}`), &crd.Object); err != nil {
		t.Fatal(err)
	}
	want := Definition{Kind: schema.GroupKind{Group: "example.com", Kind: "Memo"}, Plural: "memos", Scope: ScopeNamespaced, Served: []string{"v1beta1", "v1"}}
	if diff := cmp.Diff(want, DefinitionOf(crd)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	nonsense := &unstructured.Unstructured{Object: map[string]any{"spec": "nonsense"}}
	if diff := cmp.Diff(Definition{}, DefinitionOf(nonsense)); diff != "" {
		t.Errorf("of nonsense (-want +got):\n%s", diff)
	}
}
