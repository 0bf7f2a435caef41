package resolve

import (
	"encoding/json"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

func TestHRD_S6_AnEmptyListIsNotTheDefault(t *testing.T) {
	for name, test := range map[string]struct {
		manager, pkg string
		words        []string // that the error must contain; nil if there is no error
	}{
		"unset":                          {`{}`, `{"name":"quay"}`, nil},
		"null, which counts as unset":    {`{"allowedPackages":null,"catalogNamespaces":null}`, `{"name":"quay","channels":null}`, nil},
		"lists with items":               {`{"allowedPackages":["quay"],"catalogNamespaces":["mine"]}`, `{"name":"quay","channels":["stable"]}`, nil},
		"no package is allowed":          {`{"allowedPackages":[]}`, `{"name":"quay"}`, []string{"spec.allowedPackages", `PlatformOperatorManager "cluster"`, "allows no package", `'{"spec":{"allowedPackages":null}}'`}},
		"no namespace is trusted":        {`{"catalogNamespaces":[]}`, `{"name":"quay"}`, []string{"spec.catalogNamespaces", "trusts no catalog", `"openshift-marketplace"`, `'{"spec":{"catalogNamespaces":null}}'`}},
		"no channel is selected":         {`{}`, `{"name":"quay","channels":[]}`, []string{"spec.package.channels", `PlatformOperator "registry"`, `kubectl patch platformoperator registry --type merge -p '{"spec":{"package":{"channels":null}}}'`}},
		"the cluster's list comes first": {`{"catalogNamespaces":[]}`, `{"name":"quay","channels":[]}`, []string{"spec.catalogNamespaces"}},
	} {
		t.Run(name, func(t *testing.T) {
			operator := &platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: "registry"}}
			manager := operatorv1alpha1.PlatformOperatorManagerSpec{}
			for text, into := range map[string]any{test.manager: &manager, test.pkg: &operator.Spec.Package} {
				if err := json.Unmarshal([]byte(text), into); err != nil {
					t.Fatal(err)
				}
			}
			// The manager works with copies of decoded objects, and writes PlatformOperators back.
			copied := operator.DeepCopy()
			again, err := json.Marshal(copied)
			if err != nil {
				t.Fatal(err)
			}
			written := &platformv1alpha1.PlatformOperator{}
			if err := json.Unmarshal(again, written); err != nil {
				t.Fatal(err)
			}
			for _, each := range []*platformv1alpha1.PlatformOperator{operator, copied, written} {
				_, err := RequestFor(each, "", Cluster{Manager: *manager.DeepCopy()})
				if (err != nil) != (len(test.words) > 0) {
					t.Fatalf("RequestFor returned error %v", err)
				}
				for _, word := range test.words {
					if !strings.Contains(err.Error(), word) {
						t.Errorf("the error does not contain %q: %v", word, err)
					}
				}
			}
		})
	}
}
