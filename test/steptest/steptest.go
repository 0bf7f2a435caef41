// Package steptest provides bundles, decisions and BundleDeployments for tests of packages that decide or report upgrade steps. Only tests
// import it. All bundles are versions of package "op" in catalog ClusterCatalog/c.
package steptest

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/upgrade"
	"github.com/openshift/platform-operators/pkg/upgradestep"
)

// reason is the reason of all conditions.
const reason = "Test"

// Candidate returns a candidate for version v. Its Version is zero if v is not a valid version.
func Candidate(v string) resolve.Candidate {
	version, err := upgrade.ParseVersion(v, "")
	if err != nil {
		version = upgrade.Version{}
	}
	return resolve.Candidate{
		Catalog: catalog.ID{Kind: "ClusterCatalog", Name: "c"}, Channel: "stable",
		Bundle: catalog.Bundle{Name: "op.v" + v, Version: v, Image: "registry.invalid/op:" + v}, Version: version,
	}
}

// Choosing returns a decision in which all of these versions are available, and the first one is chosen and is the target. It panics
// without versions.
func Choosing(versions ...string) resolve.Decision {
	decision := resolve.Decision{}
	for _, v := range versions {
		decision.Available = append(decision.Available, Candidate(v))
	}
	decision.Chosen, decision.Target = &decision.Available[0], &decision.Available[0]
	return decision
}

// Bundle returns the InstalledBundle of a version.
func Bundle(v string) *platformv1alpha1.InstalledBundle {
	bundle := upgradestep.BundleOf(Candidate(v))
	return &bundle
}

// Deployment returns a BundleDeployment with conditions, each as "Type=Status", and a status for the current generation.
func Deployment(conditions ...string) *corev1alpha2.BundleDeployment {
	deployment := &corev1alpha2.BundleDeployment{}
	deployment.Generation, deployment.Status.ObservedGeneration = 1, 1
	for _, text := range conditions {
		name, status, _ := strings.Cut(text, "=")
		deployment.Status.Conditions = append(deployment.Status.Conditions,
			metav1.Condition{Type: name, Status: metav1.ConditionStatus(status), Reason: reason, Message: name + " is " + status + "."})
	}
	return deployment
}

// Healthy returns a BundleDeployment whose rollout is complete.
func Healthy() *corev1alpha2.BundleDeployment {
	return Deployment("Unpacked=True", "HasValidBundle=True", "Installed=True", "Healthy=True", "Progressing=False")
}

// Active sets the active revision of the deployment to 1, and returns the deployment.
func Active(deployment *corev1alpha2.BundleDeployment) *corev1alpha2.BundleDeployment {
	deployment.Status.ActiveRevision = 1
	return deployment
}

// Unhealthy returns a BundleDeployment whose bundle is applied but not healthy.
func Unhealthy() *corev1alpha2.BundleDeployment {
	return Deployment("Unpacked=True", "HasValidBundle=True", "Installed=True", "Healthy=False")
}

// Stale returns a BundleDeployment whose status is for an earlier generation.
func Stale() *corev1alpha2.BundleDeployment {
	deployment := Healthy()
	deployment.Generation++
	return deployment
}

// RolledBack returns a BundleDeployment whose newest revision failed and whose previous one is active.
func RolledBack() *corev1alpha2.BundleDeployment {
	deployment := Healthy()
	deployment.Status.Revisions = []corev1alpha2.Revision{
		{Number: 1, State: corev1alpha2.RevisionActive},
		{Number: 2, State: corev1alpha2.RevisionFailed, FailedGeneration: deployment.Generation},
	}
	deployment.Status.ActiveRevision = 1
	deployment.Status.ActiveBundle = &corev1alpha2.BundleMetadata{} // the newest bundle is another one
	return deployment
}

// Overdue returns a BundleDeployment that exceeded its progress deadline.
func Overdue() *corev1alpha2.BundleDeployment {
	deployment := Deployment("Unpacked=True", "HasValidBundle=True", "Installed=True", "Healthy=False", "Progressing=False")
	meta.FindStatusCondition(deployment.Status.Conditions, corev1alpha2.ConditionProgressing).Reason = corev1alpha2.ReasonDeadlineExceeded
	return deployment
}
