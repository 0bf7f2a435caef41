package resolve

import (
	"strings"
	"testing"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve/reason"
)

func TestInstallModes(t *testing.T) {
	for name, test := range map[string]struct {
		supported string // install modes in the catalog; "" if it declares none
		suggested string
		watch     string
		install   string
		refusal   string // text that the refusal must contain; "" if the bundle is permitted
	}{
		"a catalog without install modes":              {},
		"all namespaces, none requested":               {supported: "AllNamespaces"},
		"its own namespace, none requested":            {supported: "OwnNamespace"},
		"none requested, although required":            {supported: "SingleNamespace MultiNamespace", refusal: "watchNamespace"},
		"no supported mode":                            {supported: "none", refusal: "[]"},
		"another namespace":                            {supported: "SingleNamespace", watch: "a"},
		"another namespace, not supported":             {supported: "AllNamespaces OwnNamespace", watch: "a", refusal: "SingleNamespace"},
		"the install namespace":                        {supported: "OwnNamespace", watch: "a", install: "a"},
		"the install namespace, not supported":         {supported: "SingleNamespace", watch: "a", install: "a", refusal: "OwnNamespace"},
		"the namespace that the author suggests":       {supported: "OwnNamespace", watch: "suggested", suggested: "suggested"},
		"the namespace of the package":                 {supported: "OwnNamespace", watch: "quay-system"},
		"several namespaces":                           {supported: "MultiNamespace", watch: "a,b"},
		"several namespaces, not supported":            {supported: "SingleNamespace", watch: "a,b", refusal: "MultiNamespace"},
		"several with its own":                         {supported: "MultiNamespace OwnNamespace", watch: "a,b", install: "b"},
		"several with its own, which is not supported": {supported: "MultiNamespace", watch: "a,b", install: "b", refusal: "OwnNamespace"},
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
				t.Errorf("the refusal is %q, want one that contains %q", got, test.refusal)
			}
		})
	}
}
