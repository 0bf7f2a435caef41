package operatorstatus

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

func TestHRD_M5_Removal(t *testing.T) {
	const remedy = "; the controllers that set them must remove them; if such a controller no longer exists, remove them by hand (metadata.finalizers)"
	// removing returns a change after which the BundleDeployment is being deleted, with these finalizers and conditions.
	removing := func(finalizers []string, conditions ...metav1.Condition) func(*Input) {
		return func(in *Input) {
			in.Operator.Finalizers = []string{platformv1alpha1.Finalizer}
			in.Current.Deployment.DeletionTimestamp, in.Current.Deployment.Finalizers = &metav1.Time{Time: noon}, finalizers
			in.Current.Deployment.Status.Conditions = conditions
		}
	}
	ours := []string{corev1alpha2.Finalizer}
	progress := metav1.Condition{Type: corev1alpha2.ConditionProgressing, Status: metav1.ConditionTrue, Reason: corev1alpha2.ReasonRemoving, Message: "Removing spec.config."}
	blocked := metav1.Condition{Type: corev1alpha2.ConditionRemovalBlocked, Status: metav1.ConditionTrue, Reason: corev1alpha2.ReasonBlocked, Message: "delete them."}
	unblocked := blocked
	unblocked.Status = metav1.ConditionFalse
	for name, test := range map[string]struct {
		in        Input
		want      string
		installed bool
	}{
		"started":                         {running(removing(ours)), "True Removing: The operator is being removed.", true},
		"in the BundleDeployment's words": {running(removing(ours, progress)), "True Removing: Removing spec.install.config.", true},
		"blocked":                         {running(removing(ours, progress, blocked)), "False Blocked: The removal waits: delete them.", true},
		"no longer blocked":               {running(removing(ours, progress, unblocked)), "True Removing: Removing spec.install.config.", true},
		"waiting for the garbage collector": {running(removing([]string{metav1.FinalizerDeleteDependents})),
			"True Removing: The operator is being removed.", true},
		"held by others": {running(removing([]string{"example.com/a", "example.com/b", "example.com/c", "example.com/d", metav1.FinalizerDeleteDependents})),
			`False Blocked: The objects have been removed or released; BundleDeployment "op" is held by its finalizers "example.com/a", "example.com/b", "example.com/c" and 1 more` + remedy + ".", false},
		"the PlatformOperator is held by others": {running(func(in *Input) {
			in.Operator.Finalizers, in.Current.Deployment = []string{"example.com/a"}, nil
		}), `False Blocked: The manager has released PlatformOperator "op", which is held by its finalizers "example.com/a"` + remedy + ".", false},
		"the PlatformOperator was released by somebody else": {running(func(in *Input) {
			in.Operator.Finalizers = []string{"example.com/a"}
		}), `False Blocked: The manager has released PlatformOperator "op", which is held by its finalizers "example.com/a"` + remedy + ".", true},
		"the PlatformOperator is not held": {running(), "none", true},
	} {
		t.Run(name, func(t *testing.T) {
			before := test.in.Operator.DeepCopy()
			status := Removal(test.in)
			if diff := cmp.Diff(test.want, condition(status, platformv1alpha1.ConditionProgressing)); diff != "" {
				t.Errorf("Progressing (-want +got):\n%s", diff)
			}
			if (status.Installed != nil) != test.installed {
				t.Errorf("status.installed is %+v", status.Installed)
			}
			if test.installed {
				if got := condition(status, platformv1alpha1.ConditionUpgradeable); got != "none" {
					t.Errorf("Upgradeable is %s", got)
				}
			} else if want := "True AsExpected: Nothing is installed that can block a cluster upgrade."; condition(status, platformv1alpha1.ConditionUpgradeable) != want {
				t.Errorf("Upgradeable is %s, want %s", condition(status, platformv1alpha1.ConditionUpgradeable), want)
			}
			if got, want := condition(status, platformv1alpha1.ConditionInstalled), "False Removed: The operator is removed; the Progressing condition says which finalizers hold what is left."; (got == want) == test.installed {
				t.Errorf("Installed is %s", got)
			}
			if diff := cmp.Diff(before, test.in.Operator); diff != "" {
				t.Errorf("the operator was modified (-before +after):\n%s", diff)
			}
		})
	}
}

func TestHRD_M5_PackageHeldNamesTheFinalizer(t *testing.T) {
	const remedy = "; the controllers that set them must remove them; if such a controller no longer exists, remove them by hand (metadata.finalizers)."
	const removed = `PlatformOperator "former" has package "lamp" and is being removed; this one is installed when that one is gone. `
	at := &metav1.Time{Time: noon}
	for name, c := range map[string]struct {
		deleted               *metav1.Time
		operators, deployment []string
		want                  string
	}{
		"not deleted":                    {nil, []string{platformv1alpha1.Finalizer, "example.com/a"}, []string{}, `PlatformOperator "former", which is older, already installs package "lamp". A package can be installed only once: delete one of the two PlatformOperators.`},
		"not installed":                  {nil, []string{platformv1alpha1.Finalizer}, nil, `PlatformOperator "former", which is older, already requests package "lamp", which is not installed; its Installed condition says why. A package can be installed only once: delete one of the two PlatformOperators.`},
		"in progress":                    {at, []string{platformv1alpha1.Finalizer}, []string{corev1alpha2.Finalizer, "example.com/a"}, removed + "Its Progressing condition says what the removal waits for: kubectl describe platformoperator former"},
		"its BundleDeployment is held":   {at, []string{platformv1alpha1.Finalizer}, []string{"example.com/a"}, removed + `BundleDeployment "former" is held by its finalizers "example.com/a"` + remedy},
		"the PlatformOperator itself is": {at, []string{"example.com/b"}, nil, removed + `PlatformOperator "former" is held by its finalizers "example.com/b"` + remedy},
	} {
		t.Run(name, func(t *testing.T) {
			holder := &platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: "former", Finalizers: c.operators, DeletionTimestamp: c.deleted}}
			holder.Spec.Package.Name = "lamp"
			var deployment *corev1alpha2.BundleDeployment
			if c.deployment != nil {
				holder.Status.Installed = &platformv1alpha1.InstalledBundle{Version: "1.0.0"}
				deployment = &corev1alpha2.BundleDeployment{ObjectMeta: metav1.ObjectMeta{Name: "former", Finalizers: c.deployment, DeletionTimestamp: c.deleted}}
			}
			if got := PackageHeld(holder, deployment); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}
