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
	_, ignored.Ignored = JudgeOverrides(Minor{4, 21}, []Override{{Version: "4.21", Expires: tomorrow}}, noon)
	const remedy = "set its spec.source to a version that allows 4.21, or acknowledge the risk in its spec.compatibilityOverrides"
	for name, test := range map[string]struct {
		operators   []Operator
		upgradeable bool
		words       []string
		never       string
	}{
		"one without a maximum": {[]Operator{deployment("quay", "")}, true,
			[]string{"platform-operators: 1 BundleDeployment permits OpenShift 4.21; it declares no olm.maxOpenShiftVersion."}, ""},
		"one whose maximum permits it": {[]Operator{deployment("quay", "4.21")}, true, []string{"1 BundleDeployment permits OpenShift 4.21."}, ""},
		"one whose maximum does not": {[]Operator{deployment("quay", "4.20")}, false,
			[]string{"1 BundleDeployment blocks OpenShift 4.21:\n- BundleDeployment quay 1.0.0 allows at most 4.20: " + remedy + "."}, "PlatformOperator"},
		"one of which nobody knows a version": {[]Operator{{Kind: KindBundleDeployment, Name: "quay", Max: []string{`"4.20"`}}}, false,
			[]string{"- BundleDeployment quay allows at most 4.20: "}, ""},
		"beside a PlatformOperator of the same name": {append(declaring("4.20"), deployment("a", "4.20")), false,
			[]string{"1 PlatformOperator and 1 BundleDeployment block OpenShift 4.21:\n- a 1.0.0 allows", "\n- BundleDeployment a 1.0.0 allows"}, ""},
		"one at an acknowledged risk": {[]Operator{acknowledged}, true,
			[]string{"OpenShift 4.21 is permitted because the limit of 1 BundleDeployment is overridden:\n- BundleDeployment risky 1.0.0 allows at most 4.20: overridden until"}, ""},
		"one whose override does not count": {[]Operator{ignored}, false, []string{remedy + "; the compatibility override for OpenShift \"4.21\" is ignored: set its reason to who acknowledges the risk and why."}, ""},
		"one of a tenant": {[]Operator{scoped("quay", "4.20")}, true,
			[]string{"no installed PlatformOperator can block an upgrade to OpenShift 4.21.", "1 BundleDeployment does not permit that version, but cannot block it, because a ServiceAccount applies the objects:\n- BundleDeployment quay 1.0.0 allows at most 4.20."}, remedy},
		"one of a tenant, and one that blocks": {[]Operator{scoped("quay", "4.20"), deployment("rose", "4.20")}, false,
			[]string{"1 BundleDeployment blocks OpenShift 4.21:\n- BundleDeployment rose", "applies the objects:\n- BundleDeployment quay"}, ""},
		"one of a tenant that permits it, or says nothing": {[]Operator{scoped("quay", "4.21"), scoped("rose", "")}, true, nil, "ServiceAccount"},
	} {
		t.Run(name, func(t *testing.T) {
			verdict, err := Evaluate("4.20.1", test.operators, noon)
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
	verdict, err := Evaluate("4.20.1", operators, noon)
	if err != nil || !strings.Contains(verdict.Message, "\n- BundleDeployment zebra 1.0.0") || len(onClusterOperator(verdict)) > MaxMessage {
		t.Errorf("%v, %d bytes:\n%s", err, len(verdict.Message), verdict.Message)
	}
}

func TestHRD_B3_UnknownRemedyIsReportedAsUnknown(t *testing.T) {
	operators := declaring("4.20")
	operators[0].Unsearched = true
	verdict, err := Evaluate("4.20.1", operators, noon)
	want := "platform-operators: 1 PlatformOperator blocks OpenShift 4.21:\n- a 1.0.0 allows at most 4.20: remedy not known yet."
	if err != nil || verdict.Message != want {
		t.Errorf("%v: it says\n%s\nwant\n%s", err, verdict.Message, want)
	}
	if !verdict.LookAheads[0].Unsearched {
		t.Error("how far updates would let the cluster go is told before it is known")
	}
}
