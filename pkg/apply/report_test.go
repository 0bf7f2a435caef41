package apply

import (
	"errors"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestReportSaysHowToLookAtTheFirstThatIsNotReady(t *testing.T) {
	deployment := Key{GroupKind: schema.GroupKind{Group: "apps", Kind: "Deployment"}, Namespace: "memo", Name: "controller"}
	crd := Key{GroupKind: schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}, Name: "memos.example.com"}
	there := func(key Key, problem string) outcome {
		return outcome{item: &item{key: key}, live: &seen{}, problem: problem}
	}
	for name, c := range map[string]struct {
		given []outcome
		want  string
	}{
		"all are ready":                           {[]outcome{there(deployment, "")}, ""},
		"the first that is not":                   {[]outcome{there(crd, ""), there(deployment, "no replica"), there(crd, "not established")}, "kubectl describe -n memo deployment controller"},
		"one without a namespace, with its group": {[]outcome{there(crd, "not established")}, "kubectl describe customresourcedefinition.apiextensions.k8s.io memos.example.com"},
		"the first is not there":                  {[]outcome{{item: &item{key: deployment}, problem: "is not there"}, there(crd, "not established")}, ""},
		"the first could not be written":          {[]outcome{{item: &item{key: deployment}, live: &seen{}, err: errors.New("x"), problem: "x"}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			report := Report{}
			report.add(&memory{}, c.given)
			if report.Look != c.want {
				t.Errorf("got %q, want %q", report.Look, c.want)
			}
		})
	}
}
