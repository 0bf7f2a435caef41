package bundledeployment

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

func TestHRD_S2_ABundleDeploymentThatHasAPlatformOperatorsNameIsNotCarriedOut(t *testing.T) {
	controlledBy := func(uid types.UID) []metav1.OwnerReference {
		return []metav1.OwnerReference{{Kind: "PlatformOperator", Name: "memo", UID: uid, Controller: ptr.To(true)}}
	}
	for name, c := range map[string]struct {
		operators  []string
		references []metav1.OwnerReference
		installed  bool
		claimed    bool
		want       string
	}{
		"no PlatformOperator has its name":           {operators: []string{"other"}},
		"it belongs to the one that has":             {operators: []string{"memo"}, references: controlledBy("operator-memo")},
		"a user's":                                   {operators: []string{"memo"}, claimed: true, want: "False InstallFailed"},
		"a user's that is installed":                 {operators: []string{"memo"}, installed: true, claimed: true, want: "True ReconcileFailed"},
		"of an earlier PlatformOperator of the name": {operators: []string{"memo"}, references: controlledBy("earlier"), claimed: true, want: "False InstallFailed"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newFixture(t)
			s.c.operators = operatorsNamed(t, c.operators...)
			s.before.OwnerReferences = c.references
			if c.installed {
				meta.SetStatusCondition(&s.before.Status.Conditions, metav1.Condition{Type: corev1alpha2.ConditionInstalled, Status: metav1.ConditionTrue, Reason: corev1alpha2.ReasonInstallationSucceeded})
			}
			s.deployment = s.before.DeepCopy()
			done, err := checkName(t.Context(), s.reconciliation)
			if err != nil || done != c.claimed {
				t.Fatalf("it ends here: %v, %v", done, err)
			}
			installed := meta.FindStatusCondition(s.deployment.Status.Conditions, corev1alpha2.ConditionInstalled)
			if !c.claimed {
				if len(s.deployment.Status.Conditions) > 0 {
					t.Errorf("said %+v", s.deployment.Status.Conditions)
				}
				return
			}
			if got := string(installed.Status) + " " + installed.Reason; got != c.want {
				t.Errorf("Installed is %s, want %s", got, c.want)
			}
			for _, part := range []string{`PlatformOperator "memo"`, "kubectl delete bundledeployment memo", "delete the PlatformOperator"} {
				if !strings.Contains(installed.Message, part) {
					t.Errorf("%q lacks %q", installed.Message, part)
				}
			}
			if progressing := meta.FindStatusCondition(s.deployment.Status.Conditions, corev1alpha2.ConditionProgressing); progressing.Reason != corev1alpha2.ReasonBlocked {
				t.Errorf("Progressing is %+v", progressing)
			}
			again := s.deployment.DeepCopy()
			s.before = s.deployment.DeepCopy()
			if _, err := checkName(t.Context(), s.reconciliation); err != nil || len(again.Status.Conditions) != len(s.deployment.Status.Conditions) {
				t.Errorf("a second look says something else: %+v, %v", s.deployment.Status.Conditions, err)
			}
		})
	}
}

func TestOnlyAPlatformOperatorThatClaimsTheNameWakesABundleDeployment(t *testing.T) {
	s := newFixture(t)
	theirs := s.before.DeepCopy()
	theirs.Name, theirs.OwnerReferences = "theirs", []metav1.OwnerReference{{Kind: "PlatformOperator", Name: "theirs", UID: "operator-theirs", Controller: ptr.To(true)}}
	s.c.deployments = deploymentsNamed(t, s.before, theirs)
	for name, want := range map[string]bool{"memo": true, "theirs": false, "nothing-of-the-name": false} {
		operator := &platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("operator-" + name)}}
		if got := s.c.concernsName(operator); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
