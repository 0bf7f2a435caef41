package apply

import (
	"errors"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/platform-operators/pkg/apply/livecache"
	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/apply/reconcile"
)

func TestReportSaysHowToLookAtTheFirstThatIsNotReady(t *testing.T) {
	deployment := Key{GroupKind: schema.GroupKind{Group: "apps", Kind: "Deployment"}, Namespace: "memo", Name: "controller"}
	crd := Key{GroupKind: schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}, Name: "memos.example.com"}
	there := func(key Key, problem string) outcome {
		return outcome{reconciled: reconcile.Outcome{Desired: &object.Desired{Key: key}, Live: &livecache.Live{}}, problem: problem}
	}
	for name, c := range map[string]struct {
		outcomes []outcome
		want     string
	}{
		"all are ready":                           {[]outcome{there(deployment, "")}, ""},
		"the first that is not":                   {[]outcome{there(crd, ""), there(deployment, "no replica"), there(crd, "not established")}, "kubectl describe -n memo deployment controller"},
		"one without a namespace, with its group": {[]outcome{there(crd, "not established")}, "kubectl describe customresourcedefinition.apiextensions.k8s.io memos.example.com"},
		"the first is not there":                  {[]outcome{{reconciled: reconcile.Outcome{Desired: &object.Desired{Key: deployment}}, problem: "is not there"}, there(crd, "not established")}, ""},
		"the first could not be written":          {[]outcome{{reconciled: reconcile.Outcome{Desired: &object.Desired{Key: deployment}, Live: &livecache.Live{}, Err: errors.New("x")}, problem: "x"}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			report := Report{}
			report.add(nil, &ownerState{}, c.outcomes)
			if report.Command != c.want {
				t.Errorf("got %q, want %q", report.Command, c.want)
			}
		})
	}
}

func TestAnObjectOfAnOutdatedCacheIsUnread(t *testing.T) {
	desired := &object.Desired{Key: Key{GroupKind: schema.GroupKind{Kind: "Secret"}, Namespace: "memo", Name: "a"}}
	each := outcome{reconciled: reconcile.Outcome{Desired: desired, Live: &livecache.Live{}}}
	each.setUnread(&object.WaitError{Reason: "cannot be read", Unread: true})
	report := Report{}
	report.add(nil, &ownerState{}, []outcome{each})
	if !report.Unread || report.Command != "" || len(report.Unready) != 1 || report.Unready[0] != "Secret memo/a cannot be read" {
		t.Errorf("got %+v", report)
	}
}

// The API server accepts a ClusterRole with such a name, and refuses a status with a longer entry.
func TestReasonsOfObjectsWithLongNamesFitStatus(t *testing.T) {
	role := Key{GroupKind: schema.GroupKind{Group: "rbac.authorization.k8s.io", Kind: "ClusterRole"}, Name: strings.Repeat("x", 1100)}
	for name, each := range map[string]reconcile.Outcome{
		"it is not there":      {Desired: &object.Desired{Key: role}},
		"it cannot be written": {Desired: &object.Desired{Key: role}, Err: errors.New("x")},
	} {
		if got := missing(each); got == "" || len(got) > 1024 {
			t.Errorf("%s: the reason has %d characters", name, len(got))
		}
	}
}
