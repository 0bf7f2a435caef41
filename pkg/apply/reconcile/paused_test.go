package reconcile

import (
	"encoding/json"
	"errors"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply/identity"
	"github.com/openshift/platform-operators/pkg/apply/object"
)

// serving returns the options of a call on a server with one live object, and the objects that are applied to it.
func serving(t *testing.T, live *unstructured.Unstructured) (Options, *[]map[string]any) {
	t.Helper()
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
	options := memoOptions()
	options.As = identity.Identity{Dynamic: client}
	return options, applied
}

// trusted and readOnly return the options with Trusted or ReadOnly set.
func (o Options) trusted() Options  { o.Trusted = true; return o }
func (o Options) readOnly() Options { o.ReadOnly = true; return o }

func TestWhatWasChangedWhilePausedIsRevertedAfterwards(t *testing.T) {
	declared := parse(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: ns}, data: {a: x}}`)
	desired, err := object.NewDesired(object.Owner{Name: "memo"}, declared)
	if err != nil {
		t.Fatal(err)
	}
	settled := desired.Object()
	settled.SetResourceVersion("1")
	owned(settled, ours, `{"f:metadata":{"f:labels":{"f:core.rukpak.io/owner-kind":{},"f:core.rukpak.io/owner-name":{}}},"f:data":{"f:a":{}}}`)
	evil := desired.Object()
	evil.SetResourceVersion("2")
	if err := unstructured.SetNestedField(evil.Object, "evil", "data", "a"); err != nil {
		t.Fatal(err)
	}
	owned(evil, ours, `{"f:metadata":{"f:labels":{"f:core.rukpak.io/owner-kind":{},"f:core.rukpak.io/owner-name":{}}}}`)
	owned(evil, "kubectl-edit", `{"f:data":{"f:a":{}}}`)
	options, applied := serving(t, evil)
	resource := cachedConfigMaps(t)

	store(t, resource, settled)
	if got := New(options.trusted()).Reconcile(t.Context(), desired, resource); got.Err != nil || got.Updated {
		t.Fatalf("what is as declared was updated: %v, %v", got.Updated, got.Err)
	}
	store(t, resource, evil)
	if got := New(options.readOnly()).Reconcile(t.Context(), desired, resource); got.Err != nil || got.Updated || len(*applied) > 0 {
		t.Fatalf("something was written while paused: %v, %v", *applied, got.Err)
	}
	if got := New(options).Reconcile(t.Context(), desired, resource); got.Err != nil || !got.Repaired || len(*applied) == 0 {
		t.Errorf("what was changed while paused stays: repaired %v, error %v, applied %v", got.Repaired, got.Err, *applied)
	}
}

func TestWhatALaterRevisionDoesNotDeclareGoesAlthoughItWasLookedAtWhilePaused(t *testing.T) {
	owner := object.Owner{Name: "memo"}
	older, err := object.NewDesired(owner, parse(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: ns}, data: {a: x, b: old}}`))
	if err != nil {
		t.Fatal(err)
	}
	newer, err := object.NewDesired(owner, parse(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: ns}, data: {a: x}}`))
	if err != nil {
		t.Fatal(err)
	}
	live := older.Object()
	live.SetResourceVersion("1")
	owned(live, ours, `{"f:metadata":{"f:labels":{"f:core.rukpak.io/owner-kind":{},"f:core.rukpak.io/owner-name":{}}},"f:data":{"f:a":{},"f:b":{}}}`)
	options, applied := serving(t, live)
	resource := cachedConfigMaps(t)
	store(t, resource, live)
	New(options.trusted()).Reconcile(t.Context(), older, resource)
	if got := New(options.readOnly()).Reconcile(t.Context(), newer, resource); got.Err != nil || len(*applied) > 0 {
		t.Fatalf("something was written while paused: %v, %v", *applied, got.Err)
	}
	if got := New(options).Reconcile(t.Context(), newer, resource); got.Err != nil || len(*applied) == 0 {
		t.Errorf("the newer revision was never applied, and its predecessor's fields stay: %v", got.Err)
	}
}

// TestHRD_G4_AnApplyNamesTheVersionThatItIsFor shows that an apply has the resourceVersion that was read. So a late write conflicts after
// the next process has written the object.
func TestHRD_G4_AnApplyNamesTheVersionThatItIsFor(t *testing.T) {
	desired, err := object.NewDesired(object.Owner{Name: "memo"}, parse(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: ns}, data: {a: x}}`))
	if err != nil {
		t.Fatal(err)
	}
	live := desired.Object()
	live.SetResourceVersion("7")
	live.SetUID("uid")
	live.Object["data"] = map[string]any{"a": "evil"}
	owned(live, ours, `{"f:metadata":{"f:labels":{"f:core.rukpak.io/owner-kind":{},"f:core.rukpak.io/owner-name":{}}}}`)
	owned(live, "kubectl-edit", `{"f:data":{"f:a":{}}}`)
	options, applied := serving(t, live)
	resource := cachedConfigMaps(t)
	store(t, resource, live)
	if got := New(options).Reconcile(t.Context(), desired, resource); got.Err != nil || len(*applied) != 1 {
		t.Fatalf("applied %v, error %v", *applied, got.Err)
	}
	metadata, _ := (*applied)[0]["metadata"].(map[string]any)
	if metadata["resourceVersion"] != "7" || metadata["uid"] != "uid" {
		t.Errorf("sent for %v", metadata)
	}
}

func TestIgnoredFieldsAreSentOnlyToTheStateTheyWereReadFrom(t *testing.T) {
	owner := object.Owner{Name: "memo"}
	desired, err := object.NewDesired(owner, parse(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: ns}, data: {a: x, b: "1"}}`))
	if err != nil {
		t.Fatal(err)
	}
	live := desired.Object()
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
			options, applied := serving(t, live)
			resource := cachedConfigMaps(t)
			store(t, resource, live)
			options.Drift = c.drift
			client := options.As.Dynamic.(*dynamicfake.FakeDynamicClient)
			newer := live.DeepCopy() // its status was updated after it was read
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
			if got := New(options).Reconcile(t.Context(), desired, resource); got.Err != nil || len(*applied) != 1 {
				t.Fatalf("applied %v, error %v", *applied, got.Err)
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
