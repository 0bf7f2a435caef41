package upgradestep_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/upgradestep"
	"github.com/openshift/platform-operators/test/steptest"
)

// pick returns one of the choices at random.
func pick[T any](r *rand.Rand, choices ...T) T { return choices[r.IntN(len(choices))] }

// randomInput returns a random input that the controller could make: its decision is the resolver's for a random catalog.
func randomInput(r *rand.Rand) upgradestep.Input {
	versions := []string{"1.0.0", "1.1.0", "1.2.0"}
	bundle := func() *platformv1alpha1.InstalledBundle {
		bundle := steptest.Bundle(pick(r, versions...))
		bundle.Image = pick(r, bundle.Image, "registry.invalid/op"+oneDigest, "registry.invalid/op"+anotherDigest)
		return bundle
	}
	operator := &platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: "op", Generation: int64(r.IntN(2))}}
	operator.Spec.Package = platformv1alpha1.Package{Name: "op", Version: pick(r, "", "", "!=1.0.0", ">=1.1.0")}
	operator.Spec.Paused = r.IntN(8) == 0
	operator.Spec.Upgrades = pick(r, nil, nil, &platformv1alpha1.Upgrades{Approval: platformv1alpha1.ApprovalManual, ApprovedVersion: pick(r, "", "", "1.1.0", "1.2.0")})
	if r.IntN(4) > 0 {
		operator.Status.Installed = bundle()
	}
	deployment := randomDeployment(r)
	current := upgradestep.CurrentOf(operator.Status, deployment)
	if deployment != nil && r.IntN(8) > 0 {
		current.Recorded = pick(r, operator.Status.Installed, bundle())
	}
	if deployment != nil && r.IntN(4) > 0 {
		trigger := pick(r, platformv1alpha1.TriggerInstallation, platformv1alpha1.TriggerAutomatic, platformv1alpha1.TriggerRestored)
		current.Start = &upgradestep.StepStart{
			Started: metav1.NewTime(noon.Add(-time.Minute)), Trigger: trigger, SpecHash: pick(r, upgradestep.SpecHash(operator.Spec), "changed"),
			Restores: trigger == platformv1alpha1.TriggerRestored || r.IntN(8) == 0,
		}
	}
	if r.IntN(3) > 0 {
		current.History = shownAsReady(current)
		operator.Status.History = current.History
	}
	in := upgradestep.Input{
		Current: current, Spec: upgradestep.SpecOf(operator, ""), Now: noon,
		CatalogUnreadable: r.IntN(8) == 0, ClusterUpdate: pick(r, "", "4.21.0"),
	}
	if request, err := resolve.RequestFor(operator, current.UpgradesFrom(), resolve.Cluster{}); err == nil && r.IntN(16) > 0 {
		in.Decision = resolve.Resolve(request, []resolve.Catalog{{ID: steptest.Candidate("").Catalog, Package: randomPackage(r, versions)}})
	}
	return in
}

func randomPackage(r *rand.Rand, versions []string) *catalog.Package {
	pkg := &catalog.Package{Name: "op", DefaultChannel: "stable", Channels: []catalog.Channel{{Name: "stable"}}}
	for _, v := range versions {
		if r.IntN(4) == 0 {
			continue
		}
		bundle := steptest.Candidate(v).Bundle
		bundle.Image = pick(r, bundle.Image, "registry.invalid/op:again", "registry.invalid/op"+oneDigest, "registry.invalid/op"+anotherDigest)
		pkg.Channels[0].Entries = append(pkg.Channels[0].Entries, catalog.Entry{Name: bundle.Name, SkipRange: "<" + v})
		pkg.Bundles = append(pkg.Bundles, bundle)
	}
	return pkg
}

func randomDeployment(r *rand.Rand) *corev1alpha2.BundleDeployment {
	deployment := pick(r, nil, steptest.Healthy(), steptest.Healthy(), steptest.Unhealthy(), steptest.Stale(), steptest.RolledBack(), steptest.Overdue(), steptest.Deployment("Unpacked=False"), steptest.Deployment("Unpacked=Unknown"))
	if deployment == nil {
		return nil
	}
	deployment.Status.ActiveRevision = int64(r.IntN(3))
	if r.IntN(8) == 0 {
		deployment.DeletionTimestamp = &metav1.Time{Time: noon}
	}
	return deployment
}

// invariants are conditions that each input and its step meet. They do not use the guards of the rules.
var invariants = map[string]func(upgradestep.Input, upgradestep.Step) bool{
	"a step has a bundle and a start, and no reason for none": func(_ upgradestep.Input, step upgradestep.Step) bool {
		return step.Start == nil || step.Bundle != nil && step.Reason == ""
	},
	"what does not start says why": func(_ upgradestep.Input, step upgradestep.Step) bool {
		return step.Start != nil || step.Reason != ""
	},
	"a hold has a message, and nothing else has": func(in upgradestep.Input, step upgradestep.Step) bool {
		return (step.Action == upgradestep.Hold) == (upgradestep.Message(in, step) != "")
	},
	"nothing starts while paused": func(in upgradestep.Input, step upgradestep.Step) bool {
		return !in.Spec.Paused || step.Start == nil
	},
	"nothing starts while the BundleDeployment is being deleted": func(in upgradestep.Input, step upgradestep.Step) bool {
		deployment := in.Current.Deployment
		return deployment == nil || deployment.DeletionTimestamp == nil || step.Start == nil
	},
	"a restoration does not change the bundle": func(in upgradestep.Input, step upgradestep.Step) bool {
		return step.Action != upgradestep.Restore || in.Current.Deployment == nil && cmp.Equal(step.Bundle, in.Current.Recorded)
	},
	"a deleted BundleDeployment comes back with its bundle before anything else": func(in upgradestep.Input, step upgradestep.Step) bool {
		return in.Current.Deployment != nil || in.Current.Recorded == nil || in.Spec.Paused || step.Action == upgradestep.Restore
	},
	"only a move changes a recorded bundle": func(in upgradestep.Input, step upgradestep.Step) bool {
		recorded, installed := in.Current.Recorded, in.Current.Installed
		if step.Bundle == nil || recorded == nil || step.Action == upgradestep.Move {
			return true
		}
		return upgradestep.SameBundle(*step.Bundle, *recorded) || installed != nil && upgradestep.SameBundle(*step.Bundle, *installed)
	},
	"during a cluster update nothing moves that has been ready, unless approved or to leave a step that the spec does not want any more": func(in upgradestep.Input, step upgradestep.Step) bool {
		current := in.Current
		if step.Action != upgradestep.Move || in.ClusterUpdate == "" || current.Installed == nil || !current.WasReady() {
			return true
		}
		return step.Start.Trigger == platformv1alpha1.TriggerApproved || current.Start != nil && current.Start.SpecHash != in.Spec.Hash
	},
	"nothing moves over a rollout that is not complete and still offered, unless the spec has changed since it started": func(in upgradestep.Input, step upgradestep.Step) bool {
		if step.Action != upgradestep.Move || !upgradestep.RolloutOf(in.Current.Deployment).HoldsNextStep() {
			return true
		}
		recorded, installed := *in.Current.Recorded, in.Current.Installed
		for _, candidate := range in.Decision.Available {
			offered := upgradestep.BundleOf(candidate)
			// A tag may have moved: status has the digest that it was resolved to.
			wasRebuilt := installed != nil && upgradestep.SameBundle(*installed, recorded) && !upgradestep.SameBundle(*installed, offered)
			if upgradestep.SameBundle(recorded, offered) && !wasRebuilt {
				return in.Current.Start != nil && in.Current.Start.SpecHash != in.Spec.Hash
			}
		}
		return true
	},
	"with manual approval nothing that has been ready moves without it": func(in upgradestep.Input, step upgradestep.Step) bool {
		if step.Action != upgradestep.Move || !in.Spec.Manual || in.Current.UpgradesFrom() == "" {
			return true
		}
		// The step back to the installed version from a step that the catalogs withdrew needs no approval, because that version was
		// approved before.
		return in.Decision.Target.Version.String() == in.Spec.ApprovedVersion || in.Decision.Target.Bundle.Version == in.Current.Installed.Version
	},
	"a start is not one that history has": func(in upgradestep.Input, step upgradestep.Step) bool {
		for _, entry := range in.Current.History {
			if step.Start != nil && entry.StartedTime.Equal(&step.Start.Started) {
				return false
			}
		}
		return true
	},
	"the same input gives the same step": func(in upgradestep.Input, step upgradestep.Step) bool {
		return cmp.Equal(step, upgradestep.Decide(in))
	},
}

// holdInvariants checks the invariants for a random input and returns the rule that decides it.
func holdInvariants(t *testing.T, seed uint64) (rule string) {
	t.Helper()
	in := randomInput(rand.New(rand.NewPCG(seed, 1)))
	step := upgradestep.Decide(in)
	for name, holds := range invariants {
		if !holds(in, step) {
			t.Errorf("seed %d: not so: %s\n%s by the rule %q, input:\n%+v\nstep: %+v", seed, name, step.Action, upgradestep.RuleFor(in), in, step)
		}
	}
	return upgradestep.RuleFor(in)
}

func TestInvariantsOfRandomInputs(t *testing.T) {
	reached := map[string]int{}
	for seed := range uint64(10_000) {
		if reached[holdInvariants(t, seed)]++; t.Failed() {
			return
		}
	}
	for _, name := range upgradestep.RuleNames() {
		if reached[name] == 0 {
			t.Errorf("no random input reaches the rule %q: the invariants say nothing of it", name)
		}
	}
	t.Log(reached)
}

func FuzzInvariants(f *testing.F) {
	f.Add(uint64(7))
	f.Fuzz(func(t *testing.T, seed uint64) { holdInvariants(t, seed) })
}
