package rbac

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/onsi/ginkgo/v2/types"
	rbacv1 "k8s.io/api/rbac/v1"
)

// given are roles with one right everywhere, one in a namespace, one on one object, and one that is borrowed.
func given() Shipped {
	rule := func(group, resource, verb string, names ...string) rbacv1.PolicyRule {
		return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{resource}, Verbs: []string{verb}, ResourceNames: names}
	}
	var s Shipped
	s.Own = append(s.Own, rightsOf("ClusterRole own", "", rule("platform.openshift.io", "platformoperators/status", "update"))...)
	s.Own = append(s.Own, rightsOf("Role x/own", Namespace, rule("", "secrets", "create"))...)
	s.Own = append(s.Own, rightsOf("Role y/pull", "openshift-config", rule("", "secrets", "get", "pull-secret"))...)
	s.Borrowed = rightsOf("ClusterRole system:auth-delegator", "", lent["ClusterRole system:auth-delegator"][0])
	return s
}

const own, forBundles = "ClusterRoleBinding own", "ClusterRoleBinding " + BundlesRole

// used is a run in which every right of given was used.
func used() Trace {
	return Trace{
		{Verb: "update", Resource: "platformoperators.platform.openshift.io/status", By: own}:                                   3,
		{Verb: "create", Resource: "secrets", Namespace: Namespace, By: "RoleBinding own"}:                                      1,
		{Verb: "get", Resource: "secrets", Namespace: "openshift-config", Name: "pull-secret", By: "x"}:                         1,
		{Verb: "create", Resource: "tokenreviews.authentication.k8s.io", By: "ClusterRoleBinding whatever"}:                     1,
		{Verb: "create", Resource: "configmaps", Namespace: Elsewhere, By: forBundles}:                                          1,
		{Verb: "get", Path: "/apis", By: "ClusterRoleBinding system:discovery"}:                                                 1,
		{Verb: "create", Resource: "selfsubjectaccessreviews.authorization.k8s.io", By: "ClusterRoleBinding system:basic-user"}: 1,
	}
}

func TestRolesAreComparedWithWhatWasAsked(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*Shipped, Trace, *Exemptions)
		want   string
	}{
		"roles that are exact have no faults": {func(*Shipped, Trace, *Exemptions) {}, ""},
		"a right that nothing used": {func(_ *Shipped, trace Trace, _ *Exemptions) {
			delete(trace, Request{Verb: "create", Resource: "secrets", Namespace: Namespace, By: "RoleBinding own"})
		}, "Role x/own: create secrets: no request used it"},
		"a right on one object, when another was read": {func(_ *Shipped, trace Trace, _ *Exemptions) {
			delete(trace, Request{Verb: "get", Resource: "secrets", Namespace: "openshift-config", Name: "pull-secret", By: "x"})
			trace[Request{Verb: "get", Resource: "secrets", Namespace: "openshift-config", By: forBundles}] = 1
		}, `Role y/pull: get secrets "pull-secret": no request used it`},
		"a right that only a denied request would have used": {func(_ *Shipped, trace Trace, _ *Exemptions) {
			delete(trace, Request{Verb: "create", Resource: "secrets", Namespace: Namespace, By: "RoleBinding own"})
			trace[Request{Verb: "create", Resource: "secrets", Namespace: Namespace}] = 1
		}, "create secrets in namespace openshift-platform-operators: was denied 1 times"},
		"a right that another role gives everywhere": {func(s *Shipped, _ Trace, _ *Exemptions) {
			s.Own = append(s.Own, Right{Role: "ClusterRole wide", Resource: "secrets", Verb: "create"})
		}, "Role x/own: create secrets: ClusterRole wide gives it everywhere"},
		"a denied request": {func(_ *Shipped, trace Trace, _ *Exemptions) {
			trace[Request{Verb: "delete", Resource: "nodes"}] = 2
		}, "delete nodes in the whole cluster: was denied 2 times"},
		"a request that something else allowed": {func(_ *Shipped, trace Trace, _ *Exemptions) {
			trace[Request{Verb: "get", Resource: "nodes", By: "ClusterRoleBinding admins"}] = 1
		}, `get nodes in the whole cluster: none of the shipped roles allows it, but "ClusterRoleBinding admins"`},
		"a request for the manager itself that only bundles' role allows": {func(_ *Shipped, trace Trace, _ *Exemptions) {
			trace[Request{Verb: "delete", Resource: "secrets", Namespace: Namespace, By: forBundles}] = 1
		}, "delete secrets in namespace openshift-platform-operators: is for the manager itself"},
		"one of its own kinds that only bundles' role allows": {func(_ *Shipped, trace Trace, _ *Exemptions) {
			trace[Request{Verb: "delete", Resource: "bundles.core.rukpak.io", By: forBundles}] = 1
		}, "delete bundles.core.rukpak.io in the whole cluster: is for the manager itself"},
		"which kinds there are, when only bundles' role lets it see that": {func(_ *Shipped, trace Trace, _ *Exemptions) {
			trace[Request{Verb: "watch", Resource: "customresourcedefinitions.apiextensions.k8s.io", By: forBundles}] = 1
		}, "watch customresourcedefinitions.apiextensions.k8s.io in the whole cluster: is for the manager itself"},
		"a kind that a bundle brings": {func(_ *Shipped, trace Trace, _ *Exemptions) {
			trace[Request{Verb: "patch", Resource: "customresourcedefinitions.apiextensions.k8s.io", By: forBundles}] = 1
		}, ""},
		"a borrowed role that nothing used": {func(_ *Shipped, trace Trace, _ *Exemptions) {
			delete(trace, Request{Verb: "create", Resource: "tokenreviews.authentication.k8s.io", By: "ClusterRoleBinding whatever"})
		}, "ClusterRole system:auth-delegator: is bound to the manager, and no request used it"},
		"an exemption that nothing needs": {func(_ *Shipped, _ Trace, exempt *Exemptions) {
			exempt.Unused = []Exempt{{What: "Role x/own: create secrets", Why: "for fun"}}
		}, "Role x/own: create secrets: is exempt, and there was no need for that (for fun)"},
		"an exemption that may be needed": {func(_ *Shipped, _ Trace, exempt *Exemptions) {
			exempt.Unused = []Exempt{{What: "Role x/own: create secrets", Why: "for fun", ByChance: true}}
		}, ""},
		"what is exempt": {func(_ *Shipped, trace Trace, exempt *Exemptions) {
			trace[Request{Verb: "delete", Resource: "nodes"}] = 2
			exempt.Denied = []Exempt{{What: "delete nodes in the whole cluster", Why: "a spec tries it"}}
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			shipped, trace, exempt := given(), used(), Exemptions{}
			test.change(&shipped, trace, &exempt)
			got := strings.Join(Compare(shipped, trace, exempt), "\n")
			if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
				t.Errorf("got %q, want %q in it", got, test.want)
			}
		})
	}
}

// audited is one event, as the API server writes it: an allowed one has a reason.
func audited(user, verb, ref, code, reason string) string {
	decision := "allow"
	if reason == "" {
		decision = "forbid"
	}
	return fmt.Sprintf(`{"stage":"ResponseComplete","verb":%q,"requestURI":"/apis?timeout=32s","user":{"username":%q},"objectRef":{%s},"responseStatus":{%s},"annotations":{"authorization.k8s.io/decision":%q,"authorization.k8s.io/reason":%q}}`+"\n",
		verb, user, ref, code, decision, reason)
}

func TestAuditLogsAreSummedUp(t *testing.T) {
	by := `RBAC: allowed by RoleBinding "own/openshift-platform-operators" of Role "own" to ServiceAccount "platform-operators/openshift-platform-operators"`
	anywhere := `RBAC: allowed by ClusterRoleBinding "platform-operators-bundles" of ClusterRole "platform-operators-bundles" to ServiceAccount "platform-operators/openshift-platform-operators"`
	secret := `"resource":"secrets","namespace":"` + Namespace + `","name":"a"`
	log := audited(User, "create", secret, `"code":201`, by) +
		audited(User, "create", strings.Replace(secret, `"a"`, `"b"`, 1), `"code":201`, by) +
		audited("somebody", "delete", secret, `"code":200`, by) +
		audited(User, "patch", `"resource":"deployments","apiGroup":"apps","namespace":"memo","name":"a"`, `"code":201`, anywhere) +
		audited(User, "update", `"resource":"deployments","subresource":"scale","apiGroup":"apps","namespace":"memo","name":"a"`, `"code":200`, anywhere) +
		audited(User, "list", `"resource":"nodes"`, `"code":403`, "") +
		audited(User, "patch", `"resource":"configmaps","namespace":"memo"`, `"code":403,"message":"configmaps \"a\" is forbidden: User \"x\" cannot create resource \"configmaps\""`, anywhere) +
		audited(User, "create", `"resource":"pods","namespace":"memo"`, `"code":403,"message":"exceeded quota"`, anywhere) +
		audited(User, "get", `"resource":"secrets","namespace":"openshift-config","name":"pull-secret"`, `"code":404`, by) +
		audited(User, "get", ``, `"code":200`, `RBAC: allowed by ClusterRoleBinding "system:discovery" of ClusterRole "system:discovery" to Group "system:authenticated"`) +
		`{"half a line": "` + User
	got, err := collect(bufio.NewReader(strings.NewReader(log)), given())
	if err != nil {
		t.Fatal(err)
	}
	want := Trace{
		{Verb: "create", Resource: "secrets", Namespace: Namespace, By: "RoleBinding own"}:         2,
		{Verb: "patch", Resource: "deployments.apps", Namespace: Elsewhere, By: forBundles}:        1,
		{Verb: "create", Resource: "deployments.apps", Namespace: Elsewhere, By: forBundles}:       1,
		{Verb: "update", Resource: "deployments.apps/scale", Namespace: Elsewhere, By: forBundles}: 1,
		{Verb: "list", Resource: "nodes"}:                                                                             1,
		{Verb: "patch", Resource: "configmaps", Namespace: Elsewhere}:                                                 1,
		{Verb: "create", Resource: "pods", Namespace: Elsewhere, By: forBundles}:                                      1,
		{Verb: "get", Resource: "secrets", Namespace: "openshift-config", Name: "pull-secret", By: "RoleBinding own"}: 1,
		{Verb: "get", Path: "/apis", By: "ClusterRoleBinding system:discovery"}:                                       1,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestALogThatWasRotatedOrIsNotThereIsNotSummedUp(t *testing.T) {
	log := filepath.Join(t.TempDir(), "audit.log")
	if _, err := Collect(log, given()); err == nil || !strings.Contains(err.Error(), "was the cluster started with an audit log?") {
		t.Errorf("without a log: %v", err)
	}
	for _, name := range []string{log, strings.Replace(log, ".log", "-2026-01-02T03-04-05.000.log", 1)} {
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Collect(log, given()); err == nil || !strings.Contains(err.Error(), "was rotated") {
		t.Errorf("of a log that was rotated: %v", err)
	}
}

func TestOnlyAWholeRunIsRead(t *testing.T) {
	whole := types.Report{SuiteSucceeded: true, PreRunStats: types.PreRunStats{TotalSpecs: 2, SpecsThatWillRun: 2}}
	focused := types.Report{SuiteSucceeded: true, PreRunStats: types.PreRunStats{TotalSpecs: 2, SpecsThatWillRun: 1}}
	failed := types.Report{PreRunStats: whole.PreRunStats}
	for name, test := range map[string]struct {
		scenarios, integration, e2e *types.Report
		without                     string
		want                        string
	}{
		"all suites":                {&whole, &whole, &whole, "", ""},
		"nothing":                   {nil, nil, nil, "", "in the scenarios suite: it left no trace"},
		"one suite":                 {&whole, nil, nil, "", "in the integration suite: it left no trace"},
		"two suites":                {&whole, &whole, nil, "", "in the e2e suite: it left no trace"},
		"a few specs":               {&whole, &focused, &whole, "", "only 1 of its 2 specs ran"},
		"a failed suite":            {&whole, &whole, &failed, "", "in the e2e suite: it failed"},
		"a suite without its trace": {&whole, &whole, &whole, "e2e", "in the e2e suite: it left no trace"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			for suite, report := range map[string]*types.Report{"scenarios": test.scenarios, "integration": test.integration, "e2e": test.e2e} {
				if report == nil {
					continue
				}
				if err := Finish(folder, suite, *report); err != nil {
					t.Fatal(err)
				}
				if suite == test.without {
					continue
				}
				for process := range 2 {
					if err := used().Write(File(folder, suite, process, 1)); err != nil {
						t.Fatal(err)
					}
				}
			}
			got, err := ReadRun(folder)
			if test.want != "" {
				if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "make test-scenarios test-integration e2e") {
					t.Errorf("got %v, want %q and what to do", err, test.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for request, count := range used() {
				if got[request] != 6*count {
					t.Errorf("%s is counted %d times in three suites of two processes, want %d", request, got[request], 6*count)
				}
			}
		})
	}
}

func TestTheShippedRolesAreRead(t *testing.T) {
	shipped, err := ReadShipped(manifests)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []Right{
		{Role: "ClusterRole platform-operators-manager", Resource: "platformoperators.platform.openshift.io/status", Verb: "update"},
		{Role: "Role openshift-platform-operators/platform-operators-manager", Namespace: Namespace, Resource: "leases.coordination.k8s.io", Verb: "update"},
		{Role: "Role openshift-config/platform-operators-pull-secret", Namespace: "openshift-config", Resource: "secrets", Verb: "get", Name: "pull-secret"},
	} {
		found := false
		for _, each := range shipped.Own {
			found = found || each == want
		}
		if !found {
			t.Errorf("%s is not among them", want)
		}
	}
	if faults := powers(shipped); len(faults) > 0 {
		t.Error(faults)
	}
}
