package platformoperator

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/upgradestep"
	"github.com/openshift/platform-operators/test/steptest"
)

const (
	oneDigest     = "@sha256:1111111111111111111111111111111111111111111111111111111111111111"
	anotherDigest = "@sha256:2222222222222222222222222222222222222222222222222222222222222222"
)

// imaged is a catalog whose package "op" has these bundles.
type imaged []catalog.Bundle

func (imaged) Unlisted() []string { return nil }

func (bundles imaged) For(string) []resolve.Catalog {
	pkg := &catalog.Package{Name: "op", DefaultChannel: "stable", Channels: []catalog.Channel{{Name: "stable"}}, Bundles: bundles}
	for _, bundle := range bundles {
		pkg.Channels[0].Entries = append(pkg.Channels[0].Entries, catalog.Entry{Name: bundle.Name, SkipRange: "<" + bundle.Version})
	}
	return []resolve.Catalog{{ID: steptest.Candidate("").Catalog, Package: pkg}}
}

func (imaged) Providers(catalog.GVK) []resolve.ProviderHint { return nil }

func TestVersionAwaitsApprovalThoughWhatRunsWasRebuilt(t *testing.T) {
	c := running("1.0.0", "")
	c.operator.Spec.Upgrades = &platformv1alpha1.Upgrades{Approval: platformv1alpha1.ApprovalManual}
	record := steptest.Bundle("1.0.0")
	record.Image = "registry.invalid/op" + oneDigest
	c.deployment.Annotations[platformv1alpha1.AnnotationBundle], c.deployment.Spec.Source.Image.Ref = asJSON(t, record), record.Image
	anew, next := steptest.Candidate("1.0.0").Bundle, steptest.Candidate("1.1.0").Bundle
	anew.Image = "registry.invalid/op" + anotherDigest
	next.Release, next.Name = "2", "op-v1.1.0-2"
	for range 3 {
		c.sync(t, imaged{anew, next})
	}
	progressing := meta.FindStatusCondition(c.operator.Status.Conditions, platformv1alpha1.ConditionProgressing)
	if progressing.Reason != platformv1alpha1.ReasonAwaitingApproval || !strings.Contains(progressing.Message, `to "1.1.0 (release 2)"`) {
		t.Fatalf("Progressing is %s: %s", progressing.Reason, progressing.Message)
	}
	c.operator.Spec.Upgrades.ApprovedVersion = "1.1.0 (release 2)" // as the message says
	c.sync(t, imaged{anew, next})
	if got := upgradestep.RecordedBundle(c.deployment); got.Bundle != next.Name {
		t.Errorf("it is at %s", got.Bundle)
	}
}
