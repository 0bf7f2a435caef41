package teardown

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/openshift/platform-operators/pkg/apply/object"
)

func TestLeftoversAreTakenDownInOrder(t *testing.T) {
	role := *parse(t, `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: "platform-operators:memo:custom-resources"}}`)
	cases := map[string]struct {
		found []unstructured.Unstructured
		want  []string
	}{
		"the role goes last while it is needed": {
			found: []unstructured.Unstructured{role, *parse(t, crdText), configMap(t, "a")},
			want: []string{
				"prerequisites: ClusterRole platform-operators:memo:custom-resources", "prerequisites: Namespace memo",
				"crds: CustomResourceDefinition memos.example.com", "config: ConfigMap memo/a",
			},
		},
		"the role goes when its definitions have gone": {
			found: []unstructured.Unstructured{role},
			want:  []string{"prerequisites: Namespace memo", "rbac: ClusterRole platform-operators:memo:custom-resources"},
		},
		"nothing is left but perhaps the namespace": {want: []string{"prerequisites: Namespace memo"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			set, err := leftoverSet(object.Owner{Name: "memo"}, "memo", c.found)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, layout(set)); diff != "" {
				t.Errorf("phases (-want +got):\n%s", diff)
			}
		})
	}
}
