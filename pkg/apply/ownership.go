package apply

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// holding says whose a live object is.
type holding struct {
	// mine: the owner applied it, even if somebody took its labels off since.
	mine bool
	// orphaned: it was kept for the owner's package when that was removed, and may be taken up again.
	orphaned bool
	// deployment is the other BundleDeployment whose it is, if it is one's.
	deployment string
	// holder describes whoever has it, where it is neither.
	holder string
}

// holdingOf judges a live object. The labels say whose it is; where they are missing or edited, the API server's record of
// field managers does, which nobody edits by accident.
func holdingOf(live *unstructured.Unstructured, owner Owner) holding {
	labels := live.GetLabels()
	labelled := ""
	if labels[corev1alpha2.LabelOwnerKind] == corev1alpha2.OwnerKindBundleDeployment {
		labelled = labels[corev1alpha2.LabelOwnerName]
	}
	if labelled == owner.Name {
		return holding{mine: true}
	}
	if from := live.GetAnnotations()[platformv1alpha1.AnnotationOrphanedFrom]; from != "" && isCRD(live.GroupVersionKind().GroupKind()) {
		if from == owner.orphanMark() {
			return holding{orphaned: true}
		}
		return holding{holder: fmt.Sprintf("it was kept from package %q", from)}
	}
	if managedBy(live, owner.Manager()) && (labelled == "" || !managedBy(live, corev1alpha2.FieldManagerPrefix+labelled)) {
		return holding{mine: true}
	}
	if labelled != "" {
		return holding{deployment: labelled, holder: fmt.Sprintf("it belongs to BundleDeployment %q", labelled)}
	}
	return holding{holder: "it belongs to " + foreignHolder(live)}
}

// claim says what the owner may do with an object that is there.
type claim struct {
	// take: it is not the owner's yet, and is to be taken over.
	take bool
	// refusal is why it is left alone.
	refusal *Refusal
}

// deployments tells when a BundleDeployment was created; false when there is none of that name.
type deployments func(name string) (created time.Time, exists bool)

// claimOf decides by the adoption policy. What another BundleDeployment has belongs to the older of the two, by name when
// they are of the same second, whoever got there first: so it is always the same one, and the other one says who.
func claimOf(key Key, held holding, owner Owner, adoption corev1alpha2.Adoption, created deployments) claim {
	refused := func(why, remedy string) claim {
		return claim{refusal: &Refusal{Object: key, Err: fmt.Errorf("exists, and %s", why), Remedy: remedy}}
	}
	switch {
	case held.mine:
		return claim{}
	case held.orphaned && adoption == corev1alpha2.AdoptionNone:
		return refused("it was kept when this package was removed before, and spec.adoption None takes over nothing", "set spec.adoption to SamePackage to take it up again, or delete it, and all its custom resources with it")
	case held.orphaned:
		return claim{take: true}
	case held.deployment != "":
		theirs, exists := created(held.deployment)
		ours, here := created(owner.Name)
		switch {
		case exists && here && before(ours, owner.Name, theirs, held.deployment):
			return claim{take: true}
		case exists:
			return refused(held.holder+", which is older and keeps it", fmt.Sprintf("delete BundleDeployment %q, or have one of the two bundles name the object otherwise", held.deployment))
		case adoption == corev1alpha2.AdoptionAny:
			return claim{take: true}
		}
		return refused(held.holder+", which does not exist any more", "delete it, or set spec.adoption to Any to take it over")
	case adoption == corev1alpha2.AdoptionAny:
		return claim{take: true}
	}
	return refused(held.holder, "it is left alone; delete or rename it, remove its owner, or set spec.adoption to Any to take it over")
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

func managedBy(live *unstructured.Unstructured, manager string) bool {
	for _, entry := range live.GetManagedFields() {
		if entry.Manager == manager {
			return true
		}
	}
	return false
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
