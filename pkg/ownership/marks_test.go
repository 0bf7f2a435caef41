package ownership

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	labels   = `"labels":{"core.rukpak.io/owner-kind":"BundleDeployment","core.rukpak.io/owner-name":"memo"}`
	records  = `"managedFields":[{"manager":"kubectl"},{"manager":"platform-operators/memo"},{"manager":"platform-operators/memo","subresource":"status"},{"manager":"platform-operators/"},{}]`
	tied     = `"ownerReferences":[{"apiVersion":"core.rukpak.io/v1alpha2","kind":"BundleDeployment","name":"memo"},{"apiVersion":"v1","kind":"BundleDeployment","name":"other"}]`
	orphaned = `"annotations":{"platform.openshift.io/orphaned-from":"memo-package"}`
)

func objectOf(t testing.TB, text string) *unstructured.Unstructured {
	t.Helper()
	live := &unstructured.Unstructured{}
	if err := live.UnmarshalJSON([]byte(text)); err != nil {
		t.Fatalf("reading %s: %v", text, err)
	}
	return live
}

func TestHRD_S2_MarksOf(t *testing.T) {
	const configMap, definition = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{`, `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{`
	for name, c := range map[string]struct {
		live string
		want Marks
	}{
		"nothing":                          {configMap + `"name":"a"}}`, Marks{}},
		"all of it, each once":             {configMap + labels + "," + records + "," + tied + "}}", Marks{Label: "memo", Managers: []string{"memo"}, References: []string{"memo"}}},
		"labels of another kind of owner":  {configMap + `"labels":{"core.rukpak.io/owner-kind":"Other","core.rukpak.io/owner-name":"memo"}}}`, Marks{}},
		"the mark of a kept definition":    {definition + orphaned + "}}", Marks{OrphanedFrom: "package/memo-package"}},
		"that of a BundleDeployment":       {definition + `"annotations":{"platform.openshift.io/orphaned-from":"bundledeployment/memo"}}}`, Marks{OrphanedFrom: "bundledeployment/memo"}},
		"the mark on anything else":        {configMap + orphaned + "}}", Marks{}},
		"a record of a subresource only":   {configMap + `"managedFields":[{"manager":"platform-operators/memo","subresource":"scale"}]}}`, Marks{}},
		"a record that nobody could write": {configMap + `"managedFields":[1,"x",{"manager":2},{"manager":"platform-operators/memo"}]}}`, Marks{Managers: []string{"memo"}}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, MarksOf(objectOf(t, c.live))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestBelongsToItsController(t *testing.T) {
	operator := &metav1.ObjectMeta{Name: "memo", UID: "operator"}
	yes, no := true, false
	for name, c := range map[string]struct {
		references []metav1.OwnerReference
		want       bool
	}{
		"nobody's":                {nil, false},
		"its own":                 {[]metav1.OwnerReference{{UID: "operator", Controller: &yes}}, true},
		"of an earlier one":       {[]metav1.OwnerReference{{UID: "earlier", Controller: &yes}}, false},
		"referred to by it, only": {[]metav1.OwnerReference{{UID: "operator", Controller: &no}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := BelongsTo(&metav1.ObjectMeta{Name: "memo", OwnerReferences: c.references}, operator); got != c.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

func FuzzHRD_S2_MarksOf(f *testing.F) {
	for _, metadata := range []string{labels, records, tied, orphaned, labels + "," + records, `"managedFields":{}`, `"ownerReferences":[{}]`, `"labels":{"a":1}`} {
		f.Add([]byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{` + metadata + `}}`))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		live := &unstructured.Unstructured{}
		if live.UnmarshalJSON(text) != nil {
			return
		}
		before := live.DeepCopy()
		marks := MarksOf(live)
		owner, owned := marks.Owner()
		if owned != (owner != "") || owned && owner != marks.Label && !slices.Contains(marks.Managers, owner) {
			t.Errorf("%q, %v of %+v", owner, owned, marks)
		}
		if slices.Contains(marks.Managers, "") {
			t.Errorf("a manager without a name: %+v", marks)
		}
		if !cmp.Equal(before.Object, live.Object) {
			t.Error("reading the marks changed the object")
		}
	})
}
