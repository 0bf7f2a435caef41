package reconcile

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/platform-operators/pkg/apply/object"
)

const ourLabels = "labels: {core.rukpak.io/owner-kind: BundleDeployment, core.rukpak.io/owner-name: memo}"

// TestHRD_S2_WhatRukpakAppliedStaysOursWhenItsReferenceIsTakenOff shows that the object still belongs to the owner after that one update,
// because the manager may crash after any write.
func TestHRD_S2_WhatRukpakAppliedStaysOursWhenItsReferenceIsTakenOff(t *testing.T) {
	const reference = ", ownerReferences: [{apiVersion: core.rukpak.io/v1alpha2, kind: BundleDeployment, name: memo, uid: u}, {apiVersion: v1, kind: Pod, name: x, uid: y}]"
	owner := object.Owner{Name: "memo"}
	for _, managers := range [][]string{{"core"}, {"core", ours}, nil} {
		live := parse(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: x, `+ourLabels+reference+`}}`)
		for _, each := range managers {
			live = owned(live, each, `{"f:data":{}}`)
		}
		after := withManagerInsteadOfReference(live, owner)
		if object.HasOwnerReference(after, owner) || len(after.GetOwnerReferences()) != 1 || !object.HasOwnerReference(live, owner) {
			t.Errorf("%v: references are %v", managers, after.GetOwnerReferences())
		}
		if !owner.Owns(after, nil) {
			t.Errorf("%v: it is nobody's with the record %v", managers, after.GetManagedFields())
		}
		if again := withManagerInsteadOfReference(after, owner); len(again.GetManagedFields()) != len(after.GetManagedFields()) {
			t.Errorf("%v: a second time it is entered again", managers)
		}
	}
}

func TestATakeoverLeavesNoRecordOfTheDeploymentBefore(t *testing.T) {
	record := func(manager string, operation metav1.ManagedFieldsOperationType) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{Manager: manager, Operation: operation}
	}
	const apply, update = metav1.ManagedFieldsOperationApply, metav1.ManagedFieldsOperationUpdate
	cases := map[string]struct {
		records, want []metav1.ManagedFieldsEntry
		changed       bool
	}{
		"its record becomes the owner's": {
			[]metav1.ManagedFieldsEntry{record("platform-operators/other", update), record("kubectl", update)},
			[]metav1.ManagedFieldsEntry{record("platform-operators/memo", apply), record("kubectl", update)}, true,
		},
		"of two the first becomes the owner's": {
			[]metav1.ManagedFieldsEntry{record("platform-operators/other", apply), record("platform-operators/third", apply)},
			[]metav1.ManagedFieldsEntry{record("platform-operators/memo", apply)}, true,
		},
		"one that the owner has its own of goes": {
			[]metav1.ManagedFieldsEntry{record("platform-operators/other", apply), record("platform-operators/memo", apply)},
			[]metav1.ManagedFieldsEntry{record("platform-operators/memo", apply)}, true,
		},
		"others are left alone": {
			[]metav1.ManagedFieldsEntry{record("kubectl", update)}, []metav1.ManagedFieldsEntry{record("kubectl", update)}, false,
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, changed := transferRecords(c.records, "platform-operators/memo")
			if diff := cmp.Diff(c.want, got); diff != "" || changed != c.changed {
				t.Errorf("changed %t (-want +got):\n%s", changed, diff)
			}
		})
	}
}
