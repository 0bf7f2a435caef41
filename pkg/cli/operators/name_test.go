package operators

import (
	"testing"

	"github.com/openshift/platform-operators/pkg/cli/exit"
)

func TestCLI_12_ArgumentsHaveNamesAsKubectlHasThem(t *testing.T) {
	for argument, want := range map[string]string{
		"quay":                  "quay",
		"upgrade":               "upgrade",
		"plop/quay":             "quay",
		"platformoperator/quay": "quay",
		"PlatformOperator/quay": "quay",
		"platformoperators.v1alpha1.platform.openshift.io/quay": "quay",
		Names([]Operator{{Name: "quay"}})[0]:                    "quay",
	} {
		if got := NameOf(argument); got != want || ValidateName(got) != nil {
			t.Errorf("%q: got %q and error %v, want %q", argument, got, ValidateName(got), want)
		}
	}
	for _, argument := range []string{"", "plop/", "deployment/quay", "platformoperator.example.com/quay", "..", "a%2fb"} {
		if err := ValidateName(NameOf(argument)); exit.CodeOf(err) != exit.Usage {
			t.Errorf("%q: got error %v, want one with code exit.Usage", argument, err)
		}
	}
}
