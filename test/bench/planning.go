package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/plan"
)

const (
	// plannedObjects is the number of objects of the bundle that part "plan" plans, without its Deployment.
	plannedObjects = 5_000
	// plannedNamespace is the bundle's install namespace.
	plannedNamespace = "planned"
)

// planCosts holds the costs of the plan of one revision, and of its text.
type planCosts struct {
	name       string
	plan, text cost
}

// measurePlan measures the plan of a bundle's first revision, and of one that changes every object of the active revision. The baseline is
// rendering the bundle.
func measurePlan(objects, n int) (part, error) {
	var sets [2]*object.Set
	var files [2]fs.FS
	for version := range files {
		var err error
		if files[version], err = plannedBundle(objects, version+1); err != nil {
			return part{}, err
		}
		if sets[version], err = plannedSet(files[version]); err != nil {
			return part{}, err
		}
	}
	first, change := newPlan(sets[1], nil), newPlan(sets[1], sets[0])
	costs, err := measureAlternately(n,
		subject{"pkg/bundle/registryv1", func() error { _, err := renderInto(files[1], plannedNamespace); return err }},
		subject{"the first plan", func() error { newPlan(sets[1], nil).Summary(); return nil }},
		subject{"the text of the first plan", func() error { return checkText(first) }},
		subject{"the plan of a change", func() error { newPlan(sets[1], sets[0]).Summary(); return nil }},
		subject{"the text of the plan of a change", func() error { return checkText(change) }})
	if err != nil {
		return part{}, fmt.Errorf("planning %d objects: %w", objects, err)
	}
	p := planPart(objects, costs[0], []planCosts{{"first revision", costs[1], costs[2]}, {"change of every object", costs[3], costs[4]}}, n)
	p.notes = []string{fmt.Sprintf("The plan of the first revision creates %d objects, with the Namespace and the Deployment. The plan of the change updates %d objects, in %d fields.",
		len(first.Create), len(change.Update), changedFields(change))}
	return p, nil
}

// plannedSet renders a bundle and returns its objects as the manager keeps them.
func plannedSet(files fs.FS) (*object.Set, error) {
	objects, err := renderInto(files, plannedNamespace)
	if err != nil {
		return nil, err
	}
	return object.NewSet(object.Owner{Name: plannedNamespace, Package: plannedNamespace}, plannedNamespace, plan.Phases(objects))
}

// newPlan returns the plan of a revision. active is the active revision; nil if there is none.
func newPlan(revision, active *object.Set) *plan.Plan {
	in := plan.Input{Objects: revision.Planned(), Terms: plan.Terms{
		InstallNamespace: plannedNamespace, Adoption: corev1alpha2.AdoptionSamePackage, CRDs: corev1alpha2.CRDsOrphan, CRDSafety: plan.CanonicalCRDSafety(nil),
	}}
	if active != nil {
		in.Active = active.Planned()
	}
	return plan.New(in)
}

// checkText computes the text of a plan with the content of created objects. It returns an error if an object has no line.
func checkText(of *plan.Plan) error {
	key, lines := []byte("a key of some length, like that of a cluster"), 0
	conceal := func(value string) string {
		hash := hmac.New(sha256.New, key)
		hash.Write([]byte(value))
		return "hmac-sha256:" + hex.EncodeToString(hash.Sum(nil)[:16])
	}
	for range of.Text(conceal, true) {
		lines++
	}
	if want := len(of.Create) + len(of.Update); lines < want {
		return fmt.Errorf("the text has %d lines for %d objects", lines, want)
	}
	return nil
}

// changedFields returns the number of fields that a plan lists for the objects that it changes.
func changedFields(of *plan.Plan) (fields int) {
	for _, each := range of.Update {
		fields += len(each.Changes)
	}
	return fields
}

func planPart(objects int, rendering cost, measured []planCosts, n int) part {
	p := part{
		title: "Planning a large bundle",
		text: fmt.Sprintf("Before the manager applies a revision, it computes a plan. The figures are those for a bundle of %d objects: for its first revision, and for a revision that changes every object of the active one. Eight in ten objects are ConfigMaps; the others are Secrets and Services. Each has %d values or ports.\n\n"+
			"The text of a plan is what an approver reads, with the content of created objects. The manager computes the text only if an approval is required, or if a ServiceAccount lacks permissions.\n\n"+
			"The baseline is rendering the same bundle, from files in memory to the objects to apply. The target for a plan is at most twice the time of rendering, a ratio of 0.5× or more.", objects, plannedFields),
		ours: "`pkg/plan`", baseline: "`pkg/bundle/registryv1`",
	}
	for _, m := range measured {
		p.figures = append(p.figures, costFigures(m.name+", plan", m.plan, rendering, n)...)
		p.figures = append(p.figures, costFigures(m.name+", text", m.text, rendering, n)...)
	}
	return p
}
