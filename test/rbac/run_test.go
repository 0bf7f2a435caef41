package rbac

import (
	"flag"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
)

var traces = flag.String("traces", "", "folder with what the manager asked in whole runs of the scenarios, integration and end-to-end suites")

const manifests = "../../manifests"

// exemptions are what the comparison leaves out, on purpose.
var exemptions = Exemptions{
	Unused: []Exempt{
		{
			What: "ClusterRole platform-operators-manager: update platformoperators.platform.openshift.io/finalizers",
			Why: "no request shows it: the API server asks for it itself when a BundleDeployment is created with an owner that blocks its deletion, " +
				"by the admission plugin OwnerReferencesPermissionEnforcement, which the local cluster has as OpenShift has it",
		},
		{
			What:     "ClusterRole platform-operators-manager: get platformoperatormanagers.operator.openshift.io",
			Why:      "library-go reads it anew when two controllers have written its status at the same moment",
			ByChance: true,
		},
		{
			What:     `Role openshift-platform-operators/platform-operators-manager: list configmaps "platformoperatormanager-limits"`,
			Why:      "an informer gets what there is by a watch that streams it, and lists it only where the API server does not do that, or refuses",
			ByChance: true,
		},
	},
	Denied: []Exempt{
		{"get priorityclasses.scheduling.k8s.io in the whole cluster", withheld + "looks whether that is told", false},
		// A cache of leftovers is filled by a watch that streams, and by a list where the API server refuses that. One that another
		// removal filled before the right was taken away may still run.
		{"list poddisruptionbudgets.policy in the whole cluster", withheld + "has a bundle removed that was never applied", true},
		{"list priorityclasses.scheduling.k8s.io in the whole cluster", withheld + "has a bundle removed that was never applied", true},
		{"watch poddisruptionbudgets.policy in the whole cluster", withheld + "has a bundle removed that was never applied", true},
		{"watch priorityclasses.scheduling.k8s.io in the whole cluster", withheld + "has a bundle removed that was never applied", true},
	},
}

const withheld = "test/scenarios/permissions_test.go takes this right of the role for bundles away, and "

// The roles are shipped as manifests/ has them; the suites run the manager under them and nothing else.
//
// Promise CLU-P5: The manager's roles have exactly the rights that its requests in stories, specs and end-to-end tests need, but for
// listed exemptions. No role has a wildcard or may impersonate, and only the role for bundles may escalate and bind.
func TestCLU_P5_TheManagersRolesAreWhatItUses(t *testing.T) {
	if *traces == "" {
		t.Skip("which rights are used is known after the scenarios, integration and end-to-end suites only: `make test` runs this behind them, with -traces")
	}
	shipped, err := ReadShipped(manifests)
	if err != nil {
		t.Fatal(err)
	}
	trace, err := ReadRun(*traces)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d rights of the manager's own, %d sorts of requests", len(shipped.Own), len(trace))
	for _, fault := range Compare(shipped, trace, exemptions) {
		t.Error(fault)
	}
	for _, fault := range powers(shipped) {
		t.Error(fault)
	}
	if len(shipped.ForBundles) == 0 {
		t.Errorf("no ClusterRole has the label %s", Aggregate)
	}
}

// powers finds what no role of ours may have: wildcards, another's identity, and, but for the one documented rule of the role for
// bundles, rights that are passed on without being held.
func powers(shipped Shipped) (faults []string) {
	passOn := rbacv1.PolicyRule{APIGroups: []string{rbacv1.GroupName}, Resources: []string{"clusterroles", "roles"}, Verbs: []string{"bind", "escalate"}}
	exceptions := 0
	for role, rules := range shipped.Rules {
		for _, rule := range rules {
			if _, forBundles := shipped.ForBundles[role]; forBundles && rule.String() == passOn.String() {
				exceptions++
				continue
			}
			for _, each := range slices.Concat(rule.Verbs, rule.APIGroups, rule.Resources, rule.NonResourceURLs) {
				if strings.Contains(each, "*") || slices.Contains([]string{"impersonate", "escalate", "bind"}, each) {
					faults = append(faults, role+": a rule has "+each)
				}
			}
		}
	}
	if exceptions != 1 {
		faults = append(faults, "the rule by which rights are passed on to bundles is there more than once, or not at all")
	}
	return faults
}
