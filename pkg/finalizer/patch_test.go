package finalizer

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// test/parity/requests/customresources.yaml has the answers of a kube-apiserver to such patches.
func TestAPatchHasOnlyResourceVersionAndFinalizers(t *testing.T) {
	object := &metav1.ObjectMeta{
		Name: "a", UID: "1", ResourceVersion: "7", Generation: 3,
		Labels: map[string]string{"b": "c"}, Finalizers: []string{"ours", "example.com/mine"},
	}
	for name, test := range map[string]struct {
		finalizers []string
		want       string
	}{
		"several":       {[]string{"example.com/mine", "ours"}, `{"metadata":{"finalizers":["example.com/mine","ours"],"resourceVersion":"7"}}`},
		"one":           {[]string{"example.com/mine"}, `{"metadata":{"finalizers":["example.com/mine"],"resourceVersion":"7"}}`},
		"an empty list": {[]string{}, `{"metadata":{"finalizers":[],"resourceVersion":"7"}}`},
		"nil":           {nil, `{"metadata":{"finalizers":null,"resourceVersion":"7"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := MergePatch(object, test.finalizers)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != test.want {
				t.Errorf("the patch is %s, want %s", got, test.want)
			}
		})
	}
}
