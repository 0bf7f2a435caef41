package platformoperator

import (
	"errors"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/limits"
	"github.com/openshift/platform-operators/pkg/upgradestep"
)

// limitedBefore returns the stored limits of a PlatformOperatorManager that was deleted.
func limitedBefore() limits.Stored {
	return limits.Stored{Namespace: "ns", Record: &limits.Record{UID: "deleted", Limits: limits.Limits{AllowedPackages: []string{"op"}, DefaultApproval: platformv1alpha1.ApprovalManual}}}
}

func TestHRD_S3_NothingIsChosenOrMovedWhileFormerLimitsAreMissing(t *testing.T) {
	for name, test := range map[string]struct {
		manager *operatorv1alpha1.PlatformOperatorManager
		stored  limits.Stored
		field   string
	}{
		"there is no PlatformOperatorManager":    {nil, limitedBefore(), "spec.allowedPackages, spec.defaultApproval"},
		"the new one limits nothing":             {managed(nil), limitedBefore(), "spec.allowedPackages, spec.defaultApproval"},
		"what was limited before cannot be read": {managed(nil), limits.Stored{Namespace: "ns", Fault: errors.New("data.uid is empty")}, "data.uid"},
		"no PlatformOperatorManager is known":    {nil, limits.Stored{Namespace: "ns"}, "does not exist"},
	} {
		t.Run(name+", nothing installed", func(t *testing.T) {
			c := running("1.0.0", "")
			c.deployment, c.manager, c.limits = nil, test.manager, test.stored
			c.sync(t, oneCatalog{"1.0.0"})
			if c.deployment != nil {
				t.Error("it was deployed")
			}
			wantCondition(t, c, platformv1alpha1.ConditionInstalled, platformv1alpha1.ReasonValidationFailed, test.field)
		})
		t.Run(name+", an older version installed", func(t *testing.T) {
			c := running("1.0.0", "1.0.0")
			c.manager, c.limits = test.manager, test.stored
			c.sync(t, oneCatalog{"1.0.0", "1.1.0"})
			if got := upgradestep.RecordedBundle(c.deployment).Version; got != "1.0.0" || c.installed() != "1.0.0" {
				t.Errorf("it moved to %s, and status.installed is %q", got, c.installed())
			}
			wantCondition(t, c, platformv1alpha1.ConditionProgressing, platformv1alpha1.ReasonBlocked, test.field)
			c.sync(t, oneCatalog{"1.0.0", "1.1.0"})
			if len(c.writes) > 0 {
				t.Errorf("a second sync wrote %v", c.writes)
			}
			c.manager = managed(nil)
			c.manager.Annotations = map[string]string{operatorv1alpha1.AnnotationAcceptLimits: "true"}
			c.sync(t, oneCatalog{"1.0.0", "1.1.0"})
			if got := upgradestep.RecordedBundle(c.deployment).Version; got != "1.1.0" {
				t.Errorf("when it is accepted it is at %s, want 1.1.0", got)
			}
		})
	}
}

func TestHRD_S3_WhatIsInstalledIsRepairedWhileFormerLimitsAreMissing(t *testing.T) {
	c := running("1.0.0", "1.0.0")
	c.manager, c.limits, c.deployment = managed(nil), limitedBefore(), nil
	c.sync(t, oneCatalog{"1.0.0", "1.1.0"})
	if c.deployment == nil || upgradestep.RecordedBundle(c.deployment).Version != "1.0.0" {
		t.Errorf("a deleted BundleDeployment was not restored as it was: %+v", c.deployment)
	}
}

func TestHRD_S3_WhatMayEndAHoldIsWorthALookAtEveryOperator(t *testing.T) {
	before := managed(nil)
	for name, change := range map[string]func(*operatorv1alpha1.PlatformOperatorManager){
		"an annotation that accepts": func(m *operatorv1alpha1.PlatformOperatorManager) {
			m.Annotations = map[string]string{operatorv1alpha1.AnnotationAcceptLimits: "true"}
		},
		"another object of the name": func(m *operatorv1alpha1.PlatformOperatorManager) {
			m.ObjectMeta = metav1.ObjectMeta{Name: m.Name, UID: "new"}
		},
	} {
		handled, after := false, before.DeepCopy()
		change(after)
		settingsHandler{notes(&handled)}.OnUpdate(before, after)
		if !handled {
			t.Errorf("%s: no operator is synced", name)
		}
	}
}

func notes(handled *bool) cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{UpdateFunc: func(any, any) { *handled = true }}
}
