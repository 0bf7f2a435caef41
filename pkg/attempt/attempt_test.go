package attempt_test

import (
	"testing"

	"k8s.io/utils/ptr"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/attempt"
)

func TestRepeatedWhen(t *testing.T) {
	memo := []corev1alpha2.MissingKind{{Group: "example.com", Version: "v1", Kind: "Memo"}}
	for name, test := range map[string]struct {
		failedFor corev1alpha2.FailedFor
		missing   []corev1alpha2.MissingKind
		want      string
	}{
		"kinds":                    {corev1alpha2.FailedForKinds, memo, ", the cluster serves the kinds that it lacks"},
		"kinds that are not known": {corev1alpha2.FailedForKinds, nil, ""},
		"permissions":              {corev1alpha2.FailedForPermissions, nil, ", the manager has the permissions that it lacked"},
		"another cause":            {"", nil, ""},
	} {
		if got := attempt.RepeatedWhen(test.failedFor, test.missing); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

func TestOf(t *testing.T) {
	// Managers have written this digest to status.revisions[].failedAttempt: with another one, they would try each failed revision again.
	if got := attempt.Of(&corev1alpha2.BundleDeployment{}); got != "232104f7540e27b0" {
		t.Errorf("the digest of the defaults is %s", got)
	}
	for name, test := range map[string]struct {
		change  func(*corev1alpha2.BundleDeployment)
		isOther bool
	}{
		"adoption":             {func(d *corev1alpha2.BundleDeployment) { d.Spec.Adoption = corev1alpha2.AdoptionAny }, true},
		"the default adoption": {func(d *corev1alpha2.BundleDeployment) { d.Spec.Adoption = corev1alpha2.AdoptionSamePackage }, false},
		"a deadline":           {func(d *corev1alpha2.BundleDeployment) { d.Spec.ProgressDeadlineSeconds = ptr.To[int32](60) }, true},
		"the default deadline": {func(d *corev1alpha2.BundleDeployment) { d.Spec.ProgressDeadlineSeconds = ptr.To[int32](1800) }, false},
		"the annotation": {func(d *corev1alpha2.BundleDeployment) {
			d.Annotations = map[string]string{platformv1alpha1.AnnotationRetry: "1"}
		}, true},
		"a pause":          {func(d *corev1alpha2.BundleDeployment) { d.Spec.Paused = true }, false},
		"another image":    {func(d *corev1alpha2.BundleDeployment) { d.Spec.Source.Image = &corev1alpha2.ImageSource{Ref: "r/i:2"} }, false},
		"a failure policy": {func(d *corev1alpha2.BundleDeployment) { d.Spec.OnFailure = corev1alpha2.OnFailureRollback }, false},
	} {
		deployment := &corev1alpha2.BundleDeployment{}
		before := attempt.Of(deployment)
		test.change(deployment)
		if isOther := attempt.Of(deployment) != before; isOther != test.isOther {
			t.Errorf("%s: another attempt is %t, want %t", name, isOther, test.isOther)
		}
	}
}
