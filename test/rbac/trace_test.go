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

func testRule(group, resource, verb string, names ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{resource}, Verbs: []string{verb}, ResourceNames: names}
}

// testRoles returns roles with one right in all namespaces, one in a namespace, one on one object, some for bundles, and a role of Kubernetes.
func testRoles() ShippedRoles {
	s := ShippedRoles{ForBundles: map[string][]rbacv1.PolicyRule{
		"ClusterRole bundles": {testRule("", "configmaps", "create"), testRule("", "configmaps", "list"), testRule("apiextensions.k8s.io", "customresourcedefinitions", "patch")},
	}}
	s.Own = append(s.Own, rightsFromRule("ClusterRole own", "", testRule("platform.openshift.io", "platformoperators/status", "update"))...)
	s.Own = append(s.Own, rightsFromRule("Role x/own", Namespace, testRule("", "secrets", "create"))...)
	s.Own = append(s.Own, rightsFromRule("Role y/pull", "openshift-config", testRule("", "secrets", "get", "pull-secret"))...)
	s.FromKubernetes = rightsFromRule("ClusterRole system:auth-delegator", "", kubernetesRoles["ClusterRole system:auth-delegator"][0])
	return s
}

const ownBinding, bundlesBinding = "ClusterRoleBinding own", "ClusterRoleBinding " + BundlesRole

// testTrace returns a trace that uses every right of testRoles.
func testTrace() Trace {
	return Trace{
		{Verb: "update", Resource: "platformoperators.platform.openshift.io/status", By: ownBinding}:                            3,
		{Verb: "create", Resource: "secrets", Namespace: Namespace, By: "RoleBinding own"}:                                      1,
		{Verb: "get", Resource: "secrets", Namespace: "openshift-config", Name: "pull-secret", By: "x"}:                         1,
		{Verb: "create", Resource: "tokenreviews.authentication.k8s.io", By: "ClusterRoleBinding whatever"}:                     1,
		{Verb: "create", Resource: "configmaps", Namespace: OtherNamespace, By: bundlesBinding}:                                 1,
		{Verb: "list", Resource: "configmaps", By: bundlesBinding}:                                                              1,
		{Verb: "patch", Resource: "customresourcedefinitions.apiextensions.k8s.io", By: bundlesBinding}:                         1,
		{Verb: "get", Path: "/apis", By: "ClusterRoleBinding system:discovery"}:                                                 1,
		{Verb: "create", Resource: "selfsubjectaccessreviews.authorization.k8s.io", By: "ClusterRoleBinding system:basic-user"}: 1,
	}
}

func TestCompare(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*ShippedRoles, Trace, *Exemptions)
		want   string
	}{
		"exact roles": {func(*ShippedRoles, Trace, *Exemptions) {}, ""},
		"an unused right": {func(_ *ShippedRoles, trace Trace, _ *Exemptions) {
			delete(trace, Request{Verb: "create", Resource: "secrets", Namespace: Namespace, By: "RoleBinding own"})
		}, "Role x/own: create secrets: no request used it"},
		"a right on one object, if another was read": {func(_ *ShippedRoles, trace Trace, _ *Exemptions) {
			delete(trace, Request{Verb: "get", Resource: "secrets", Namespace: "openshift-config", Name: "pull-secret", By: "x"})
			trace[Request{Verb: "get", Resource: "secrets", Namespace: "openshift-config", By: bundlesBinding}] = 1
		}, `Role y/pull: get secrets "pull-secret": no request used it`},
		"a right that only a denied request needs": {func(_ *ShippedRoles, trace Trace, _ *Exemptions) {
			delete(trace, Request{Verb: "create", Resource: "secrets", Namespace: Namespace, By: "RoleBinding own"})
			trace[Request{Verb: "create", Resource: "secrets", Namespace: Namespace}] = 1
		}, "create secrets in namespace openshift-platform-operators: was denied 1 times"},
		"a right that another role grants in all namespaces": {func(s *ShippedRoles, _ Trace, _ *Exemptions) {
			s.Own = append(s.Own, Right{Role: "ClusterRole wide", Resource: "secrets", Verb: "create"})
		}, "Role x/own: create secrets: ClusterRole wide gives it everywhere"},
		"a denied request": {func(_ *ShippedRoles, trace Trace, _ *Exemptions) {
			trace[Request{Verb: "delete", Resource: "nodes"}] = 2
		}, "delete nodes in the whole cluster: was denied 2 times"},
		"a request that another role allowed": {func(_ *ShippedRoles, trace Trace, _ *Exemptions) {
			trace[Request{Verb: "get", Resource: "nodes", By: "ClusterRoleBinding admins"}] = 1
		}, `get nodes in the whole cluster: no shipped role allows it, but "ClusterRoleBinding admins" does`},
		"a request in the manager's namespace that only the role for bundles allows": {func(_ *ShippedRoles, trace Trace, _ *Exemptions) {
			trace[Request{Verb: "delete", Resource: "secrets", Namespace: Namespace, By: bundlesBinding}] = 1
		}, "delete secrets in namespace openshift-platform-operators: concerns the manager itself"},
		"a request for the manager's kinds that only the role for bundles allows": {func(_ *ShippedRoles, trace Trace, _ *Exemptions) {
			trace[Request{Verb: "delete", Resource: "bundles.core.rukpak.io", By: bundlesBinding}] = 1
		}, "delete bundles.core.rukpak.io in the whole cluster: concerns the manager itself"},
		"a watch of CustomResourceDefinitions that only the role for bundles allows": {func(_ *ShippedRoles, trace Trace, _ *Exemptions) {
			trace[Request{Verb: "watch", Resource: "customresourcedefinitions.apiextensions.k8s.io", By: bundlesBinding}] = 1
		}, "watch customresourcedefinitions.apiextensions.k8s.io in the whole cluster: concerns the manager itself"},
		"a CustomResourceDefinition of a bundle": {func(_ *ShippedRoles, trace Trace, _ *Exemptions) {
			trace[Request{Verb: "patch", Resource: "customresourcedefinitions.apiextensions.k8s.io", By: bundlesBinding}]++
		}, ""},
		"a right of bundles that no request uses": {func(_ *ShippedRoles, trace Trace, _ *Exemptions) {
			delete(trace, Request{Verb: "list", Resource: "configmaps", By: bundlesBinding})
		}, "ClusterRole bundles: list configmaps: no request for an object of a bundle used it"},
		"a right of bundles that only a denied request needs": {func(_ *ShippedRoles, trace Trace, exempt *Exemptions) {
			delete(trace, Request{Verb: "list", Resource: "configmaps", By: bundlesBinding})
			trace[Request{Verb: "list", Resource: "configmaps"}] = 1
			exempt.Denied = []Exemption{{Subject: "list configmaps in the whole cluster", Why: "a spec revokes it"}}
		}, "ClusterRole bundles: list configmaps: no request for an object of a bundle used it"},
		"a right of bundles that only a request of the manager for itself uses": {func(s *ShippedRoles, _ Trace, _ *Exemptions) {
			s.ForBundles["ClusterRole bundles"] = append(s.ForBundles["ClusterRole bundles"], testRule("", "secrets", "create"))
		}, "ClusterRole bundles: create secrets: no request for an object of a bundle used it"},
		"a right of bundles that the manager has for itself": {func(s *ShippedRoles, _ Trace, _ *Exemptions) {
			s.Own = append(s.Own, Right{Role: "ClusterRole own", Resource: "configmaps", Verb: "list"})
		}, "ClusterRole bundles: list configmaps: the manager's own role grants it everywhere"},
		"a verb of bundles that only a role of a test grants": {func(_ *ShippedRoles, trace Trace, _ *Exemptions) {
			trace[Request{Verb: "deletecollection", Resource: "configmaps", Namespace: OtherNamespace, By: bundlesBinding}] = 1
		}, "deletecollection configmaps in some namespace: a role that a test adds allows it"},
		"a subresource of bundles that only a role of a test grants": {func(_ *ShippedRoles, trace Trace, _ *Exemptions) {
			trace[Request{Verb: "update", Resource: "configmaps/status", Namespace: OtherNamespace, By: bundlesBinding}] = 1
		}, "update configmaps/status in some namespace: a role that a test adds allows it"},
		"a resource that an admin grants for bundles": {func(_ *ShippedRoles, trace Trace, _ *Exemptions) {
			trace[Request{Verb: "create", Resource: "widgets.example.com", Namespace: OtherNamespace, By: bundlesBinding}] = 1
		}, ""},
		"an unused role of Kubernetes": {func(_ *ShippedRoles, trace Trace, _ *Exemptions) {
			delete(trace, Request{Verb: "create", Resource: "tokenreviews.authentication.k8s.io", By: "ClusterRoleBinding whatever"})
		}, "ClusterRole system:auth-delegator: is bound to the manager, and no request used it"},
		"an exemption that is not needed": {func(_ *ShippedRoles, _ Trace, exempt *Exemptions) {
			exempt.Unused = []Exemption{{Subject: "Role x/own: create secrets", Why: "no reason"}}
		}, "Role x/own: create secrets: the exemption is not needed; remove it (no reason)"},
		"a group of exemptions of which one is needed": {func(_ *ShippedRoles, trace Trace, exempt *Exemptions) {
			trace[Request{Verb: "delete", Resource: "nodes"}] = 2
			exempt.Denied = []Exemption{{"delete nodes in the whole cluster", "a spec sends it", "nodes"}, {"list nodes in the whole cluster", "a spec sends it", "nodes"}}
		}, ""},
		"a group of exemptions of which none is needed": {func(_ *ShippedRoles, _ Trace, exempt *Exemptions) {
			exempt.Denied = []Exemption{{"delete nodes in the whole cluster", "a spec sends it", "nodes"}, {"list nodes in the whole cluster", "a spec sends it", "nodes"}}
		}, "delete nodes in the whole cluster: the exemption is not needed; remove it (a spec sends it)\nlist nodes in the whole cluster: the exemption"},
		"an exemption that is needed": {func(_ *ShippedRoles, trace Trace, exempt *Exemptions) {
			trace[Request{Verb: "delete", Resource: "nodes"}] = 2
			exempt.Denied = []Exemption{{Subject: "delete nodes in the whole cluster", Why: "a spec sends it"}}
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			shipped, trace, exempt := testRoles(), testTrace(), Exemptions{}
			test.change(&shipped, trace, &exempt)
			got := strings.Join(Compare(shipped, trace, exempt), "\n")
			if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
				t.Errorf("got %q, want it to contain %q", got, test.want)
			}
		})
	}
}

// auditEvent returns an audit event as the API server writes it. An empty reason is a denied request.
func auditEvent(user, verb, ref, code, reason string) string {
	decision := "allow"
	if reason == "" {
		decision = "forbid"
	}
	return fmt.Sprintf(`{"stage":"ResponseComplete","verb":%q,"requestURI":"/apis?timeout=32s","user":{"username":%q},"objectRef":{%s},"responseStatus":{%s},"annotations":{"authorization.k8s.io/decision":%q,"authorization.k8s.io/reason":%q}}`+"\n",
		verb, user, ref, code, decision, reason)
}

func TestCollectSummarizesAuditLogs(t *testing.T) {
	by := `RBAC: allowed by RoleBinding "own/openshift-platform-operators" of Role "own" to ServiceAccount "platform-operators/openshift-platform-operators"`
	inAllNamespaces := `RBAC: allowed by ClusterRoleBinding "platform-operators-bundles" of ClusterRole "platform-operators-bundles" to ServiceAccount "platform-operators/openshift-platform-operators"`
	secret := `"resource":"secrets","namespace":"` + Namespace + `","name":"a"`
	log := auditEvent(User, "create", secret, `"code":201`, by) +
		auditEvent(User, "create", strings.Replace(secret, `"a"`, `"b"`, 1), `"code":201`, by) +
		auditEvent("another-user", "delete", secret, `"code":200`, by) +
		auditEvent(User, "patch", `"resource":"deployments","apiGroup":"apps","namespace":"memo","name":"a"`, `"code":201`, inAllNamespaces) +
		auditEvent(User, "update", `"resource":"deployments","subresource":"scale","apiGroup":"apps","namespace":"memo","name":"a"`, `"code":200`, inAllNamespaces) +
		auditEvent(User, "list", `"resource":"nodes"`, `"code":403`, "") +
		auditEvent(User, "patch", `"resource":"configmaps","namespace":"memo"`, `"code":403,"message":"configmaps \"a\" is forbidden: User \"x\" cannot create resource \"configmaps\""`, inAllNamespaces) +
		auditEvent(User, "create", `"resource":"pods","namespace":"memo"`, `"code":403,"message":"exceeded quota"`, inAllNamespaces) +
		auditEvent(User, "get", `"resource":"secrets","namespace":"openshift-config","name":"pull-secret"`, `"code":404`, by) +
		auditEvent(User, "update", `"resource":"clusteroperators","subresource":"status","apiGroup":"config.openshift.io","name":"another"`, `"code":200`, by) +
		auditEvent(User, "get", ``, `"code":200`, `RBAC: allowed by ClusterRoleBinding "system:discovery" of ClusterRole "system:discovery" to Group "system:authenticated"`) +
		`{"half a line": "` + User
	got, err := collect(bufio.NewReader(strings.NewReader(log)), testRoles())
	if err != nil {
		t.Fatal(err)
	}
	want := Trace{
		{Verb: "create", Resource: "secrets", Namespace: Namespace, By: "RoleBinding own"}:                  2,
		{Verb: "patch", Resource: "deployments.apps", Namespace: OtherNamespace, By: bundlesBinding}:        1,
		{Verb: "create", Resource: "deployments.apps", Namespace: OtherNamespace, By: bundlesBinding}:       1,
		{Verb: "update", Resource: "deployments.apps/scale", Namespace: OtherNamespace, By: bundlesBinding}: 1,
		{Verb: "list", Resource: "nodes"}:                                                                                 1,
		{Verb: "patch", Resource: "configmaps", Namespace: OtherNamespace}:                                                1,
		{Verb: "create", Resource: "pods", Namespace: OtherNamespace, By: bundlesBinding}:                                 1,
		{Verb: "get", Resource: "secrets", Namespace: "openshift-config", Name: "pull-secret", By: "RoleBinding own"}:     1,
		{Verb: "update", Resource: "clusteroperators.config.openshift.io/status", Name: "another", By: "RoleBinding own"}: 1,
		{Verb: "get", Path: "/apis", By: "ClusterRoleBinding system:discovery"}:                                           1,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestCollectRejectsMissingAndRotatedLogs(t *testing.T) {
	log := filepath.Join(t.TempDir(), "audit.log")
	if _, err := Collect(log, testRoles()); err == nil || !strings.Contains(err.Error(), "was the cluster started with an audit log?") {
		t.Errorf("without a log: %v", err)
	}
	for _, name := range []string{log, strings.Replace(log, ".log", "-2026-01-02T03-04-05.000.log", 1)} {
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Collect(log, testRoles()); err == nil || !strings.Contains(err.Error(), "was rotated") {
		t.Errorf("with a rotated log: %v", err)
	}
}

func TestReadTracesRequiresACompleteRun(t *testing.T) {
	complete := types.Report{SuiteSucceeded: true, PreRunStats: types.PreRunStats{TotalSpecs: 2, SpecsThatWillRun: 2}}
	focused := types.Report{SuiteSucceeded: true, PreRunStats: types.PreRunStats{TotalSpecs: 2, SpecsThatWillRun: 1}}
	failed := types.Report{PreRunStats: complete.PreRunStats}
	for name, test := range map[string]struct {
		scenarios, integration, e2e *types.Report
		without                     string
		want                        string
	}{
		"all suites":                {&complete, &complete, &complete, "", ""},
		"no suite":                  {nil, nil, nil, "", "in the scenarios suite: it left no trace"},
		"one suite":                 {&complete, nil, nil, "", "in the integration suite: it left no trace"},
		"two suites":                {&complete, &complete, nil, "", "in the e2e suite: it left no trace"},
		"a few specs":               {&complete, &focused, &complete, "", "only 1 of its 2 specs ran"},
		"a failed suite":            {&complete, &complete, &failed, "", "in the e2e suite: it failed"},
		"a suite without its trace": {&complete, &complete, &complete, "e2e", "in the e2e suite: it left no trace"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			for suite, report := range map[string]*types.Report{"scenarios": test.scenarios, "integration": test.integration, "e2e": test.e2e} {
				if report == nil {
					continue
				}
				if err := RecordReport(folder, suite, *report); err != nil {
					t.Fatal(err)
				}
				if suite == test.without {
					continue
				}
				for process := range 2 {
					if err := testTrace().Write(TracePath(folder, suite, process, 1)); err != nil {
						t.Fatal(err)
					}
				}
			}
			got, err := ReadTraces(folder)
			if test.want != "" {
				if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "make test-scenarios test-integration e2e") {
					t.Errorf("got %v, want %q and the command", err, test.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for request, count := range testTrace() {
				if got[request] != 6*count {
					t.Errorf("%s is counted %d times in three suites of two processes, want %d", request, got[request], 6*count)
				}
			}
		})
	}
}

func TestReadShippedRoles(t *testing.T) {
	shipped, err := ReadShippedRoles(manifests)
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
			t.Errorf("ReadShippedRoles did not return %s", want)
		}
	}
	if problems := forbiddenRules(shipped); len(problems) > 0 {
		t.Error(problems)
	}
}
