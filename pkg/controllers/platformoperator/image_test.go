package platformoperator

import (
	"strings"
	"testing"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
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
