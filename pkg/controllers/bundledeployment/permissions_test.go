package bundledeployment

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/revision"
)

// selfGranted are permissions that a revision's own ClusterRole grants.
var selfGranted = []corev1alpha2.MissingPermission{{Group: "example.com", Resource: "configs", Verbs: []string{"create"}}}

// A ClusterRole of the bundle is aggregated within seconds. If requests are denied for longer, an admin must see what to grant.
func TestHRD_F1_PermissionsOfTheBundlesOwnClusterRoleAreMissingIfTheyAreDeniedForLong(t *testing.T) {
	f := firstFixture(t)
	f.engine.err = &apply.Refusal{Err: forbidden("configs"), Remedy: "grant it"}
	f.engine.selfGranted = selfGranted
	missing := func() []corev1alpha2.MissingPermission {
		f.missing = nil // each sync checks again
		f.decide(t)
		return f.deployment.Status.Plan.PermissionsMissing
	}
	if got := missing(); len(got) > 0 || f.retryAfter > aggregationTime {
		t.Errorf("at once: got %v, and the next sync in %s", got, f.retryAfter)
	}
	f.clock.SetTime(f.clock.Now().Add(aggregationTime - time.Second))
	if got := missing(); len(got) > 0 {
		t.Errorf("before the end of %s: got %v", aggregationTime, got)
	}
	f.clock.SetTime(f.clock.Now().Add(time.Second))
	if diff := cmp.Diff(selfGranted, missing()); diff != "" {
		t.Errorf("status.plan.permissionsMissing (-want +got):\n%s", diff)
	}
	installed := conditionOf(t, f.deployment, corev1alpha2.ConditionInstalled)
	if installed.Reason != corev1alpha2.ReasonInstallFailed || !strings.Contains(installed.Message, "configs.example.com (create)") {
		t.Errorf("%s: %s", installed.Reason, installed.Message)
	}

	f.before = f.deployment.DeepCopy()
	f.memory.deniedSince = time.Time{} // as after a restart
	if diff := cmp.Diff(selfGranted, missing()); diff != "" {
		t.Errorf("after a restart (-want +got):\n%s", diff)
	}

	f.engine.err, f.engine.selfGranted = nil, nil
	if got := missing(); len(got) > 0 || !f.memory.deniedSince.IsZero() {
		t.Errorf("when they are granted: got %v, denied since %s", got, f.memory.deniedSince)
	}
}

// Permissions of a ServiceAccount may be revoked after the start. The remedy names a ConfigMap with roles, which must then exist.
func TestENG_P7_RolesAreStoredWhenPermissionsAreRevokedDuringARollout(t *testing.T) {
	f := newFixture(t)
	f.accounts.create(t, "deployer", "1")
	f.two.ServiceAccount, f.source.desired.ServiceAccount = "deployer", "deployer"
	check := func(step string, missing []string, configMaps []string, roles string, saves int) {
		t.Helper()
		f.engine.missing, f.engine.err, f.missing = nil, nil, nil
		for _, resource := range missing {
			f.engine.missing = append(f.engine.missing, corev1alpha2.MissingPermission{Verbs: []string{"create"}, Resource: resource, Namespace: "memo", ServiceAccountName: "deployer"})
			f.engine.err = forbidden(resource)
		}
		f.decide(t)
		var got []string
		if planned := f.deployment.Status.Plan; planned != nil {
			got = planned.ConfigMaps
		}
		if diff := cmp.Diff(configMaps, got); diff != "" || !strings.Contains(f.plans.roles, roles) || f.plans.rolesSaves != saves {
			t.Errorf("%s: %d saves of roles %q; configMaps (-want +got):\n%s", step, f.plans.rolesSaves, f.plans.roles, diff)
		}
		f.before = f.deployment.DeepCopy()
	}
	stored := []string{"plan-memo-permissions"}
	check("nothing is missing", nil, nil, "", 0)
	check("a permission is revoked", []string{"secrets"}, stored, "- secrets\n", 1)
	check("it is still missing", []string{"secrets"}, stored, "- secrets\n", 1)
	check("another one is revoked", []string{"configmaps", "secrets"}, stored, "- configmaps\n  - secrets\n", 2)
	f.memory.roles = storedRoles{} // as after a restart
	check("they are granted", nil, nil, "", 3)
	if f.plans.roles != "" {
		t.Errorf("the roles %q stay", f.plans.roles)
	}
	check("nothing is missing", nil, nil, "", 3)
}

func TestADenialThatEndsBeginsAgain(t *testing.T) {
	f := firstFixture(t)
	denied := &apply.Refusal{Err: forbidden("configs"), Remedy: "grant it"}
	f.engine.selfGranted = selfGranted
	for _, err := range []error{denied, nil, denied} {
		f.engine.err = err
		f.decide(t)
		f.clock.SetTime(f.clock.Now().Add(aggregationTime - time.Second))
	}
	if got := f.deployment.Status.Plan.PermissionsMissing; len(got) > 0 {
		t.Errorf("got %v, want none: the last denial is not %s old", got, aggregationTime)
	}
}

func TestHRD_F1_AFailedRevisionIsCheckedForThePermissionsThatWereReported(t *testing.T) {
	f := newFixture(t)
	f.before.Status.Plan = &corev1alpha2.Plan{PermissionsMissing: selfGranted}
	f.machine = revision.NewMachine(revision.Input{Deployment: f.before, History: &f.memory.history})
	f.two.FailedFor = corev1alpha2.FailedForPermissions
	if err := f.checkFailure(t.Context(), revision.Action{Kind: revision.CheckFailure, Revision: f.two}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(selfGranted, f.engine.options.Reported); diff != "" {
		t.Errorf("reported permissions (-want +got):\n%s", diff)
	}
}

func TestHRD_F1_PermissionsAreCheckedWithoutThoseOfRevisionsThatArePruned(t *testing.T) {
	f := newFixture(t)
	if err := f.checkRequirements(t.Context(), revision.Action{Kind: revision.CheckRequirements, Revision: f.two}); err != nil {
		t.Fatal(err)
	}
	if want := []*apply.Set{f.memory.sets[f.one.Number]}; !slices.Equal(f.engine.options.Replaced, want) || want[0] == nil {
		t.Errorf("got %d replaced sets, want that of the active revision", len(f.engine.options.Replaced))
	}
}
