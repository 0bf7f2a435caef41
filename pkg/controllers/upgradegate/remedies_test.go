package upgradegate

import (
	"errors"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	operatorv1 "github.com/openshift/api/operator/v1"
	"github.com/openshift/library-go/pkg/operator/v1helpers"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/compat"
	"github.com/openshift/platform-operators/pkg/health"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/resolve/joint"
)

// company is a catalog in which compass 1.1.0 permits OpenShift up to 4.23 and requires rose below 2.0.0. The catalog has two versions of
// rose.
type company struct{ requirement catalog.Requirement }

func (company) Unlisted() []string { return nil }

func (c company) For(pkg string) []resolve.Catalog {
	offered := twoVersions{}.For(pkg)
	switch pkg {
	case "compass":
		offered[0].Package.Bundles[1].Requirements = []catalog.Requirement{c.requirement}
	case "rose":
		offered[0].Package = &catalog.Package{Name: "rose", DefaultChannel: "stable",
			Channels: []catalog.Channel{{Name: "stable", Entries: []catalog.Entry{{Name: "rose.v1.5.0"}, {Name: "rose.v2.0.0"}}}},
			Bundles: []catalog.Bundle{
				{Name: "rose.v1.5.0", Version: "1.5.0", Image: "i@sha256:15"}, {Name: "rose.v2.0.0", Version: "2.0.0", Image: "i@sha256:20"},
			}}
	}
	return offered
}

func rose(version string) *platformv1alpha1.PlatformOperator {
	operator := &platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: "flower"}}
	operator.Spec.Package = platformv1alpha1.Package{Name: "rose", Version: version}
	operator.Status.Installed = &platformv1alpha1.InstalledBundle{Bundle: "rose.v" + version, Version: version}
	return operator
}

func TestHRD_S3_NoRemedyIsNamedWhileNothingMayMove(t *testing.T) {
	on := resolve.Cluster{Version: "4.21.0", KubeVersion: "v1.36.3", Hold: "the limits are gone"}
	c := &controller{catalogs: company{}, inventory: nothingElse{}, kubeVersion: "v1.36.3"}
	blocked := compass("", "4.21", "none")
	in := input{cluster: on, operators: []*platformv1alpha1.PlatformOperator{blocked}, deployments: deploymentsOf(blocked)}
	found := c.queryFor(in).run(&joint.Cache{}, nil)
	verdict, err := compat.Evaluate(on.Version, c.bundlesOf(blocked, in, &found), start)
	if err != nil || len(verdict.Blockers) != 1 {
		t.Fatalf("%d blockers, %v: %s", len(verdict.Blockers), err, verdict.Message)
	}
	if remedy := verdict.Blockers[0].Remedy; !strings.Contains(remedy, on.Hold) || strings.Contains(remedy, "update to") {
		t.Errorf("the remedy is %q", remedy)
	}
}

func TestRemediesAreWhatTheOtherOperatorsLeave(t *testing.T) {
	on := resolve.Cluster{Version: "4.21.0", KubeVersion: "v1.36.3"}
	c := &controller{catalogs: company{catalog.Requirement{Package: &catalog.PackageRange{Name: "rose", Range: "<2.0.0"}}}, inventory: nothingElse{}, kubeVersion: "v1.36.3"}
	going := rose("1.5.0")
	going.DeletionTimestamp = &metav1.Time{Time: start}
	for name, test := range map[string]struct {
		others []*platformv1alpha1.PlatformOperator
		line   string
		never  string
	}{
		"what it needs is there":                    {[]*platformv1alpha1.PlatformOperator{rose("1.5.0")}, "update to >=1.1.0 (allows 4.22)", ";"},
		"what it needs is there in another version": {[]*platformv1alpha1.PlatformOperator{rose("2.0.0")}, "update to >=1.1.0 (allows 4.22); it ", ""},
		"what it needs is not there":                {nil, "update to >=1.1.0 (allows 4.22); it ", ""},
		"what it needs was taken down":              {[]*platformv1alpha1.PlatformOperator{going}, "update to >=1.1.0 (allows 4.22); it ", ""},
	} {
		t.Run(name, func(t *testing.T) {
			blocked := compass("", "4.21", "none")
			in := input{cluster: on, operators: append(test.others, blocked), deployments: deploymentsOf(append(test.others, blocked)...)}
			found := c.queryFor(in).run(&joint.Cache{}, nil)
			verdict, err := compat.Evaluate(on.Version, c.bundlesOf(blocked, in, &found), start)
			if err != nil || len(verdict.Blockers) != 1 {
				t.Fatalf("%d blockers, %v: %s", len(verdict.Blockers), err, verdict.Message)
			}
			remedy := verdict.Blockers[0].Remedy
			if !strings.Contains(remedy, test.line) || test.never != "" && strings.Contains(remedy, test.never) {
				t.Errorf("the remedy is %q, want %q", remedy, test.line)
			}
		})
	}
}

func TestRemediesSayTheSameWhateverAilsACatalog(t *testing.T) {
	g := gateOf(t, manual(compass("", "4.21", "none")))
	g.clusterVersion(t, "4.21.0")
	left := catalog.ID{Kind: "ClusterCatalog", Name: "away"}
	for _, cause := range []string{"dial tcp 10.0.0.7:40112: connection refused", "dial tcp 10.0.0.7:40345: i/o timeout"} {
		g.offers.catalogs = append(twoVersions{}.For(""), resolve.Catalog{ID: left, Err: errors.New(cause)})
		_, _, message := g.says(t)
		if strings.Contains(message, "dial tcp") || !strings.Contains(message, `set spec.upgrades.approvedVersion to "1.1.0"`) {
			t.Errorf("it says %s", message)
		}
		g.offers.catalogs = []resolve.Catalog{{ID: left, Err: errors.New(cause)}}
		if _, _, message = g.says(t); !strings.Contains(message, "no version that allows 4.22 is known: catalog ClusterCatalog/away could not be read.\n") {
			t.Errorf("it says %s", message)
		}
	}
}

func TestNewerReleaseOfTheSameVersionIsARemedy(t *testing.T) {
	operator := compass("", "4.21", "none")
	operator.Status.Installed.Release = "1"
	g := gateOf(t, operator)
	g.clusterVersion(t, "4.21.0")
	pkg := g.offers.catalogs[0].Package
	pkg.Channels[0].Entries[1] = catalog.Entry{Name: "compass.v1.0.0-2", Replaces: "compass.v1.0.0"}
	pkg.Bundles[0].Release = "1"
	pkg.Bundles[1] = catalog.Bundle{Name: "compass.v1.0.0-2", Version: "1.0.0", Release: "2", Image: "i@sha256:12", MaxOpenShiftVersions: []string{`"4.23"`}}
	g.want(t, "automatic", operatorv1.ConditionFalse, compat.ReasonIncompatible, "- compass 1.0.0 allows at most 4.21: update to >=1.0.0 (release 2) (allows 4.22)")
	operator.Spec.Upgrades = &platformv1alpha1.Upgrades{Approval: platformv1alpha1.ApprovalManual}
	g.want(t, "manual", operatorv1.ConditionFalse, compat.ReasonIncompatible, "- compass 1.0.0 allows at most 4.21: set spec.upgrades.approvedVersion to \"1.0.0 (release 2)\" (allows 4.22)")
}

func TestVerdictSaysThatItMayBeOutOfDate(t *testing.T) {
	g := gateOf(t, compass("", "4.22", "none"))
	g.clusterVersion(t, "4.21.0")
	g.want(t, "before", operatorv1.ConditionTrue, compat.ReasonAsExpected)
	refused := func(resources ...string) {
		t.Helper()
		var refusals []health.WatchError
		for _, resource := range resources {
			refusals = append(refusals, health.WatchError{Resource: resource, Message: strings.Repeat("no role ", 30), First: start.Add(-time.Hour), Last: start})
		}
		said, _ := health.WatchCondition(refusals, start)
		live := g.seen(t)
		v1helpers.RemoveOperatorCondition(&live.Status.Conditions, "WatchesDegraded")
		live.Status.Conditions = append(live.Status.Conditions, operatorv1.OperatorCondition{
			Type: "WatchesDegraded", Status: operatorv1.ConditionStatus(said.Status), Reason: said.Reason, Message: said.Message, LastTransitionTime: metav1.NewTime(start.Add(time.Hour))})
		if _, err := g.client.OperatorV1alpha1().PlatformOperatorManagers().UpdateStatus(t.Context(), live, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		g.seen(t)
	}
	refused("bundles", "clusteroperators", "catalogsources")
	if _, _, message := g.says(t); strings.Contains(message, "out of date") {
		t.Errorf("what is refused is no matter of the gate's, and it says %s", message)
	}
	refused("bundles", "catalogsources", "clustercatalogs", "clusterextensions", "customresourcedefinitions", "platformoperators")
	g.want(t, "while something is refused", operatorv1.ConditionTrue, compat.ReasonAsExpected, "This message may be out of date since 2026-03-01T13:00:00Z: ", "WatchesDegraded")
	g.unchanged(t, "while something is refused")
	g.clusterVersion(t, "4.22.0")
	g.want(t, "and it still judges what it sees", operatorv1.ConditionFalse, compat.ReasonIncompatible, "blocks OpenShift 4.23 (the same release as 5.0)", "WatchesDegraded")
}
