package crdsafety

import (
	"errors"
	"slices"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// Report is the result of Check.
type Report struct {
	// Findings are the unsafe changes, sorted: those that block come first. It has at most 20 findings of one rule in one
	// CustomResourceDefinition.
	Findings []Finding
	// Total is the number of all unsafe changes, with those that Findings omits.
	Total int
	// Unused are the waivers that permit no change, in the order in which they were passed in. Waivers for the rules scope and
	// storedVersionRemoval are always among them, because the API server rejects such changes.
	Unused []corev1alpha2.CRDWaiver
}

// Blocks reports whether any unsafe change has no waiver.
func (r *Report) Blocks() bool { return len(r.Findings) > 0 && r.Findings[0].Blocks() }

// Check compares CustomResourceDefinitions before and after an upgrade. A new CustomResourceDefinition is safe. Check returns a Report even
// with an error; the error names each definition that it could not compare, and says what to do.
//
// The input comes from bundles: callers pass Check to panics.ToError.
func Check(changes []Change, waivers []corev1alpha2.CRDWaiver) (*Report, error) {
	report := &Report{}
	used := make([]bool, len(waivers))
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
		for _, each := range compared.findings {
			if i := waiverFor(each, waivers); i >= 0 {
				each.Waiver, used[i] = waivers[i].Reason, true
			}
			report.Findings = append(report.Findings, each)
		}
	}
	slices.SortFunc(report.Findings, order)
	for i, each := range waivers {
		if !used[i] {
			report.Unused = append(report.Unused, each)
		}
	}
	return report, errors.Join(errs...)
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
