package apply

import (
	"encoding/json"
	"errors"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// serving gives the worker of resting a server that has one live object, and collects what is applied to it.
func serving(t *testing.T, live *unstructured.Unstructured) (worker, *[]map[string]any) {
	t.Helper()
	w, _ := resting(t, 0)
	client := dynamicfake.NewSimpleDynamicClient(runtime.NewScheme(), live)
	applied := &[]map[string]any{}
	client.PrependReactor("patch", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		patch, _ := action.(clienttesting.PatchAction)
		body := map[string]any{}
		if err := json.Unmarshal(patch.GetPatch(), &body); err != nil {
			t.Errorf("a patch is no object: %v", err)
		}
		*applied = append(*applied, body)
		after := live.DeepCopy()
		after.SetResourceVersion("100")
		if data, ok := body["data"]; ok {
			after.Object["data"] = data
		}
		return true, after, nil
	})
	w.Engine.client = client
	w.place.apiResource = apiResource{schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}, true}
	w.options.Trusted = false
	return w, applied
}

// under gives the worker of a call with other options, as Apply makes it.
func (w worker) under(options Options) worker {
	w.options, w.rules = options, rulesOf(options)
	w.pass = &pass{clock: w.clock}
	return w
}

func TestWhatWasChangedWhilePausedIsPutBackAfterwards(t *testing.T) {
	declared := object(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: ns}, data: {a: x}}`)
	entry, err := newItem(Owner{Name: "memo"}, declared)
	if err != nil {
		t.Fatal(err)
	}
	settled := entry.declared()
	settled.SetResourceVersion("1")
	owned(settled, ours, `{"f:metadata":{"f:labels":{"f:core.rukpak.io/owner-kind":{},"f:core.rukpak.io/owner-name":{}}},"f:data":{"f:a":{}}}`)
	evil := entry.declared()
	evil.SetResourceVersion("2")
	if err := unstructured.SetNestedField(evil.Object, "evil", "data", "a"); err != nil {
		t.Fatal(err)
	}
	owned(evil, ours, `{"f:metadata":{"f:labels":{"f:core.rukpak.io/owner-kind":{},"f:core.rukpak.io/owner-name":{}}}}`)
	owned(evil, "kubectl-edit", `{"f:data":{"f:a":{}}}`)
	w, applied := serving(t, evil)

	store(t, w.cache, settled)
	if got := w.under(Options{Trusted: true}).bring(t.Context(), entry); got.err != nil || got.updated {
		t.Fatalf("what is as declared was updated: %v, %v", got.updated, got.err)
	}
	store(t, w.cache, evil)
	if got := w.under(Options{ReadOnly: true}).bring(t.Context(), entry); got.err != nil || got.updated || len(*applied) > 0 {
		t.Fatalf("something was written while paused: %v, %v", *applied, got.err)
	}
	if got := w.under(Options{}).bring(t.Context(), entry); got.err != nil || !got.repaired || len(*applied) == 0 {
		t.Errorf("what was changed while paused stays: repaired %v, error %v, applied %v", got.repaired, got.err, *applied)
	}
}

func TestWhatALaterRevisionDoesNotDeclareGoesAlthoughItWasLookedAtWhilePaused(t *testing.T) {
	owner := Owner{Name: "memo"}
	older, err := newItem(owner, object(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: ns}, data: {a: x, b: old}}`))
	if err != nil {
		t.Fatal(err)
	}
	newer, err := newItem(owner, object(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: ns}, data: {a: x}}`))
	if err != nil {
		t.Fatal(err)
	}
	live := older.declared()
	live.SetResourceVersion("1")
	owned(live, ours, `{"f:metadata":{"f:labels":{"f:core.rukpak.io/owner-kind":{},"f:core.rukpak.io/owner-name":{}}},"f:data":{"f:a":{},"f:b":{}}}`)
	w, applied := serving(t, live)
	store(t, w.cache, live)
	w.under(Options{Trusted: true}).bring(t.Context(), older)
	if got := w.under(Options{ReadOnly: true}).bring(t.Context(), newer); got.err != nil || len(*applied) > 0 {
		t.Fatalf("something was written while paused: %v, %v", *applied, got.err)
	}
	if got := w.under(Options{}).bring(t.Context(), newer); got.err != nil || len(*applied) == 0 {
		t.Errorf("the newer revision was never applied, and its predecessor's fields stay: %v", got.err)
	}
}

// A write that arrives after the next process has written the object has an older version, and conflicts.
func TestHRD_G4_AnApplyNamesTheVersionThatItIsFor(t *testing.T) {
	entry, err := newItem(Owner{Name: "memo"}, object(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: ns}, data: {a: x}}`))
	if err != nil {
		t.Fatal(err)
	}
	live := entry.declared()
	live.SetResourceVersion("7")
	live.SetUID("uid")
	live.Object["data"] = map[string]any{"a": "evil"}
	owned(live, ours, `{"f:metadata":{"f:labels":{"f:core.rukpak.io/owner-kind":{},"f:core.rukpak.io/owner-name":{}}}}`)
	owned(live, "kubectl-edit", `{"f:data":{"f:a":{}}}`)
	w, applied := serving(t, live)
	store(t, w.cache, live)
	if got := w.under(Options{}).bring(t.Context(), entry); got.err != nil || len(*applied) != 1 {
		t.Fatalf("applied %v, error %v", *applied, got.err)
	}
	metadata, _ := (*applied)[0]["metadata"].(map[string]any)
	if metadata["resourceVersion"] != "7" || metadata["uid"] != "uid" {
		t.Errorf("sent for %v", metadata)
	}
}

func TestIgnoredFieldsAreSentOnlyToTheStateTheyWereReadFrom(t *testing.T) {
	owner := Owner{Name: "memo"}
	entry, err := newItem(owner, object(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: ns}, data: {a: x, b: "1"}}`))
	if err != nil {
		t.Fatal(err)
	}
	live := entry.declared()
	live.SetResourceVersion("7")
	live.SetUID("uid")
	live.Object["data"] = map[string]any{"a": "evil", "b": "5"}
	owned(live, ours, `{"f:metadata":{"f:labels":{"f:core.rukpak.io/owner-kind":{},"f:core.rukpak.io/owner-name":{}}}}`)
	owned(live, "autoscaler", `{"f:data":{"f:a":{},"f:b":{}}}`)
	for name, c := range map[string]struct {
		drift corev1alpha2.Drift
		want  map[string]any
	}{
		"without ignored fields a status update in between does no harm": {corev1alpha2.Drift{}, map[string]any{"b": "1", "resourceVersion": "8", "uid": "uid"}},
		"a value that others may have changed meanwhile is not written back over theirs": {
			corev1alpha2.Drift{Ignore: []corev1alpha2.DriftIgnore{{JSONPointers: []string{"/data/b"}}}}, map[string]any{"b": "5", "resourceVersion": "7", "uid": "uid"}},
	} {
		t.Run(name, func(t *testing.T) {
			w, applied := serving(t, live)
			store(t, w.cache, live)
			client := w.Engine.client.(*dynamicfake.FakeDynamicClient)
			newer := live.DeepCopy() // its status was updated once it was read
			newer.SetResourceVersion("8")
			attempts := 0
			client.PrependReactor("patch", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
				if attempts++; attempts > 1 || len(c.drift.Ignore) > 0 {
					return false, nil, nil
				}
				if err := client.Tracker().Update(action.GetResource(), newer, "ns"); err != nil {
					t.Error(err)
				}
				return true, nil, apierrors.NewConflict(action.GetResource().GroupResource(), "c", errors.New("it has changed"))
			})
			if got := w.under(Options{Drift: c.drift}).bring(t.Context(), entry); got.err != nil || len(*applied) != 1 {
				t.Fatalf("applied %v, error %v", *applied, got.err)
			}
			sent := (*applied)[0]
			data, _ := sent["data"].(map[string]any)
			metadata, _ := sent["metadata"].(map[string]any)
			if data["b"] != c.want["b"] || metadata["resourceVersion"] != c.want["resourceVersion"] || metadata["uid"] != c.want["uid"] {
				t.Errorf("sent %v", sent)
			}
		})
	}
}
