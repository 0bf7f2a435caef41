package platformoperator

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve"
)

const (
	oneDigest     = "@sha256:1111111111111111111111111111111111111111111111111111111111111111"
	anotherDigest = "@sha256:2222222222222222222222222222222222222222222222222222222222222222"
)

func TestSameImage(t *testing.T) {
	for name, test := range map[string]struct {
		a, b string
		same bool
	}{
		"one reference":                          {"registry.invalid/op:1", "registry.invalid/op:1", true},
		"one digest":                             {"registry.invalid/op" + oneDigest, "registry.invalid/op" + oneDigest, true},
		"one digest in two registries":           {"registry.invalid/op" + oneDigest, "mirror.invalid:5000/ns/op" + oneDigest, true},
		"one digest, once with a tag":            {"registry.invalid/op:1" + oneDigest, "registry.invalid/op" + oneDigest, true},
		"two digests":                            {"registry.invalid/op" + oneDigest, "registry.invalid/op" + anotherDigest, false},
		"two tags":                               {"registry.invalid/op:1", "registry.invalid/op:1-1", false},
		"a tag and what it was resolved to":      {"registry.invalid:5000/op:1", "registry.invalid:5000/op" + oneDigest, true},
		"a tag at Docker Hub, in short":          {"acme/op:1", "index.docker.io/acme/op" + oneDigest, true},
		"a tag at Docker Hub, of its own":        {"docker.io/op:1", "index.docker.io/library/op" + oneDigest, true},
		"a tag and a digest of something else":   {"registry.invalid/op:1", "registry.invalid/other" + oneDigest, false},
		"no tag, and a port that looks like one": {"registry.invalid:5000/op", "registry.invalid:5000/other" + oneDigest, false},
	} {
		t.Run(name, func(t *testing.T) {
			if sameImage(test.a, test.b) != test.same || sameImage(test.b, test.a) != test.same {
				t.Errorf("%s and %s: want %t, both ways round", test.a, test.b, test.same)
			}
		})
	}
}

// builtAnew is the decision for 1.0.0 with this image.
func builtAnew(image string) resolve.Decision {
	decision := offering("1.0.0")
	decision.Available[0].Bundle.Image = image
	return decision
}

func recordedAs(image string) *platformv1alpha1.InstalledBundle {
	record := at("1.0.0")
	record.Image = image
	return record
}

func TestBundleThatWasBuiltAnewIsMovedToLikeAVersion(t *testing.T) {
	const here, anew, mirror = "registry.invalid/op" + oneDigest, "registry.invalid/op" + anotherDigest, "mirror.invalid/op" + oneDigest
	ready := healthy()
	ready.Status.ActiveRevision = 1
	ill := deploymentThat("Unpacked=True", "HasValidBundle=True", "Installed=True", "Healthy=False")
	ill.Status.ActiveRevision = 1
	for name, test := range map[string]struct {
		in       situation
		decision resolve.Decision
		image    string
		begins   bool
		blocked  string
	}{
		"what runs is healthy":                        {situation{deployment: ready}, builtAnew(anew), anew, true, ""},
		"what runs is not healthy and is replaced":    {situation{deployment: ill}, builtAnew(anew), anew, true, ""},
		"what runs was rolled back":                   {situation{deployment: rolledBackFrom()}, builtAnew(anew), anew, true, ""},
		"the cluster is being updated":                {situation{deployment: ready, updating: "4.21.0"}, builtAnew(anew), "", false, "being updated to 4.21.0"},
		"moves need a word":                           {situation{deployment: ready, manual: true}, builtAnew(anew), "", false, "another image"},
		"moves need a word, and have it":              {situation{deployment: ill, manual: true, approved: true}, builtAnew(anew), anew, true, ""},
		"nothing was ever ready, and moves need one":  {situation{deployment: stale(), manual: true}, builtAnew(anew), anew, true, ""},
		"the same in another place":                   {situation{deployment: ready}, builtAnew(mirror), mirror, false, ""},
		"the same in another place, and not healthy":  {situation{deployment: ill}, builtAnew(mirror), here, false, ""},
		"the same in another place, was rolled back":  {situation{deployment: rolledBackFrom()}, builtAnew(mirror), here, false, ""},
		"the same in another place, cannot be pulled": {situation{deployment: deploymentThat("Unpacked=False")}, builtAnew(mirror), mirror, false, ""},
		"the same by tag":                             {situation{deployment: ready}, builtAnew("registry.invalid/op:1"), here, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			test.in.record, test.in.installed = recordedAs(here), recordedAs(here)
			got := decideHop(test.in, test.decision)
			image := ""
			if got.to != nil {
				image = got.to.Image
			}
			if image != test.image || (got.began != nil) != test.begins || (got.blocked == "") != (test.blocked == "") || !strings.Contains(got.blocked, test.blocked) {
				t.Errorf("to %q, begins: %t, blocked: %q", image, got.began != nil, got.blocked)
			}
		})
	}
}

func TestTagDoesNotSayWhichImageRuns(t *testing.T) {
	ready := healthy()
	ready.Status.ActiveRevision = 1
	in := situation{deployment: ready, record: recordedAs("registry.invalid/op:1.0.0"), installed: recordedAs("registry.invalid/op" + oneDigest), readyTold: true}
	for image, begins := range map[string]bool{
		"registry.invalid/op:1.0.0":           false,
		"registry.invalid/op" + oneDigest:     false,
		"registry.invalid/op" + anotherDigest: true,
	} {
		if got := decideHop(in, builtAnew(image)); (got.began != nil) != begins {
			t.Errorf("the catalog has %s: a hop begins: %t", image, got.began != nil)
		}
	}
}

// imaged is a catalog of these bundles of package "op".
type imaged []catalog.Bundle

func (imaged) Unlisted() []string { return nil }

func (bundles imaged) For(string) []resolve.Catalog {
	pkg := &catalog.Package{Name: "op", DefaultChannel: "stable", Channels: []catalog.Channel{{Name: "stable"}}, Bundles: bundles}
	for _, bundle := range bundles {
		pkg.Channels[0].Entries = append(pkg.Channels[0].Entries, catalog.Entry{Name: bundle.Name, SkipRange: "<" + bundle.Version})
	}
	return []resolve.Catalog{{ID: candidate("").Catalog, Package: pkg}}
}

func (imaged) Providers(catalog.GVK) []resolve.Providers { return nil }

func TestVersionWaitsForApprovalThoughWhatRunsWasBuiltAnew(t *testing.T) {
	c := running("1.0.0", "")
	c.operator.Spec.Upgrades = &platformv1alpha1.Upgrades{Approval: platformv1alpha1.ApprovalManual}
	record := recordedAs("registry.invalid/op" + oneDigest)
	c.deployment.Annotations[platformv1alpha1.AnnotationBundle], c.deployment.Spec.Source.Image.Ref = asJSON(record), record.Image
	anew, next := candidate("1.0.0").Bundle, candidate("1.1.0").Bundle
	anew.Image = "registry.invalid/op" + anotherDigest
	next.Release, next.Name = "2", "op-v1.1.0-2"
	for range 3 {
		c.sync(t, imaged{anew, next})
	}
	progressing := meta.FindStatusCondition(c.operator.Status.Conditions, platformv1alpha1.ConditionProgressing)
	if progressing.Reason != platformv1alpha1.ReasonAwaitingApproval || !strings.Contains(progressing.Message, `to "1.1.0 (release 2)"`) {
		t.Fatalf("Progressing is %s: %s", progressing.Reason, progressing.Message)
	}
	c.operator.Spec.Upgrades.ApprovedVersion = "1.1.0 (release 2)" // as told
	c.sync(t, imaged{anew, next})
	if got := recordOf(c.deployment); got.Bundle != next.Name {
		t.Errorf("it is at %s", got.Bundle)
	}
}
