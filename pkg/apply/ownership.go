package apply

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/ownership"
)

// deployments tells when a BundleDeployment was created; false when there is none of that name.
type deployments func(name string) (created time.Time, exists bool)

// claimant is the owner as pkg/ownership asks for it. applied are the sets of revisions that were applied completely.
func (o Owner) claimant(key Key, adoption corev1alpha2.Adoption, applied []*Set) ownership.Claimant {
	listed := slices.ContainsFunc(applied, func(set *Set) bool { return set.lists(key) })
	return ownership.Claimant{Name: o.Name, Package: o.orphanMark(), Listed: listed, Adoption: adoption}
}

// isOurs says whether the owner may change and delete a live object, whatever its adoption policy.
func (o Owner) isOurs(live *unstructured.Unstructured, applied []*Set) bool {
	absent := func(string) ownership.Standing { return ownership.Absent }
	return ownership.Decide(ownership.MarksOf(live), o.claimant(keyOf(live), "", applied), absent).Action == ownership.Ours
}

// verdictOn says what the worker's owner may do with a live object.
func (w worker) verdictOn(key Key, live *unstructured.Unstructured) ownership.Verdict {
	claimant := w.owner.claimant(key, w.options.Adoption, w.options.Applied)
	return ownership.Decide(ownership.MarksOf(live), claimant, func(other string) ownership.Standing {
		return w.deployments.standing(other, w.owner.Name)
	})
}

// standing compares another BundleDeployment with an owner: by age, then by name. An owner that is gone takes nothing from others.
func (d deployments) standing(other, owner string) ownership.Standing {
	theirs, exists := d(other)
	ours, here := d(owner)
	switch {
	case !exists:
		return ownership.Absent
	case here && before(ours, owner, theirs, other):
		return ownership.Younger
	}
	return ownership.Older
}

// refusalOf says why an object is left alone, and the way out; nil when it is not.
func refusalOf(key Key, live *unstructured.Unstructured, verdict ownership.Verdict, owner Owner) *Refusal {
	if verdict.Action != ownership.Leave {
		return nil
	}
	why, remedy := "it belongs to "+foreignHolder(live), "it is left alone; delete or rename it, remove its owner, or set spec.adoption to Any to take it over"
	switch other := verdict.Other; verdict.Reason {
	case ownership.LabelsOnly:
		why = fmt.Sprintf("it has the owner labels of BundleDeployment %q, which neither created nor adopted it", owner.Name)
		remedy = "it is left alone; delete or rename it, or set spec.adoption to Any to take it over"
	case ownership.LabelsOfAnother:
		why = fmt.Sprintf("it has the owner labels of BundleDeployment %q", other)
		remedy = fmt.Sprintf("it is left alone; delete or rename it, or take the labels %s and %s off if that BundleDeployment does not declare it", corev1alpha2.LabelOwnerKind, corev1alpha2.LabelOwnerName)
	case ownership.OwnedByOlder:
		why = fmt.Sprintf("it belongs to BundleDeployment %q, which is older and keeps it", other)
		remedy = fmt.Sprintf("delete BundleDeployment %q, or have one of the two bundles name the object otherwise", other)
	case ownership.NoneLeavesYounger:
		why = fmt.Sprintf("it belongs to BundleDeployment %q, which is younger, and spec.adoption None takes over nothing", other)
		remedy = fmt.Sprintf("set spec.adoption to SamePackage to take it over, delete BundleDeployment %q, or have one of the two bundles name the object otherwise", other)
	case ownership.OwnerDeleted:
		why = fmt.Sprintf("it belongs to BundleDeployment %q, which does not exist any more", other)
		remedy = "delete it, or set spec.adoption to Any to take it over"
	case ownership.NoneLeavesOrphan:
		why = "it was kept when this package was removed before, and spec.adoption None takes over nothing"
		remedy = "set spec.adoption to SamePackage to take it up again, or delete it, and all its custom resources with it"
	case ownership.OrphanOfAnother:
		why = fmt.Sprintf("it was kept from package %q", live.GetAnnotations()[platformv1alpha1.AnnotationOrphanedFrom])
	}
	return &Refusal{Object: key, Err: fmt.Errorf("exists, and %s", why), Remedy: remedy}
}

// before is the order of BundleDeployments: by age, then by name.
func before(a time.Time, aName string, b time.Time, bName string) bool {
	if !a.Equal(b) {
		return a.Before(b)
	}
	return aName < bName
}

// orphanMark is what a kept CustomResourceDefinition is marked with. Where neither the content nor anybody else names a package,
// the deployment's name is the best answer to whose it was.
func (o Owner) orphanMark() string {
	if o.Package == "" {
		return o.Name
	}
	return o.Package
}

// foreignHolder guesses, from the marks that other installers leave, who has an object.
func foreignHolder(live *unstructured.Unstructured) string {
	labels, annotations := live.GetLabels(), live.GetAnnotations()
	switch {
	case labels["olm.owner"] != "":
		return fmt.Sprintf("%s %q of OLM", nonEmpty(labels["olm.owner.kind"], "ClusterServiceVersion"), inNamespace(labels["olm.owner.namespace"], labels["olm.owner"]))
	case labels["olm.managed"] == "true":
		return "OLM"
	case labels["olm.operatorframework.io/owner-name"] != "":
		return fmt.Sprintf("%s %q of OLM v1", nonEmpty(labels["olm.operatorframework.io/owner-kind"], "ClusterExtension"), labels["olm.operatorframework.io/owner-name"])
	case annotations["meta.helm.sh/release-name"] != "":
		return fmt.Sprintf("Helm release %q", inNamespace(annotations["meta.helm.sh/release-namespace"], annotations["meta.helm.sh/release-name"]))
	}
	for _, reference := range live.GetOwnerReferences() {
		return fmt.Sprintf("%s %q", reference.Kind, reference.Name)
	}
	if manager := labels["app.kubernetes.io/managed-by"]; manager != "" {
		return fmt.Sprintf("whoever set app.kubernetes.io/managed-by to %q", manager)
	}
	return "nobody who left a mark"
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
