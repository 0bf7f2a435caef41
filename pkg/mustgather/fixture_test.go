package mustgather

import (
	"encoding/base64"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestAMustGatherIsRead reads a directory as oc adm must-gather writes it, and not-collected.yaml in it. It was made by hand.
func TestAMustGatherIsRead(t *testing.T) {
	const image = "quay-io-openshift-release-dev-ocp-v4-0-art-dev-sha256-0123456789abcdef"
	input, err := Read(os.DirFS("testdata/must-gather.local.1"), resourceOf)
	if err != nil {
		t.Fatal(err)
	}
	if input.Root() != image {
		t.Errorf("the root is %q", input.Root())
	}
	want := []string{
		`/v1/configmaps ConfigMap "demo/demo" from file "` + image + `/namespaces/demo/core/configmaps/demo.yaml"`,
		`/v1/namespaces Namespace "/demo" from file "` + image + `/namespaces/demo/demo.yaml"`,
		`/v1/secrets Secret "demo/demo" from items[0] of file "` + image + `/namespaces/demo/core/secrets.yaml"`,
		`config.openshift.io/v1/clusteroperators ClusterOperator "/platform-operators" from file "` + image +
			`/cluster-scoped-resources/config.openshift.io/clusteroperators/platform-operators.yaml"`,
		`config.openshift.io/v1/clusteroperators ClusterOperator "/storage" from items[1] of file "` + image +
			`/cluster-scoped-resources/config.openshift.io/clusteroperators.yaml"`,
		`platform.openshift.io/v1alpha1/platformoperators PlatformOperator "/demo" from file "` + image +
			`/cluster-scoped-resources/platform.openshift.io/platformoperators/demo.yaml"`,
		`rbac.authorization.k8s.io/v1/clusterroles ClusterRole "/system:demo" from file "` + image +
			`/cluster-scoped-resources/rbac.authorization.k8s.io/clusterroles/system:demo.yaml"`,
	}
	if diff := cmp.Diff(want, summary(input.Objects)); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
	for _, each := range input.Objects {
		if each.IsElided() != (each.GetKind() == "Secret") {
			t.Errorf("%s: elided is %t", each.subject(), each.IsElided())
		}
	}
	want = []string{
		`config.openshift.io/v1/clusteroperators ClusterOperator "/platform-operators" from items[0] of file "` + image +
			`/cluster-scoped-resources/config.openshift.io/clusteroperators.yaml"`,
	}
	if diff := cmp.Diff(want, summary(input.Superseded())); diff != "" {
		t.Errorf("superseded (-want +got):\n%s", diff)
	}
	want = []string{"must-gather.logs", image + "/event-filter.html", image + "/host_service_logs/", image + "/namespaces/demo/pods/",
		image + "/timestamp", image + "/version", "timestamp"}
	if diff := cmp.Diff(want, input.Ignored()); diff != "" {
		t.Errorf("ignored (-want +got):\n%s", diff)
	}
	clusterRoles, otherClusterRole := roles.GroupResource(), "system:other"
	if !input.NotCollected.Has(clusterRoles, "", otherClusterRole) {
		t.Errorf("ClusterRole %q counts as collected", otherClusterRole)
	}
}

func TestIsElided(t *testing.T) {
	encoded := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	for sentence, test := range map[string]struct {
		apiVersion, kind string
		data             any
		want             bool
	}{
		"a value that is a size":            {"v1", "Secret", map[string]any{"a": encoded("12 bytes long")}, true},
		"a size beside a certificate":       {"v1", "Secret", map[string]any{"a": encoded("0 bytes long"), "tls.crt": encoded("x")}, true},
		"a certificate only, which is kept": {"v1", "Secret", map[string]any{"ca.crt": encoded("x")}, false},
		"no values":                         {"v1", "Secret", map[string]any{}, false},
		"no data":                           {"v1", "Secret", nil, false},
		"a real value":                      {"v1", "Secret", map[string]any{"a": encoded("x")}, false},
		"a real value beside one that looks as a size": {"v1", "Secret", map[string]any{"a": encoded("1 bytes long"), "b": encoded("x")}, false},
		"a longer text":                 {"v1", "Secret", map[string]any{"a": encoded("12 bytes longer")}, false},
		"a value that is not base64":    {"v1", "Secret", map[string]any{"a": "12 bytes long"}, false},
		"a ConfigMap":                   {"v1", "ConfigMap", map[string]any{"a": encoded("12 bytes long")}, false},
		"a Secret of a different group": {"x.io/v1", "Secret", map[string]any{"a": encoded("12 bytes long")}, false},
	} {
		o := Object{Unstructured: &unstructured.Unstructured{Object: map[string]any{"apiVersion": test.apiVersion, "kind": test.kind,
			"data": test.data}}}
		if got := o.IsElided(); got != test.want {
			t.Errorf("%s: %t, want %t", sentence, got, test.want)
		}
	}
}

func TestElide(t *testing.T) {
	secret := func() *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "Secret",
			"metadata": map[string]any{"annotations": map[string]any{
				"kubectl.kubernetes.io/last-applied-configuration": "secret", "openshift.io/token-secret.value": "secret", "other": "kept",
			}},
			"data":       map[string]any{"a": "c2VjcmV0", "tls.crt": "Y2VydA==", "ca.crt": "not base64"},
			"stringData": map[string]any{"b": "secret"},
		}}
	}
	want := map[string]any{
		"apiVersion": "v1", "kind": "Secret",
		"metadata": map[string]any{"annotations": map[string]any{
			"kubectl.kubernetes.io/last-applied-configuration": "", "openshift.io/token-secret.value": "", "other": "kept",
		}},
		// "6 bytes long" and "7 bytes long"
		"data":       map[string]any{"a": "NiBieXRlcyBsb25n", "tls.crt": "Y2VydA==", "ca.crt": "MCBieXRlcyBsb25n"},
		"stringData": map[string]any{"b": "6 bytes long"},
	}
	elided := secret()
	Elide(elided)
	if diff := cmp.Diff(want, elided.Object); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !(Object{Unstructured: elided}).IsElided() {
		t.Error("the Secret does not count as elided")
	}
	other := secret()
	other.SetKind("ConfigMap")
	before := other.DeepCopy()
	Elide(other)
	if diff := cmp.Diff(before.Object, other.Object); diff != "" {
		t.Errorf("a ConfigMap was changed:\n%s", diff)
	}
}
