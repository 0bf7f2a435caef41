package livecache

import (
	"crypto/sha256"
	"embed"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/openshift/platform-operators/pkg/drift"
)

// recordings has the recorded objects. They are embedded instead of opened, so that the go command can use a cached test result in every
// checkout: the paths of opened files are part of the cache key.
//
//go:embed testdata/live
var recordings embed.FS

// recorded returns an object of a sample operator as an API server returned it. "-posted" objects were read after the manager's POST.
// "-edited" objects were read after users and controllers had changed them: by "kubectl scale", "rollout restart", "label" and "set image".
// For them, "adder" also patched a container, a toleration, a port and the selector of a Service.
func recorded(t testing.TB, name string) *unstructured.Unstructured {
	t.Helper()
	content, err := recordings.ReadFile("testdata/live/" + name + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, string(content))
}

const (
	recordedLabels     = `app: memo, core.rukpak.io/owner-kind: BundleDeployment, core.rukpak.io/owner-name: memo`
	recordedDeployment = `{apiVersion: apps/v1, kind: Deployment, metadata: {name: memo, namespace: memo, labels: {` + recordedLabels + `}}, spec: {
		revisionHistoryLimit: 1, selector: {matchLabels: {app: memo}}, template: {
			metadata: {annotations: {olm.operatorNamespace: memo, olm.targetNamespaces: "", operatorframework.io/suggested-namespace: memo}, labels: {app: memo}},
			spec: {serviceAccountName: memo, containers: [{name: manager, image: "samples.invalid/memo:1.0.0",
				env: [{name: OPERATOR_CONDITION_NAME, value: memo.v1.0.0}], resources: {requests: {cpu: 0.001, memory: 8Mi}}}]}}}}`
	recordedService = `{apiVersion: v1, kind: Service, metadata: {name: memo-metrics, namespace: memo, labels: {core.rukpak.io/owner-kind: BundleDeployment, core.rukpak.io/owner-name: memo}},
		spec: {selector: {app: memo}, ports: [{name: metrics, port: 8443, targetPort: 8443}]}}`
	recordedAccount = `{apiVersion: v1, kind: ServiceAccount, metadata: {name: memo, namespace: memo, labels: {core.rukpak.io/owner-kind: BundleDeployment, core.rukpak.io/owner-name: memo}}}`
)

func TestWhatAnAPIServerRecordedIsReadAsItHappened(t *testing.T) {
	cases := map[string]struct {
		declared, live string
		trust          drift.Trust
		edited, added  []string
	}{
		"a Deployment as it was posted, with a quantity that the API server writes in its own way": {
			declared: strings.Replace(recordedDeployment, "cpu: 0.001", `cpu: "0.001"`, 1), live: "deployment-posted", trust: drift.WrittenBefore,
		},
		"a Service as it was posted": {declared: recordedService, live: "service-posted"},
		"a Deployment that users changed": {
			declared: strings.Replace(recordedDeployment, "cpu: 0.001", "cpu: 1m", 1), live: "deployment-edited",
			edited: []string{"/spec/template/spec/containers/0/image by kubectl-set"},
			added: []string{
				`/metadata/labels/users by kubectl-label`,
				`/spec/template/metadata/annotations/kubectl.kubernetes.io~1restartedAt by kubectl-rollout`,
				`/spec/template/spec/containers/[name="sidecar"] by adder`,
				`/spec/template/spec/tolerations by adder`,
			},
		},
		"a Service with another selector and one port more": {
			declared: recordedService, live: "service-edited",
			edited: []string{"/spec/selector by adder"},
			added:  []string{`/spec/ports/[port=9999,protocol="TCP"] by adder`},
		},
		"a ServiceAccount that OpenShift gave a pull secret": {declared: recordedAccount, live: "serviceaccount-edited"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			live, err := packed(t, recorded(t, c.live)).Object()
			if err != nil {
				t.Fatal(err)
			}
			compare, declared := drift.Comparison{Manager: ourManager, Trust: c.trust}, parse(t, c.declared)
			var edited, added []string
			for _, each := range compare.Attributed(compare.Differences(declared, live), live) {
				edited = append(edited, each.Path+" by "+each.Manager)
			}
			byPath := map[string]string{}
			found := compare.Additions(declared, live)
			for _, each := range found {
				byPath[each.Path] = each.Manager
			}
			for _, path := range slices.Sorted(maps.Keys(byPath)) {
				added = append(added, path+" by "+byPath[path])
			}
			if diff := cmp.Diff(c.edited, edited); diff != "" {
				t.Errorf("edited (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.added, added); diff != "" {
				t.Errorf("added (-want +got):\n%s", diff)
			}
		})
	}
}

// packed returns an object as the cache stores it, compressed.
func packed(t testing.TB, live *unstructured.Unstructured) *Live {
	t.Helper()
	kept, err := NewLive(live)
	if err == nil {
		err = kept.compress()
	}
	if err != nil {
		t.Fatal(err)
	}
	return kept
}

// heapOf returns the average heap size of one value, in bytes, measured with count values.
func heapOf(t testing.TB, count int, one func() any) int {
	t.Helper()
	var before, after runtime.MemStats
	all := make([]any, count)
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range all {
		all[i] = one()
	}
	runtime.GC()
	runtime.GC() // pooled values survive the first collection
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(all)
	return int(after.HeapAlloc-before.HeapAlloc) / count
}

func TestWhatIsKeptOfAnObjectIsAFractionOfIt(t *testing.T) {
	for _, name := range []string{"deployment-edited", "service-edited", "crd-posted"} {
		t.Run(name, func(t *testing.T) {
			live := recorded(t, name)
			encoded, err := live.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			decoded := heapOf(t, 500, func() any {
				each := &unstructured.Unstructured{}
				if err := each.UnmarshalJSON(encoded); err != nil {
					t.Fatal(err)
				}
				return each
			})
			kept := heapOf(t, 500, func() any {
				each := &unstructured.Unstructured{}
				if err := each.UnmarshalJSON(encoded); err != nil {
					t.Fatal(err)
				}
				return packed(t, each)
			})
			t.Logf("%s: %d bytes of JSON, %d decoded, %d kept", name, len(encoded), decoded, kept)
			if kept > decoded/3 {
				t.Errorf("%s: %d bytes are kept of an object that takes %d", name, kept, decoded)
			}
		})
	}
}

func TestOnlyWhatTellsSomethingNewWakesAnOwner(t *testing.T) {
	state := func(change func(*unstructured.Unstructured)) *Live {
		live := recorded(t, "deployment-edited")
		change(live)
		return packed(t, live)
	}
	before := state(func(*unstructured.Unstructured) {})
	set := func(value any, path ...string) func(*unstructured.Unstructured) {
		return func(live *unstructured.Unstructured) {
			live.SetResourceVersion("999999")
			if err := unstructured.SetNestedField(live.Object, value, path...); err != nil {
				t.Fatal(err)
			}
		}
	}
	cases := map[string]struct {
		change func(*unstructured.Unstructured)
		same   bool
	}{
		"a number in status that does not change its health": {change: set(int64(5), "status", "terminatingReplicas"), same: true},
		"a status that makes it unready":                     {change: set(int64(0), "status", "availableReplicas")},
		"a field":                                            {change: set(int64(5), "spec", "minReadySeconds")},
		"a label":                                            {change: set("x", "metadata", "labels", "x")},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if same := before.isEquivalent(state(c.change)); same != c.same {
				t.Errorf("it is the same: %v, want %v", same, c.same)
			}
		})
	}
}

func BenchmarkNewLive(b *testing.B) {
	for _, name := range []string{"deployment-edited", "service-edited", "crd-posted"} {
		live := recorded(b, name)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				packed(b, live)
			}
		})
	}
}

func TestDigestIgnoresWhatApplyingDoesNotConcern(t *testing.T) {
	state := func(version, status, image string) *unstructured.Unstructured {
		return owned(parse(t, `{apiVersion: v1, kind: X, metadata: {name: c, resourceVersion: "`+version+`", generation: `+version+`}, spec: {image: `+image+`}, status: {ready: `+status+`}}`),
			"platform-operators/memo", `{"f:spec":{"f:image":{}}}`)
	}
	digestOf := func(live *unstructured.Unstructured) [sha256.Size]byte {
		kept, err := NewLive(live)
		if err != nil {
			t.Fatal(err)
		}
		return kept.Digest
	}
	if digestOf(state("1", "0", "a")) != digestOf(state("2", "1", "a")) {
		t.Error("a status update changes the digest")
	}
	if digestOf(state("1", "0", "a")) == digestOf(state("1", "0", "b")) {
		t.Error("a change of the spec does not change the digest")
	}
	if digestOf(state("1", "0", "a")) == digestOf(owned(state("1", "0", "a"), "kubectl", `{"f:spec":{}}`)) {
		t.Error("a change of who owns what does not change the digest")
	}
}
