package upgradestep_test

import (
	"strings"
	"testing"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/upgrade"
	"github.com/openshift/platform-operators/pkg/upgradestep"
	"github.com/openshift/platform-operators/test/steptest"
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
			if upgradestep.SameImage(test.a, test.b) != test.same {
				t.Errorf("%s and %s: want %t", test.a, test.b, test.same)
			}
			if upgradestep.SameImage(test.b, test.a) != test.same {
				t.Errorf("%s and %s, the other way round: want %t", test.b, test.a, test.same)
			}
		})
	}
}

// offering returns the decision for 1.0.0 with this image.
func offering(image string) resolve.Decision {
	decision := steptest.Choosing("1.0.0")
	decision.Available[0].Bundle.Image = image
	return decision
}

// at100 returns a Current in which 1.0.0 with this image is recorded, installed and shown as ready.
func at100(image string, deployment *corev1alpha2.BundleDeployment) upgradestep.Current {
	withImage := func() *platformv1alpha1.InstalledBundle {
		bundle := steptest.Bundle("1.0.0")
		bundle.Image = image
		return bundle
	}
	current := upgradestep.Current{Recorded: withImage(), Installed: withImage(), Deployment: deployment}
	current.History = shownAsReady(current)
	return current
}

func TestBundleThatWasRebuiltIsMovedToLikeAVersion(t *testing.T) {
	const here, rebuilt, mirror = "registry.invalid/op" + oneDigest, "registry.invalid/op" + anotherDigest, "mirror.invalid/op" + oneDigest
	manual := upgradestep.Spec{Manual: true}
	secondRelease, err := upgrade.ParseVersion("1.0.0", "2")
	if err != nil {
		t.Fatal(err)
	}
	released := offering(rebuilt) // the target is another release of the version, which the spec approves
	released.Available[0].Bundle.Release, released.Available[0].Version = "2", secondRelease
	for name, test := range map[string]struct {
		deployment *corev1alpha2.BundleDeployment
		in         upgradestep.Input
		decision   resolve.Decision
		image      string
		begins     bool
		blocked    string
	}{
		"what runs is healthy":                           {steptest.Active(steptest.Healthy()), upgradestep.Input{}, offering(rebuilt), rebuilt, true, ""},
		"what runs is not healthy and is replaced":       {steptest.Active(steptest.Unhealthy()), upgradestep.Input{}, offering(rebuilt), rebuilt, true, ""},
		"what runs was rolled back":                      {steptest.RolledBack(), upgradestep.Input{}, offering(rebuilt), rebuilt, true, ""},
		"the cluster is being updated":                   {steptest.Active(steptest.Healthy()), upgradestep.Input{ClusterUpdate: "4.21.0"}, offering(rebuilt), "", false, "being updated to 4.21.0"},
		"moves need approval":                            {steptest.Active(steptest.Healthy()), upgradestep.Input{Spec: manual}, offering(rebuilt), "", false, "another image"},
		"moves need approval, and have it":               {steptest.Active(steptest.Unhealthy()), upgradestep.Input{Spec: upgradestep.Spec{Manual: true, ApprovedVersion: "1.0.0 (release 2)"}}, released, rebuilt, true, ""},
		"nothing was ever ready, and moves need it":      {steptest.Stale(), upgradestep.Input{Spec: manual}, offering(rebuilt), rebuilt, true, ""},
		"the same in another registry":                   {steptest.Active(steptest.Healthy()), upgradestep.Input{}, offering(mirror), mirror, false, ""},
		"the same in another registry, and not healthy":  {steptest.Active(steptest.Unhealthy()), upgradestep.Input{}, offering(mirror), here, false, ""},
		"the same in another registry, was rolled back":  {steptest.RolledBack(), upgradestep.Input{}, offering(mirror), here, false, ""},
		"the same in another registry, cannot be pulled": {steptest.Deployment("Unpacked=False"), upgradestep.Input{}, offering(mirror), mirror, false, ""},
		"the same by tag":                                {steptest.Active(steptest.Healthy()), upgradestep.Input{}, offering("registry.invalid/op:1"), here, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			test.in.Current, test.in.Decision = at100(here, test.deployment), test.decision
			step := upgradestep.Decide(test.in)
			image, message := "", upgradestep.Message(test.in, step)
			if moves(step) != "" {
				image = step.Bundle.Image
			}
			if image != test.image {
				t.Errorf("it runs %q, want %q", image, test.image)
			}
			if (step.Start != nil) != test.begins {
				t.Errorf("a step starts: %t, want %t", step.Start != nil, test.begins)
			}
			if (message == "") != (test.blocked == "") || !strings.Contains(message, test.blocked) {
				t.Errorf("blocked: %q, want %q", message, test.blocked)
			}
		})
	}
}

func TestTagDoesNotTellWhichImageRuns(t *testing.T) {
	current := at100("registry.invalid/op"+oneDigest, steptest.Active(steptest.Healthy()))
	current.Recorded.Image = "registry.invalid/op:1.0.0"
	for image, starts := range map[string]bool{
		"registry.invalid/op:1.0.0":           false,
		"registry.invalid/op" + oneDigest:     false,
		"registry.invalid/op" + anotherDigest: true,
	} {
		if step := upgradestep.Decide(upgradestep.Input{Current: current, Decision: offering(image)}); (step.Start != nil) != starts {
			t.Errorf("the catalog has %s: a step starts: %t", image, step.Start != nil)
		}
	}
}
