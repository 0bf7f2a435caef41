package resolve

import (
	"strings"
	"testing"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve/reason"
)

func TestInstallModes(t *testing.T) {
	for name, test := range map[string]struct {
		supported string // as the catalog has them, "" when it does not say
		suggested string
		watch     string
		install   string
		refusal   string // what it must name, "" when it may be installed
	}{
		"a catalog that does not say":                  {},
		"all namespaces, without a wish":               {supported: "AllNamespaces"},
		"the own namespace, without a wish":            {supported: "OwnNamespace"},
		"one that must be told":                        {supported: "SingleNamespace MultiNamespace", refusal: "watchNamespace"},
		"one that supports nothing":                    {supported: "none", refusal: "[]"},
		"another namespace":                            {supported: "SingleNamespace", watch: "a"},
		"another namespace, not supported":             {supported: "AllNamespaces OwnNamespace", watch: "a", refusal: "SingleNamespace"},
		"the install namespace":                        {supported: "OwnNamespace", watch: "a", install: "a"},
		"the install namespace, not supported":         {supported: "SingleNamespace", watch: "a", install: "a", refusal: "OwnNamespace"},
		"the namespace that the author suggests":       {supported: "OwnNamespace", watch: "hers", suggested: "hers"},
		"the namespace of the package":                 {supported: "OwnNamespace", watch: "quay-system"},
		"several namespaces":                           {supported: "MultiNamespace", watch: "a,b"},
		"several namespaces, not supported":            {supported: "SingleNamespace", watch: "a,b", refusal: "MultiNamespace"},
		"several with the own one":                     {supported: "MultiNamespace OwnNamespace", watch: "a,b", install: "b"},
		"several with the own one, that not supported": {supported: "MultiNamespace", watch: "a,b", install: "b", refusal: "OwnNamespace"},
	} {
		t.Run(name, func(t *testing.T) {
			q := &query{request: Request{Package: "quay", WatchNamespace: test.watch, InstallNamespace: test.install}}
			bundle := catalog.Bundle{SuggestedNamespace: test.suggested}
			if test.supported != "" {
				bundle.InstallModes = map[string]bool{modeAll: false}
				for _, mode := range strings.Fields(strings.TrimPrefix(test.supported, "none")) {
					bundle.InstallModes[mode] = true
				}
			}
			got := reason.Text(installModesRule(q, &Option{Candidate: Candidate{Bundle: bundle}}))
			if (got == "") != (test.refusal == "") || !strings.Contains(got, test.refusal) {
				t.Errorf("the refusal is %q, want one that names %q", got, test.refusal)
			}
		})
	}
}
