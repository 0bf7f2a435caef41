package object

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/ownership"
	"github.com/openshift/platform-operators/pkg/truncate"
)

// Refusal returns the reason why the owner must not change a live object, and the remedy; nil unless the action of the verdict is Leave.
func (c Claim) Refusal(key Key, live *unstructured.Unstructured, verdict ownership.Verdict) *Refusal {
	if verdict.Action != ownership.Leave {
		return nil
	}
	why, remedy := holder(live), "it is not changed; delete or rename it, remove its owner, or set spec.adoption to Any to take it over"
	switch other := verdict.Other; verdict.Reason {
	case ownership.LabelsOnly:
		why = fmt.Sprintf("has the owner labels of BundleDeployment %q, which neither created nor adopted it", c.Owner.Name)
		remedy = "it is not changed; delete or rename it, or set spec.adoption to Any to take it over"
	case ownership.LabelsOfAnother:
		why = fmt.Sprintf("has the owner labels of BundleDeployment %q", other)
		remedy = fmt.Sprintf("it is not changed; delete or rename it, or remove its labels %s and %s if that BundleDeployment does not declare it", corev1alpha2.LabelOwnerKind, corev1alpha2.LabelOwnerName)
	case ownership.OwnedByOlder:
		why = fmt.Sprintf("belongs to BundleDeployment %q, which is older and keeps it", other)
		remedy = fmt.Sprintf("delete BundleDeployment %q, or give the object another name in one of the two bundles", other)
	case ownership.NoneLeavesYounger:
		why = fmt.Sprintf("belongs to BundleDeployment %q, which is younger, and is not taken over while spec.adoption is None", other)
		remedy = fmt.Sprintf("set spec.adoption to SamePackage to take it over, delete BundleDeployment %q, or give the object another name in one of the two bundles", other)
	case ownership.OwnerDeleted:
		why = fmt.Sprintf("belongs to BundleDeployment %q, which no longer exists", other)
		remedy = "delete it, or set spec.adoption to Any to take it over"
	case ownership.NoneLeavesOrphan:
		why = fmt.Sprintf("was kept when %s was removed, and is not taken over while spec.adoption is None", ownership.DescribeMark(c.Owner.OrphanMark()))
		remedy = "set spec.adoption to SamePackage to take it over, or delete the CustomResourceDefinition, which also deletes all its custom resources"
	case ownership.OrphanOfAnother:
		why = fmt.Sprintf("has annotation %s, which says that it was kept when %s was removed", platformv1alpha1.AnnotationOrphanedFrom,
			ownership.DescribeMark(truncate.Cut(live.GetAnnotations()[platformv1alpha1.AnnotationOrphanedFrom], maxMark)))
		remedy = c.orphanRemedy(key)
	}
	return &Refusal{Object: key, Err: fmt.Errorf("it already exists and %s", why), Remedy: remedy}
}

// maxMark is the maximum length of a mark in a message, in bytes. The names of packages and BundleDeployments are shorter.
const maxMark = 300

// orphanRemedy returns a description of how the owner can take over a CustomResourceDefinition that was kept for another owner. With
// adoption None, the annotation alone does not help.
func (c Claim) orphanRemedy(key Key) string {
	remedy := fmt.Sprintf("set spec.adoption to Any to take it over, or change its former owner: kubectl annotate --overwrite crd %s %s=%s",
		key.Name, platformv1alpha1.AnnotationOrphanedFrom, c.Owner.OrphanMark())
	if c.Adoption == corev1alpha2.AdoptionNone {
		remedy += ", and set spec.adoption to SamePackage"
	}
	return remedy
}

// holder returns a clause about the probable owner of an object, from the labels, annotations and owner references of other installers.
func holder(live *unstructured.Unstructured) string {
	labels, annotations := live.GetLabels(), live.GetAnnotations()
	switch {
	case labels["olm.owner"] != "":
		return fmt.Sprintf("belongs to %s %q of OLM", nonEmpty(labels["olm.owner.kind"], "ClusterServiceVersion"), inNamespace(labels["olm.owner.namespace"], labels["olm.owner"]))
	case labels["olm.managed"] == "true":
		return "belongs to OLM"
	case labels["olm.operatorframework.io/owner-name"] != "":
		return fmt.Sprintf("belongs to %s %q of OLM v1", nonEmpty(labels["olm.operatorframework.io/owner-kind"], "ClusterExtension"), labels["olm.operatorframework.io/owner-name"])
	case annotations["meta.helm.sh/release-name"] != "":
		return fmt.Sprintf("belongs to Helm release %q", inNamespace(annotations["meta.helm.sh/release-namespace"], annotations["meta.helm.sh/release-name"]))
	}
	for _, reference := range live.GetOwnerReferences() {
		return fmt.Sprintf("belongs to %s %q", reference.Kind, reference.Name)
	}
	if manager := labels["app.kubernetes.io/managed-by"]; manager != "" {
		return fmt.Sprintf("belongs to %q, as its label app.kubernetes.io/managed-by says", manager)
	}
	return "has no known owner"
}

func inNamespace(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}

func nonEmpty(text, fallback string) string {
	if strings.TrimSpace(text) == "" {
		return fallback
	}
	return text
}
