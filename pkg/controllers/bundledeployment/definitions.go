package bundledeployment

import (
	"context"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/crdsafety"
	"github.com/openshift/platform-operators/pkg/panics"
	"github.com/openshift/platform-operators/pkg/revision"
	"github.com/openshift/platform-operators/pkg/storedobjects"
)

// maxFindings is the maximum length of status.plan.crdFindings.
const maxFindings = 20

// checkDefinitions checks whether a revision changes CustomResourceDefinitions in an unsafe way, and sets findings.
func (s *reconciliation) checkDefinitions(ctx context.Context, of *revision.Revision) revision.Check {
	safety := s.before.Spec.Preflight.CRDSafety()
	if !safety.IsEnforced() {
		return revision.Check{}
	}
	as, err := s.identityOf(of.ServiceAccount)
	if err != nil {
		return unsafeCheck(err)
	}
	changes, err := s.c.definitions.ChangedDefinitions(ctx, as, s.memory.sets[of.Number])
	if err != nil {
		return unsafeCheck(err)
	}
	var report *crdsafety.Report
	err = panics.ToError("comparing the CustomResourceDefinitions of BundleDeployment "+s.before.Name, func() error {
		var err error
		report, err = crdsafety.Check(changes)
		return err
	})
	if err != nil {
		return unsafeCheck(s.refuseDefinition(changes, err))
	}
	var waivers []corev1alpha2.CRDWaiver
	if safety != nil {
		waivers = safety.Waivers
	}
	unused := report.Waive(waivers)
	if !report.Blocks() {
		violations, check := s.checkStoredObjects(as, of, changes)
		if check.Unmet != revision.NoRequirement {
			return check
		}
		report.Add(violations...)
		unused = report.Waive(waivers)
	}
	s.findings = append(s.unchecked, findingsOf(report, unused)...) // first, because status has only the first findings
	if !report.Blocks() {
		return revision.Check{}
	}
	return unsafeCheck(unsafeChange(report))
}

// checkStoredObjects checks whether stored custom resources fit the changed definitions. The check runs in the background.
func (s *reconciliation) checkStoredObjects(as apply.Identity, of *revision.Revision, changes []crdsafety.Change) ([]crdsafety.Finding, revision.Check) {
	id, affects := []string{of.Digest, as.Name}, false
	for _, each := range changes {
		isAffecting, err := each.AffectsObjects()
		affects = affects || isAffecting || err != nil // the check reports the error
		id = append(id, fmt.Sprintf("%s %s %d", each.Name(), each.Old.GetUID(), each.Old.GetGeneration()))
	}
	if !affects {
		return nil, revision.Check{}
	}
	result, isDone := s.c.definitions.StoredObjects(as, storedobjects.Request{Owner: s.before.Name, ID: strings.Join(id, "\n"), Changes: changes})
	switch {
	case !isDone:
		return nil, revision.Check{Unmet: revision.CRDSafety, Waiting: "checking whether the stored custom resources fit the changed CustomResourceDefinitions"}
	case apierrors.IsForbidden(result.Err) && as.Name == "" && s.machine.Active() == nil: // nothing permits the manager to list them yet
		s.unchecked = uncheckedOf(changes)
		return nil, revision.Check{}
	case apierrors.IsForbidden(result.Err):
		s.retry(result.Until.Sub(s.c.clock.Now()))
		s.missing = append(s.missing, missingLists(changes, of.ServiceAccount)...)
		return nil, unsafeCheck(s.refuseDefinition(changes, result.Err))
	case result.Err != nil:
		s.retry(result.Until.Sub(s.c.clock.Now()))
		return nil, unsafeCheck(result.Err)
	}
	var findings []crdsafety.Finding
	for _, each := range result.Violations {
		findings = append(findings, each.Finding())
	}
	if len(findings) > 0 {
		s.retry(result.Until.Sub(s.c.clock.Now()))
	}
	return findings, revision.Check{}
}

// refuseDefinition returns a refusal for definitions that cannot be checked.
func (s *reconciliation) refuseDefinition(changes []crdsafety.Change, err error) error {
	key := apply.Key{GroupKind: apply.CRDKind}
	if len(changes) > 0 {
		key.Name = changes[0].Name()
	}
	remedy := "correct the bundle, or set spec.preflight.crdUpgradeSafety.enforcement to None to apply it without the check"
	if apierrors.IsForbidden(err) {
		remedy = "grant the permission to list the custom resources, which status.plan lists, or set spec.preflight.crdUpgradeSafety.enforcement to None to apply the change without the check"
	}
	return &apply.Refusal{Object: key, Err: err, Remedy: remedy}
}

// unsafeCheck returns the check for a problem with the definitions.
func unsafeCheck(err error) revision.Check {
	return revision.Check{Unmet: revision.CRDSafety, Problem: problemOf(err)}
}

// unsafeChange returns a refusal that names the first unsafe change and the number of the others.
func unsafeChange(report *crdsafety.Report) error {
	first, blocking := report.Findings[0], 0
	for _, each := range report.Findings {
		if each.Blocks() {
			blocking++
		}
	}
	more := ""
	if blocking > 1 {
		more = fmt.Sprintf(" (and %d more unsafe changes, which status.plan.crdFindings lists)", blocking-1)
	}
	return &apply.Refusal{
		Object: apply.Key{GroupKind: apply.CRDKind, Name: first.CRD},
		Err:    errors.New("the change is unsafe by rule " + first.Rule + ": " + first.Path + ": " + first.Message + more),
		Remedy: "ask the bundle's author for a safe change; or review it, and add a waiver for the rule to spec.preflight.crdUpgradeSafety.waivers",
	}
}

// missingLists returns the permissions to list the custom resources that changed definitions affect. An empty ServiceAccount means the manager.
func missingLists(changes []crdsafety.Change, serviceAccount string) []corev1alpha2.MissingPermission {
	var missing []corev1alpha2.MissingPermission
	for _, each := range changes {
		if affects, err := each.AffectsObjects(); affects && err == nil {
			plural, group, _ := strings.Cut(each.Name(), ".") // the API server requires this form of the name
			missing = append(missing, corev1alpha2.MissingPermission{Verbs: []string{"list"}, Group: group, Resource: plural, ServiceAccountName: serviceAccount})
		}
	}
	return missing
}

// uncheckedOf returns the findings about changed definitions whose custom resources the manager may not list.
func uncheckedOf(changes []crdsafety.Change) []corev1alpha2.CRDFinding {
	var findings []corev1alpha2.CRDFinding
	for _, each := range changes {
		if affects, err := each.AffectsObjects(); affects && err == nil {
			findings = append(findings, corev1alpha2.CRDFinding{
				CRD: each.Name(), Rule: crdsafety.RuleStoredObjects, Outcome: corev1alpha2.CRDFindingUnchecked,
				Message: "the stored custom resources were not checked, and the change can make them invalid: grant the manager permission to list them, or check them yourself",
			})
		}
	}
	return findings
}

// findingsOf returns the findings for status: those of a report, and the waivers that permit no change.
func findingsOf(report *crdsafety.Report, unused []corev1alpha2.CRDWaiver) []corev1alpha2.CRDFinding {
	var findings []corev1alpha2.CRDFinding
	for _, each := range report.Findings {
		outcome := corev1alpha2.CRDFindingBlocking
		if !each.Blocks() {
			outcome = corev1alpha2.CRDFindingWaived
		}
		findings = append(findings, corev1alpha2.CRDFinding{CRD: each.CRD, Rule: each.Rule, Path: each.Path, Message: each.Message, Outcome: outcome})
	}
	for _, each := range unused {
		findings = append(findings, corev1alpha2.CRDFinding{
			CRD: each.CRD, Rule: each.Rule, Message: "the waiver permits no change of this revision: remove it", Outcome: corev1alpha2.CRDFindingUnused,
		})
	}
	return findings
}
