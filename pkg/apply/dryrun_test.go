package apply_test

import (
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/scenario"
)

const (
	invalid       = `{apiVersion: v1, kind: Service, metadata: {name: memo, namespace: memo}, spec: {ports: [{port: 0}]}}`
	noPair        = `{apiVersion: v1, kind: Secret, metadata: {name: pair, namespace: memo}, type: kubernetes.io/tls, data: {tls.crt: eA==, tls.key: eA==}}`
	tenant        = "tenant"
	tenantRole    = `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: tenant}, rules: [{apiGroups: [""], resources: [configmaps], resourceNames: [settings], verbs: [create, patch]}, {apiGroups: [""], resources: [services], verbs: [create, patch]}]}`
	tenantBinding = `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: tenant}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: tenant},
		subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: tenant}]}`
	memoNamespace = `{apiVersion: v1, kind: Namespace, metadata: {name: memo}}`
)

// dryRun makes a dry run until it is done.
func (f *fixture) dryRun(as apply.Identity, serviceAccount string, set *apply.Set) apply.DryRun {
	f.t.Helper()
	var run apply.DryRun
	for run.Total == 0 || !run.IsDone() {
		var err error
		if run, err = f.engine.DryRun(f.t.Context(), as, serviceAccount, set, run); err != nil {
			f.t.Fatal(err)
		}
	}
	return run
}

func TestADryRunWritesNothingAndHasTheAPIServersWarnings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on(t, nil, func(f *fixture) {
			f.create(namespaces, memoNamespace)
			before := f.state()
			run := f.dryRun(apply.Identity{}, "", setOf(t, definition, account, "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: memo}}", invalid, noPair, custom))
			want := []string{
				`Secret memo/pair: tls: failed to find any PEM data in certificate input`,
				`Service memo/memo: the API server does not accept it in a dry run: Service "memo" is invalid: [spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive, ` +
					`spec.ports[0].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive]`,
			}
			if diff := cmp.Diff(want, run.Warnings); diff != "" || len(run.Missing) > 0 {
				t.Errorf("missing %v, warnings (-want +got):\n%s", run.Missing, diff)
			}
			if diff := cmp.Diff(before, f.state()); diff != "" {
				t.Errorf("it wrote (-before +after):\n%s", diff)
			}
		})
	})
}

func TestADryRunOfAnIdentityFindsPermissionsThatItLacksOnSingleObjects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on(t, nil, func(f *fixture) {
			f.create(namespaces, memoNamespace)
			f.create(roles, tenantRole)
			f.create(bindings, tenantBinding)
			if err := f.cluster.Settle(); err != nil {
				t.Fatal(err)
			}
			as := apply.Identity{Name: tenant, Dynamic: f.client(dynamic.NewForConfig(f.cluster.ClientConfig(tenant)))}
			set := setOf(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: memo}}", "{apiVersion: v1, kind: ConfigMap, metadata: {name: other, namespace: memo}}", account)
			run := f.dryRun(as, "deployer", set)
			missing := func(resource, name string) corev1alpha2.MissingPermission {
				return corev1alpha2.MissingPermission{
					Verbs: []string{"create", "patch"}, Resource: resource, ResourceNames: []string{name}, Namespace: "memo", ServiceAccountName: "deployer",
				}
			}
			want := []corev1alpha2.MissingPermission{missing("serviceaccounts", "memo"), missing("configmaps", "other")}
			if diff := cmp.Diff(want, run.Missing); diff != "" || len(run.Warnings) > 0 {
				t.Errorf("warnings %v, missing (-want +got):\n%s", run.Warnings, diff)
			}
			still, err := f.engine.StillMissing(t.Context(), as, append(run.Missing, missing("configmaps", "settings")))
			if diff := cmp.Diff(want, still); diff != "" || err != nil {
				t.Errorf("error %v, still missing (-want +got):\n%s", err, diff)
			}
		})
	})
}

// An admission policy may permit an object only after an earlier object was applied, so that a denial in a dry run is no reason to wait.
func TestADryRunThatAPolicyDeniesIsAWarning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on(t, nil, func(f *fixture) {
			f.create(namespaces, memoNamespace)
			f.cluster.Inject(scenario.Fault{
				Match:  func(r scenario.Request) bool { return r.Name == "settings" && r.DryRun },
				Effect: scenario.Refuse(http.StatusForbidden, metav1.StatusReasonForbidden, 0),
			})
			run := f.dryRun(apply.Identity{}, "", setOf(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: memo}}"))
			if len(run.Missing) > 0 || len(run.Warnings) != 1 {
				t.Errorf("missing %v, warnings %q", run.Missing, run.Warnings)
			}
		})
	})
}

func TestADryRunDistinguishesRefusalsFromFaults(t *testing.T) {
	for code, c := range map[int]struct {
		reason    metav1.StatusReason
		isRefusal bool
	}{
		http.StatusBadRequest:          {metav1.StatusReasonBadRequest, true},
		http.StatusInternalServerError: {metav1.StatusReasonInternalError, true},
		http.StatusServiceUnavailable:  {metav1.StatusReasonServiceUnavailable, false},
		http.StatusGatewayTimeout:      {metav1.StatusReasonTimeout, false},
	} {
		t.Run(http.StatusText(code), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				on(t, nil, func(f *fixture) {
					f.create(namespaces, memoNamespace)
					f.cluster.Inject(scenario.Fault{Match: func(r scenario.Request) bool { return r.Name == "settings" && r.DryRun }, Effect: scenario.Refuse(code, c.reason, 0)})
					set := setOf(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: memo}}")
					run, err := f.engine.DryRun(t.Context(), apply.Identity{}, "", set, apply.DryRun{})
					if (err == nil) != c.isRefusal || run.IsDone() != c.isRefusal || (len(run.Warnings) == 1) != c.isRefusal {
						t.Errorf("error %v, %d of %d sent, warnings %q", err, run.Sent, run.Total, run.Warnings)
					}
					if run, err = f.engine.DryRun(t.Context(), apply.Identity{}, "", set, run); err != nil || !run.IsDone() {
						t.Errorf("after the fault: error %v, %d of %d sent", err, run.Sent, run.Total)
					}
				})
			})
		})
	}
}

// A policy or a quota may deny thousands of objects, for which the ServiceAccount has every permission, or none.
func TestADryRunOfManyDeniedObjectsAsksForFewPermissions(t *testing.T) {
	const permits = `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: tenant}, rules: [{apiGroups: [""], resources: [configmaps], verbs: ["*"]}]}`
	for name, c := range map[string]struct {
		role                 string
		mostReviews, missing int
	}{
		"without the permission": {tenantRole, 100, 20},
		"with the permission":    {permits, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				on(t, nil, func(f *fixture) {
					f.create(namespaces, memoNamespace)
					f.create(roles, c.role)
					f.create(bindings, tenantBinding)
					if err := f.cluster.Settle(); err != nil {
						t.Fatal(err)
					}
					f.cluster.Inject(scenario.Fault{Match: func(r scenario.Request) bool { return r.DryRun }, Times: -1, Effect: scenario.Refuse(http.StatusForbidden, metav1.StatusReasonForbidden, 0)})
					as := apply.Identity{Name: tenant, Dynamic: f.client(dynamic.NewForConfig(f.cluster.ClientConfig(tenant)))}
					var objects []string
					for i := range 300 {
						objects = append(objects, fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: other-%d, namespace: memo}}", i))
					}
					set := setOf(t, objects...)
					if _, err := f.engine.MissingPermissions(t.Context(), as, set, apply.PermissionOptions{ServiceAccount: "deployer"}); err != nil {
						t.Fatal(err)
					}
					before := f.reviews()
					if run := f.dryRun(as, "deployer", set); f.reviews()-before > c.mostReviews || len(run.Missing) != c.missing {
						t.Errorf("%d access reviews, %d permissions are missing", f.reviews()-before, len(run.Missing))
					}
				})
			})
		})
	}
}

// reviews returns the number of access reviews that were sent.
func (f *fixture) reviews() int {
	sent := 0
	for _, each := range f.cluster.Requests() {
		if each.Resource.Resource == "selfsubjectaccessreviews" {
			sent++
		}
	}
	return sent
}
