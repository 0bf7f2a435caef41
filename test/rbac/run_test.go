package rbac

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

var traces = flag.String("traces", "", "folder with the traces of the scenarios, integration and end-to-end suites")

const manifests = "../../manifests"

// exemptions are the intended differences between the roles and the requests.
var exemptions = Exemptions{
	Unused: []Exemption{
		{
			Subject: "ClusterRole platform-operators-manager: update platformoperators.platform.openshift.io/finalizers",
			Why: "no request needs it; the admission plugin OwnerReferencesPermissionEnforcement checks it when the manager creates a BundleDeployment " +
				"with an owner that blocks deletion",
		},
		{"ClusterRole platform-operators-bundles-registryv1: bind clusterroles.rbac.authorization.k8s.io", checkedForRoles, ""},
		{"ClusterRole platform-operators-bundles-registryv1: bind roles.rbac.authorization.k8s.io", checkedForRoles, ""},
		{"ClusterRole platform-operators-bundles-registryv1: escalate clusterroles.rbac.authorization.k8s.io", checkedForRoles, ""},
		{"ClusterRole platform-operators-bundles-registryv1: escalate roles.rbac.authorization.k8s.io", checkedForRoles, ""},
	},
	Denied: []Exemption{
		{"get priorityclasses.scheduling.k8s.io in the whole cluster", deniedBy + "asserts that the manager reports it", ""},
		{
			"update platformoperators.platform.openshift.io/status in the whole cluster",
			"test/scenarios/deniedwrites_test.go revokes this right of the manager's own role, and asserts that the manager reports it", "",
		},
		{"list gatecrashs.samples.platform.openshift.io in the whole cluster", unlisted + "gate_counts_test.go", ""},
		{"list returning.safety.example.com in the whole cluster", unlisted + "crdsafety_test.go", ""},
		// The cache for removals uses a streaming watch, and lists if the API server refuses it. If another test started the cache
		// before this test revokes the right, the API server denies no request.
		{"list poddisruptionbudgets.policy in the whole cluster", deniedBy + "removes a bundle that was never applied", "a cache for removals"},
		{"list priorityclasses.scheduling.k8s.io in the whole cluster", deniedBy + "removes a bundle that was never applied", "a cache for removals"},
		{"watch poddisruptionbudgets.policy in the whole cluster", deniedBy + "removes a bundle that was never applied", "a cache for removals"},
		{"watch priorityclasses.scheduling.k8s.io in the whole cluster", deniedBy + "removes a bundle that was never applied", "a cache for removals"},
	},
}

const unlisted = "the CRD exists before the first installation, so that no role permits the manager to list its custom resources yet: test/scenarios/"

const checkedForRoles = "no request has this verb; the API server checks it when the manager writes a role or a binding with rights that it does not have itself"

const deniedBy = "test/scenarios/permissions_test.go revokes this right of the role for bundles, and "

// TestCLU_P5_TheManagersRolesAreWhatItUses compares the roles in manifests/ with the requests of all suites. The suites run the manager
// with these roles only.
//
// Promise CLU-P5: The manager's roles, with the role for bundles, have exactly the rights that its requests in stories, specs and end-to-end
// tests need, and its declared inputs and outputs are exactly what these read and write, but for listed exemptions. No role has a wildcard
// or may impersonate anybody but ServiceAccounts, and only the role for bundles may escalate and bind.
func TestCLU_P5_TheManagersRolesAreWhatItUses(t *testing.T) {
	if *traces == "" {
		t.Skip("this test needs the traces of the scenarios, integration and end-to-end suites; `make test` runs it after them, with -traces")
	}
	shipped, err := ReadShippedRoles(manifests)
	if err != nil {
		t.Fatal(err)
	}
	trace, err := ReadTraces(*traces)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the manager's own roles have %d rights, and it sent %d kinds of requests", len(shipped.Own), len(trace))
	for _, problem := range Compare(shipped, trace, exemptions) {
		t.Error(problem)
	}
	for _, problem := range forbiddenRules(shipped) {
		t.Error(problem)
	}
	if len(shipped.ForBundles) == 0 {
		t.Errorf("no ClusterRole has the label %s", Aggregate)
	}
}

// forbiddenRules returns the parts of rules that no role may have: wildcards, impersonation, escalation and binding. Exceptions are one rule of
// the roles for bundles, which allows escalation and binding, and the impersonation of ServiceAccounts with one extra field.
func forbiddenRules(shipped ShippedRoles) (problems []string) {
	escalation := rbacv1.PolicyRule{APIGroups: []string{rbacv1.GroupName}, Resources: []string{"clusterroles", "roles"}, Verbs: []string{"bind", "escalate"}}
	impersonations := []rbacv1.PolicyRule{
		{APIGroups: []string{""}, Resources: []string{"serviceaccounts"}, Verbs: []string{"impersonate"}},
		{APIGroups: []string{"authentication.k8s.io"}, Resources: []string{"userextras/" + corev1alpha2.ExtraDeployment}, Verbs: []string{"impersonate"}},
	}
	escalations := 0
	for role, rules := range shipped.Rules {
		for _, rule := range rules {
			if slices.ContainsFunc(impersonations, func(each rbacv1.PolicyRule) bool { return each.String() == rule.String() }) {
				continue
			}
			if _, isForBundles := shipped.ForBundles[role]; isForBundles && rule.String() == escalation.String() {
				escalations++
				continue
			}
			for _, each := range slices.Concat(rule.Verbs, rule.APIGroups, rule.Resources, rule.NonResourceURLs) {
				if strings.Contains(each, "*") || slices.Contains([]string{"impersonate", "escalate", "bind"}, each) {
					problems = append(problems, role+": a rule has "+each)
				}
			}
		}
	}
	if escalations != 1 {
		problems = append(problems, fmt.Sprintf("the role for bundles has %d rules to escalate and bind, want 1", escalations))
	}
	return problems
}
