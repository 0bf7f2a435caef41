package ratcheting

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// unreachable are added bounds that no stored object can violate, with the reason. Each key is the kind, path and name of a bound.
var unreachable = map[string]string{
	"PlatformOperatorManager .spec.managementState maxLength": "the only value that was ever accepted is Managed",
	// The API server does not ratchet objects with unknown fields: it validates them as new.
	"BundleDeployment .spec.config maxProperties":                            "with an entry that is neither of the two known ones, nothing was ever installed",
	"PlatformOperatorManager .spec.observedConfig maxProperties":             "neither the manager nor anything else has ever written it",
	"PlatformOperatorManager .spec.unsupportedConfigOverrides maxProperties": "the manager has never had overrides",
}

// formerObjects returns objects that the former CRDs accept and that violate every added bound.
func formerObjects(t *testing.T) []*unstructured.Unstructured {
	list := func(count int, format string) string {
		entries := make([]string, count)
		for i := range entries {
			entries[i] = fmt.Sprintf(format, i)
		}
		return strings.Join(entries, ", ")
	}
	return readObjects(t, "testdata/objects.yaml", strings.NewReplacer(
		"$LONG_QUANTITY", strings.Repeat("0", 300)+"1",
		"$LONG", strings.Repeat("x", 40_000),
		"$CONDITIONS", "["+list(257, `{type: Type%d, status: "True", lastTransitionTime: "2026-01-01T00:00:00Z"}`)+"]",
		"$GENERATIONS", "["+list(257, `{group: "", resource: things, namespace: "", name: name%d, lastGeneration: 1}`)+"]",
	))
}

// edits are changes by users and managers, by kind: a field of the spec and one of the status, as the words for set. nil changes
// nothing.
var edits = map[string]struct{ spec, status []string }{
	"BundleDeployment":        {[]string{"spec", "onFailure", "Rollback"}, []string{"status", "bundle", "name", "other"}},
	"Bundle":                  {nil, []string{"status", "phase", "Failing"}}, // whose spec is immutable
	"PlatformOperator":        {[]string{"spec", "upgrades", "approval", "Manual"}, []string{"status", "compatibility", "maxOpenShiftVersion", "4.21"}},
	"PlatformOperatorManager": {[]string{"spec", "logLevel", "Debug"}, []string{"status", "upgradeGate", "clusterVersion", "4.22.1"}},
}

func TestHRD_C1_EveryAddedBoundHasAStoredObjectOutsideOfIt(t *testing.T) {
	former, shipped, objects := schemas(t, formerCRDs), schemas(t, shippedCRDs), formerObjects(t)
	count := 0
	for kind := range shipped {
		for _, added := range tightened(former[kind], shipped[kind]) {
			count++
			if unreachable[fmt.Sprintf("%s %s %s", kind, added.path, added.name)] != "" {
				continue
			}
			if !slices.ContainsFunc(objects, func(o *unstructured.Unstructured) bool { return o.GetKind() == kind && added.isViolatedBy(o.Object) }) {
				t.Errorf("testdata/objects.yaml has no %s that violates %s", kind, added)
			}
		}
	}
	if count < 100 {
		t.Errorf("%d bounds were added, want at least 100", count)
	}
}

// Promise HRD-C1: The API types break no rule of the API linter but for listed exceptions. An object that was stored before a bound was
// added can still be edited, by update and server-side apply, and so can its status.
func TestHRD_C1_ObjectsOfFormerCRDsCanBeEdited(t *testing.T) {
	run(t, formerCRDs, func(c cluster) {
		objects := formerObjects(t)
		for _, object := range objects {
			c.must(c.create(object))
		}
		c.apply(shippedCRDs)
		for _, object := range objects {
			for _, edit := range []struct {
				name string
				try  func(*unstructured.Unstructured) error
			}{
				{"a label and the spec, by an update", c.editByUpdate},
				{"the spec, by server-side apply", c.editByApply},
				{"the status", c.editStatus},
				{"nothing but what the Go types do not have, by an update", c.updateTyped},
			} {
				live, err := c.resource(object).Get(c.Context(), object.GetName(), metav1.GetOptions{})
				c.must(err)
				if err := edit.try(live); err != nil {
					t.Errorf("%s %s: editing %s: %v", object.GetKind(), object.GetName(), edit.name, err)
				}
			}
			// A new object must be rejected, or else the edits show nothing.
			c.must(c.resource(object).Delete(c.Context(), object.GetName(), metav1.DeleteOptions{}))
			c.must(c.Settle())
			if err := c.create(object); !apierrors.IsInvalid(err) {
				t.Errorf("%s %s: creating it under the shipped CRDs: got %v, want that it is invalid", object.GetKind(), object.GetName(), err)
			}
		}
	})
}

func (c cluster) editByUpdate(live *unstructured.Unstructured) error {
	live.SetLabels(map[string]string{"edited": "true"})
	set(live, edits[live.GetKind()].spec)
	_, err := c.resource(live).Update(c.Context(), live, metav1.UpdateOptions{})
	return err
}

func (c cluster) editByApply(live *unstructured.Unstructured) error {
	applied := &unstructured.Unstructured{Object: map[string]any{"spec": live.Object["spec"]}}
	applied.SetGroupVersionKind(live.GroupVersionKind())
	applied.SetName(live.GetName())
	applied.SetLabels(map[string]string{"applied": "true"})
	_, err := c.resource(live).Apply(c.Context(), live.GetName(), applied, metav1.ApplyOptions{FieldManager: "admin", Force: true})
	return err
}

func (c cluster) editStatus(live *unstructured.Unstructured) error {
	set(live, edits[live.GetKind()].status)
	_, err := c.resource(live).UpdateStatus(c.Context(), live, metav1.UpdateOptions{})
	return err
}

// updateTyped converts an object to its Go type and back, and updates the object. The conversion drops the fields that the Go type does
// not have, as an update with a typed client does.
func (c cluster) updateTyped(live *unstructured.Unstructured) error {
	object := map[string]any{
		"BundleDeployment": &corev1alpha2.BundleDeployment{}, "Bundle": &corev1alpha2.Bundle{},
		"PlatformOperator": &platformv1alpha1.PlatformOperator{}, "PlatformOperatorManager": &operatorv1alpha1.PlatformOperatorManager{},
	}[live.GetKind()]
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(live.Object, object); err != nil {
		return err
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return err
	}
	_, err = c.resource(live).Update(c.Context(), &unstructured.Unstructured{Object: content}, metav1.UpdateOptions{})
	return err
}

// set sets the field at a path to the last of the words. The other words are the path. Without words, set does nothing.
func set(object *unstructured.Unstructured, words []string) {
	if len(words) > 0 {
		_ = unstructured.SetNestedField(object.Object, words[len(words)-1], words[:len(words)-1]...) // a map is at each part of the path
	}
}

func TestHRD_C1_WhatTheManagerOfC02a7afWroteIsWithinTheBounds(t *testing.T) {
	run(t, shippedCRDs, func(c cluster) {
		created := 0
		for _, object := range readObjects(t, recorded, strings.NewReplacer()) {
			if _, ours := edits[object.GetKind()]; !ours {
				continue
			}
			created++
			object.SetOwnerReferences(nil)
			object.SetFinalizers(nil)
			object.SetResourceVersion("")
			object.SetManagedFields(nil)
			if err := c.create(object); err != nil {
				t.Errorf("%s %s: %v", object.GetKind(), object.GetName(), err)
			}
		}
		if created < 13 {
			t.Errorf("%d objects were created, want at least 13", created)
		}
	})
}

func TestHRD_C3_AnIntegerOfAKubernetesTypeIsBoundedByItsFormat(t *testing.T) {
	operator := func(mode string) string {
		return `{"apiVersion": "platform.openshift.io/v1alpha1", "kind": "PlatformOperator", "metadata": {"name": "a"}, "spec": {"package": {"name": "a"},
			"install": {"config": {"deploymentConfig": {"volumes": [{"name": "v", "secret": {"secretName": "s", "defaultMode": ` + mode + `}}]}}}}}`
	}
	run(t, shippedCRDs, func(c cluster) {
		for mode, valid := range map[string]bool{"2147483647": true, "2147483648": false} {
			object := &unstructured.Unstructured{}
			c.must(object.UnmarshalJSON([]byte(operator(mode))))
			_, err := c.resource(object).Create(c.Context(), object, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
			if valid && err != nil || !valid && !apierrors.IsInvalid(err) {
				t.Errorf("defaultMode %s: %v", mode, err)
			}
		}
	})
}
