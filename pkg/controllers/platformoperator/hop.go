package platformoperator

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/resolve"
)

// hop is a decision about moving: to is the bundle to run (nil: leave everything as it is), and blocked says why a move
// that is wanted does not start now.
type hop struct {
	to      *platformv1alpha1.InstalledBundle
	blocked string
	// next is the version that is moved to as soon as status tells of the one that was reached.
	next string
}

// decideHop decides which bundle the BundleDeployment should point at now. It is pure.
//
// A newer version is moved to when the one before is healthy. A version that began to roll out and is not healthy is
// held, because moving on over a failure hides it and may make it worse; it is left as soon as it is no longer wanted:
// the spec's range excludes it, or its author withdrew it from the catalog. A version of which nothing is applied (its
// image cannot be pulled, its content cannot be rendered, it was rolled back) holds nobody.
func decideHop(record *platformv1alpha1.InstalledBundle, deployment *corev1alpha2.BundleDeployment, decision resolve.Decision) hop {
	if decision.Chosen == nil {
		return hop{}
	}
	wanted := bundleOf(*decision.Chosen)
	if record == nil || record.Bundle == wanted.Bundle {
		return hop{to: &wanted}
	}
	stillCandidate := false
	for _, candidate := range decision.Available {
		if candidate.Bundle.Name == record.Bundle {
			stillCandidate = true
		}
	}
	problem := rolloutProblem(deployment)
	if problem == "" || !stillCandidate {
		return hop{to: &wanted}
	}
	return hop{blocked: fmt.Sprintf(
		"version %s is available, and is not moved to while version %s is not healthy: %s. Repair it, or leave %s by excluding it in spec.package.version, for example %q.",
		wanted.Version, record.Version, problem, record.Version, "!="+record.Version)}
}

// afterRecording puts a move off until status.installed tells of the bundle that is left: the record of it goes with the
// write that starts the next hop, and the upgrade gate and the rule against downgrades go by status.
func (h hop) afterRecording(installed, record *platformv1alpha1.InstalledBundle, deployment *corev1alpha2.BundleDeployment) hop {
	if h.to == nil || record == nil || deployment == nil || record.Bundle == h.to.Bundle ||
		installed != nil && installed.Bundle == record.Bundle || !hopDone(deployment, installed == nil) {
		return h
	}
	return hop{next: h.to.Version}
}

// rolloutProblem says why the version that the deployment points at cannot be left yet; empty when it can.
func rolloutProblem(deployment *corev1alpha2.BundleDeployment) string {
	if deployment == nil {
		return ""
	}
	if deployment.Status.ObservedGeneration < deployment.Generation {
		return "its installation has just begun"
	}
	if rolledBack(deployment) {
		return "" // it does not run any more
	}
	conditions := deployment.Status.Conditions
	for _, condition := range []string{corev1alpha2.ConditionUnpacked, corev1alpha2.ConditionHasValidBundle} {
		if meta.IsStatusConditionFalse(conditions, condition) {
			return ""
		}
	}
	if !meta.IsStatusConditionTrue(conditions, corev1alpha2.ConditionHasValidBundle) {
		return "its bundle is being unpacked"
	}
	if installed := meta.FindStatusCondition(conditions, corev1alpha2.ConditionInstalled); installed == nil || installed.Status != metav1.ConditionTrue {
		return describe(installed, "its installation has not finished")
	}
	if healthy := meta.FindStatusCondition(conditions, corev1alpha2.ConditionHealthy); healthy == nil || healthy.Status != metav1.ConditionTrue {
		return describe(healthy, "its health is not known yet")
	}
	if progressing := meta.FindStatusCondition(conditions, corev1alpha2.ConditionProgressing); progressing != nil && progressing.Status == metav1.ConditionTrue {
		return describe(progressing, "it is still rolling out")
	}
	return ""
}

// rolledBack says whether the engine gave up the version that the deployment points at and put the one before it back.
func rolledBack(deployment *corev1alpha2.BundleDeployment) bool {
	if deployment.Status.ObservedGeneration < deployment.Generation {
		return false
	}
	return slices.ContainsFunc(deployment.Status.Revisions, func(revision corev1alpha2.Revision) bool {
		return revision.State == corev1alpha2.RevisionFailed && revision.FailedGeneration == deployment.Generation
	})
}

// describe gives a condition's message without its final full stop, or the fallback.
func describe(condition *metav1.Condition, fallback string) string {
	if condition == nil || condition.Message == "" {
		return fallback
	}
	return fieldsHere.Replace(trimStop(condition.Message))
}

// fieldsHere turns the fields that a BundleDeployment's message tells users to set into those of the PlatformOperator, which hands
// them on.
var fieldsHere = strings.NewReplacer(
	"spec.adoption", "spec.install.adoption", "spec.config", "spec.install.config", "spec.drift", "spec.install.drift",
	"spec.onFailure", "spec.install.onFailure", "spec.progressDeadlineSeconds", "spec.install.progressDeadlineSeconds",
)
