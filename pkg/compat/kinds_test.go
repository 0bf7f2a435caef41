package compat

import (
	"strings"
	"testing"
)

func deployment(name, most string) Operator {
	operator := Operator{Kind: KindBundleDeployment, Name: name, Package: name, Version: "1.0.0"}
	if most != "" {
		operator.Max = []string{`"` + most + `"`}
	}
	return operator
}

// Promise HRD-G2: BundleDeployments that no PlatformOperator owns count at the gate, with a line, a remedy and overrides of their own.
// One that a ServiceAccount applies causes a warning and never blocks.
func TestHRD_G2_BundleDeploymentsBlockAndThoseOfServiceAccountsWarn(t *testing.T) {
	scoped := func(name, most string) Operator {
		operator := deployment(name, most)
		operator.ServiceAccount = "installer"
		return operator
	}
	acknowledged := deployment("risky", "4.20")
	acknowledged.Acknowledged = &Override{Version: "4.21", Reason: "Ada"}
	ignored := deployment("quay", "4.20")
	ignored.Ignored = []string{`the compatibility override for OpenShift "4.21" is ignored: it has no reason`}
	const remedy = "set its spec.source to a version that allows 4.21, or acknowledge the risk in its spec.compatibilityOverrides"
	for name, test := range map[string]struct {
		operators   []Operator
		upgradeable bool
		words       []string
		never       string
	}{
		"one without a maximum": {[]Operator{deployment("quay", "")}, true,
			[]string{"Cluster upgrades to 4.21 are permitted by 1 BundleDeployment, of which 1 declares no olm.maxOpenShiftVersion"}, ""},
		"one whose maximum permits it": {[]Operator{deployment("quay", "4.21")}, true, []string{"permitted by 1 BundleDeployment"}, ""},
		"one whose maximum does not": {[]Operator{deployment("quay", "4.20")}, false,
			[]string{"are blocked by 1 BundleDeployment:\n- BundleDeployment quay 1.0.0 allows at most 4.20: " + remedy}, "PlatformOperator"},
		"one of which nobody knows a version": {[]Operator{{Kind: KindBundleDeployment, Name: "quay", Max: []string{`"4.20"`}}}, false,
			[]string{"- BundleDeployment quay allows at most 4.20: "}, ""},
		"beside a PlatformOperator of the same name": {append(declaring("4.20"), deployment("a", "4.20")), false,
			[]string{"are blocked by 1 platform operator and 1 BundleDeployment:\n- a 1.0.0 allows", "\n- BundleDeployment a 1.0.0 allows"}, ""},
		"one at an acknowledged risk": {[]Operator{acknowledged}, true,
			[]string{"in spite of 1 BundleDeployment:\n- BundleDeployment risky 1.0.0 allows at most 4.20: risk acknowledged"}, ""},
		"one whose override does not count": {[]Operator{ignored}, false, []string{remedy + "; the compatibility override for OpenShift \"4.21\" is ignored: it has no reason"}, ""},
		"one of a tenant": {[]Operator{scoped("quay", "4.20")}, true,
			[]string{"No platform operator is installed that could block", "Does not permit that version, but does not block it, because a ServiceAccount applies it: 1 BundleDeployment:\n- BundleDeployment quay 1.0.0 allows at most 4.20"}, remedy},
		"one of a tenant, and one that blocks": {[]Operator{scoped("quay", "4.20"), deployment("rose", "4.20")}, false,
			[]string{"are blocked by 1 BundleDeployment:\n- BundleDeployment rose", "1 BundleDeployment:\n- BundleDeployment quay"}, ""},
		"one of a tenant that permits it, or says nothing": {[]Operator{scoped("quay", "4.21"), scoped("rose", "")}, true, nil, "ServiceAccount"},
	} {
		t.Run(name, func(t *testing.T) {
			verdict, err := Evaluate("4.20.1", test.operators)
			if err != nil || verdict.Upgradeable != test.upgradeable {
				t.Errorf("%t, %v: %s", verdict.Upgradeable, err, verdict.Message)
			}
			for _, words := range test.words {
				if !strings.Contains(verdict.Message, words) {
					t.Errorf("it does not say\n%s\nbut\n%s", words, verdict.Message)
				}
			}
			if test.never != "" && strings.Contains(verdict.Message, test.never) {
				t.Errorf("it says %q:\n%s", test.never, verdict.Message)
			}
		})
	}
}

func TestHRD_G2_TenantsDoNotHideABlocker(t *testing.T) {
	operators := []Operator{deployment("zebra", "4.20")}
	for range 500 {
		tenant := deployment("a"+strings.Repeat("x", 60), "4.20")
		tenant.ServiceAccount = "installer"
		operators = append(operators, tenant)
	}
	verdict, err := Evaluate("4.20.1", operators)
	if err != nil || !strings.Contains(verdict.Message, "\n- BundleDeployment zebra 1.0.0") || len(onClusterOperator(verdict)) > MaxMessage {
		t.Errorf("%v, %d bytes:\n%s", err, len(verdict.Message), verdict.Message)
	}
}

func TestHRD_B3_UnknownRemedyIsReportedAsUnknown(t *testing.T) {
	operators := declaring("4.20")
	operators[0].Unsearched = true
	verdict, err := Evaluate("4.20.1", operators)
	want := "Cluster upgrades to 4.21 are blocked by 1 platform operator:\n- a 1.0.0 allows at most 4.20: remedy not known yet"
	if err != nil || verdict.Message != want {
		t.Errorf("%v: it says\n%s\nwant\n%s", err, verdict.Message, want)
	}
	if !verdict.LookAheads[0].Unsearched {
		t.Error("how far updates would let the cluster go is told before it is known")
	}
}
