package apply

import (
	"fmt"
	"strings"

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
	if managedBy(live, owner.Manager()) && (labelled == "" || !managedBy(live, managerPrefix+labelled)) {
		return holding{mine: true}
	}
	if labelled != "" {
		return holding{holder: fmt.Sprintf("it belongs to BundleDeployment %q", labelled)}
	}
	return holding{holder: "it belongs to " + foreignHolder(live)}
}

// orphanMark is what a kept CustomResourceDefinition is marked with. Content that names no package leaves the
// deployment's name as the best answer to whose it was.
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
		return fmt.Sprintf("%s %q of OLM", nonEmpty(labels["olm.owner.kind"], "ClusterServiceVersion"), labels["olm.owner"])
	case labels["olm.managed"] == "true":
		return "OLM"
	case labels["olm.operatorframework.io/owner-name"] != "":
		return fmt.Sprintf("%s %q of OLM v1", nonEmpty(labels["olm.operatorframework.io/owner-kind"], "ClusterExtension"), labels["olm.operatorframework.io/owner-name"])
	case annotations["meta.helm.sh/release-name"] != "":
		return fmt.Sprintf("Helm release %q", annotations["meta.helm.sh/release-namespace"]+"/"+annotations["meta.helm.sh/release-name"])
	}
	for _, reference := range live.GetOwnerReferences() {
		return fmt.Sprintf("%s %q", reference.Kind, reference.Name)
	}
	if manager := labels["app.kubernetes.io/managed-by"]; manager != "" {
		return fmt.Sprintf("whoever set app.kubernetes.io/managed-by to %q", manager)
	}
	return "nobody who left a mark"
}

func nonEmpty(text, fallback string) string {
	if strings.TrimSpace(text) == "" {
		return fallback
	}
	return text
}
