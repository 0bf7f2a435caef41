package crdsafety

import (
	"errors"
	"slices"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// Report has the unsafe changes of an upgrade. The caller adds findings of RuleStoredObjects, if it has checked the objects, and then calls
// Waive.
type Report struct {
	// Findings are the unsafe changes, sorted: those that block come first. Check finds at most 20 of one rule in one
	// CustomResourceDefinition.
	Findings []Finding
	// Total is the number of all unsafe changes, with those that Findings omits.
	Total int
}

// Check compares CustomResourceDefinitions before and after an upgrade. A new CustomResourceDefinition is safe. Check returns a Report even
// with an error; the error names each definition that it could not compare, and says what to do.
//
// The input comes from bundles: callers pass Check to panics.ToError.
func Check(changes []Change) (*Report, error) {
	report := &Report{}
	var errs []error
	for _, change := range changes {
		compared, err := compare(change)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for _, count := range compared.counts {
			report.Total += count
		}
		report.Findings = append(report.Findings, compared.findings...)
	}
	slices.SortFunc(report.Findings, order)
	return report, errors.Join(errs...)
}

// Add adds findings.
func (r *Report) Add(findings ...Finding) {
	r.Findings = append(r.Findings, findings...)
	r.Total += len(findings)
	slices.SortFunc(r.Findings, order)
}

// Blocks reports whether any unsafe change has no waiver.
func (r *Report) Blocks() bool { return slices.ContainsFunc(r.Findings, Finding.Blocks) }

// Waive marks the findings that waivers permit. It returns the waivers that permit none, in the order in which they were passed in: always those
// for the rules scope and storedVersionRemoval, because the API server rejects such changes, and never those for RuleStoredObjects while
// another finding blocks, because then nobody checks the objects.
func (r *Report) Waive(waivers []corev1alpha2.CRDWaiver) (unused []corev1alpha2.CRDWaiver) {
	used := make([]bool, len(waivers))
	for i := range r.Findings {
		if at := waiverFor(r.Findings[i], waivers); at >= 0 {
			r.Findings[i].Waiver, used[at] = waivers[at].Reason, true
		}
	}
	slices.SortFunc(r.Findings, order)
	for i, each := range waivers {
		if !used[i] && (each.Rule != RuleStoredObjects || !r.Blocks()) {
			unused = append(unused, each)
		}
	}
	return unused
}

// waiverFor returns the index of the first waiver that permits a change, or -1. A waiver without a reason permits nothing.
func waiverFor(finding Finding, waivers []corev1alpha2.CRDWaiver) int {
	if !isWaivable(finding.Rule) {
		return -1
	}
	return slices.IndexFunc(waivers, func(each corev1alpha2.CRDWaiver) bool {
		return each.CRD == finding.CRD && each.Rule == finding.Rule && each.Reason != ""
	})
}
