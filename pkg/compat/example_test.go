package compat_test

import (
	"fmt"
	"time"

	"github.com/openshift/platform-operators/pkg/compat"
)

func ExampleEvaluate() {
	verdict, err := compat.Evaluate("4.21.3", []compat.Operator{
		{Name: "quay", Package: "quay", Version: "3.14.0", Max: []string{`"4.21"`}, Candidates: []compat.Candidate{
			{Version: "3.15.0", Max: []string{`"4.22"`}, Installable: true},
		}},
		{Name: "cert-manager", Package: "cert-manager", Version: "1.16.0"},
	}, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(verdict.Upgradeable, verdict.Reason)
	fmt.Println(verdict.Message)
	// Output:
	// false IncompatibleOperatorsInstalled
	// platform-operators: 1 PlatformOperator blocks OpenShift 4.22:
	// - quay 3.14.0 allows at most 4.21: update to >=3.15.0 (allows 4.22).
	// Next step for quay: oc describe platformoperator quay
}

func ExampleReadMax() {
	for _, raw := range []string{`"4.20"`, `4.10`, `"4.20.1"`} {
		minor, err := compat.ReadMax([]string{raw})
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(minor)
	}
	// Output:
	// 4.20
	// 4.10
	// olm.maxOpenShiftVersion "4.20.1" cannot be read, a minor version such as "4.20" is expected
}
