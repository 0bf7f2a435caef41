package platformoperator

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// fieldManager marks what this controller writes into BundleDeployments and PlatformOperator status.
const fieldManager = "platform-operators-" + Name

// deploy makes the BundleDeployment what was decided: created when there is none, moved when a hop starts, and put back
// where somebody edited what this controller sets. Fields that it does not set are left to their owners.
func deploy(ctx context.Context, s *state) (bool, error) {
	target := s.hop.to // nil for one that was refused: what it has is kept as it is
	if target == nil || s.operator.Spec.Paused {
		target = s.record
	}
	if target == nil || s.deployment == nil && s.operator.Spec.Paused {
		return false, nil
	}
	if s.deployment == nil {
		wanted := newDeployment(s.operator, *target, s.hop.began, installNamespace(s.operator, s.decision))
		if namespaceDefaulted(s.operator) {
			wanted.Annotations[platformv1alpha1.AnnotationNamespaceDefaulted] = "true"
		}
		created, err := s.deploymentClient.Create(ctx, wanted, metav1.CreateOptions{FieldManager: fieldManager})
		if apierrors.IsInvalid(err) {
			way := "Exclude it in spec.package.version, or set another spec.install.namespace"
			if s.record != nil { // what was installed once is put back whatever the range is
				way = "Correct spec.install, or delete the PlatformOperator and create it anew"
			}
			s.refusal = &refusal{platformv1alpha1.ReasonValidationFailed, fmt.Sprintf(
				"Version %s cannot be installed in namespace %q: %v. %s.", target.Version, wanted.Spec.InstallNamespace, err, way)}
			return false, nil
		}
		if err != nil {
			return true, fmt.Errorf("creating its BundleDeployment: %w", err)
		}
		s.event(corev1.EventTypeNormal, platformv1alpha1.EventInstallStarted, "Installing version %s of package %q for PlatformOperator %q in namespace %q",
			target.Version, s.operator.Spec.Package.Name, s.operator.Name, created.Spec.InstallNamespace)
		s.deployment, s.record, s.began = created, target, s.hop.began
		return false, nil
	}
	if s.mayMoveNamespace() {
		return false, s.moveNamespace(ctx)
	}
	began := s.began
	if s.hop.began != nil && !s.operator.Spec.Paused {
		began = s.hop.began
	}
	wanted := newDeployment(s.operator, *target, began, s.deployment.Spec.InstallNamespace)
	updated := s.deployment.DeepCopy()
	overlay(&updated.Spec, wanted.Spec)
	updated.Labels = merged(updated.Labels, wanted.Labels)
	updated.Annotations = merged(updated.Annotations, wanted.Annotations)
	if namedNamespace(s.operator) != "" {
		delete(updated.Annotations, platformv1alpha1.AnnotationNamespaceDefaulted)
	}
	if equality.Semantic.DeepEqual(updated, s.deployment) {
		return false, nil
	}
	stored, err := s.deploymentClient.Update(ctx, updated, metav1.UpdateOptions{FieldManager: fieldManager})
	if apierrors.IsInvalid(err) { // what the catalog or the spec says makes no BundleDeployment; what there is stays
		s.refusal = &refusal{platformv1alpha1.ReasonValidationFailed, fmt.Sprintf(
			"Version %s cannot be put into BundleDeployment %q: %v. Exclude it in spec.package.version, or correct spec.install.", target.Version, s.deployment.Name, err)}
		return false, nil
	}
	if err != nil {
		return true, fmt.Errorf("updating its BundleDeployment: %w", err)
	}
	if s.record == nil || !sameBundle(*s.record, *target) {
		from := s.record
		if rolledBack(s.deployment) {
			from = s.operator.Status.Installed // what was pointed at does not run
		}
		s.event(corev1.EventTypeNormal, platformv1alpha1.EventUpgradeStarted, "Moving PlatformOperator %q from version %s to version %s%s",
			s.operator.Name, versionOf(from), target.Version, onWhoseWord(began))
	} else if s.operator.Generation == s.operator.Status.ObservedGeneration && equality.Semantic.DeepEqual(s.record, target) {
		s.tellPutBack() // else it is our own record that changed, such as the catalog that has the bundle
	}
	s.deployment, s.record, s.began = stored, target, began
	return false, nil
}

// onWhoseWord says who vouches for a move, where that is not its author.
func onWhoseWord(began *beginning) string {
	if began != nil && began.Trigger == platformv1alpha1.TriggerSelfCertified {
		return ", on the word of spec.upgrades.edges, SelfCertified, alone"
	}
	return ""
}

// tellPutBack sends the Event of a BundleDeployment that was edited behind its PlatformOperator's back.
func (s *state) tellPutBack() {
	s.event(corev1.EventTypeNormal, platformv1alpha1.EventBundleDeploymentPutBack, "BundleDeployment %q was changed by somebody else and is as PlatformOperator %q says again; change the PlatformOperator instead",
		s.deployment.Name, s.operator.Name)
}

// newDeployment is the BundleDeployment that carries a bundle for an operator. The bundle is recorded on it, and how the hop
// to it began if that is known, in the same write that starts the hop, so that no crash can part what runs from what is known
// of it.
func newDeployment(operator *platformv1alpha1.PlatformOperator, target platformv1alpha1.InstalledBundle, began *beginning, namespace string) *corev1alpha2.BundleDeployment {
	// Both are strings and times only; Marshal cannot refuse them.
	annotations := map[string]string{platformv1alpha1.AnnotationBundle: asJSON(target)}
	if began != nil {
		annotations[platformv1alpha1.AnnotationHop] = asJSON(began)
	}
	deployment := &corev1alpha2.BundleDeployment{
		ObjectMeta: metav1.ObjectMeta{
			Name: operator.Name,
			OwnerReferences: []metav1.OwnerReference{
				*metav1.NewControllerRef(operator, platformv1alpha1.SchemeGroupVersion.WithKind("PlatformOperator")),
			},
			Labels: map[string]string{
				platformv1alpha1.LabelPackage: operator.Spec.Package.Name,
				platformv1alpha1.LabelVersion: labelValue(target.Version),
			},
			Annotations: annotations,
		},
		Spec: corev1alpha2.BundleDeploymentSpec{
			InstallNamespace:     namespace,
			ProvisionerClassName: classOf(target),
			Source: corev1alpha2.BundleSource{
				Type:  corev1alpha2.SourceTypeImage,
				Image: &corev1alpha2.ImageSource{Ref: target.Image},
			},
			Paused: operator.Spec.Paused,
		},
	}
	passOn(&deployment.Spec, operator.Spec)
	return deployment
}

// classOf is the ProvisionerClass that reads a bundle. What a record says that no class reads was written by another manager; its
// content is then refused by whom it is given to, and not taken for something else.
func classOf(bundle platformv1alpha1.InstalledBundle) string {
	return cmp.Or(corev1alpha2.ClassOf(bundle.Format), corev1alpha2.ProvisionerClassRegistry)
}

func asJSON(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return string(text)
}

// labelValue makes a version fit for a label: build metadata is introduced by "+", which labels do not allow.
func labelValue(version string) string {
	return bounded(strings.ReplaceAll(version, "+", "_"), 63)
}

func bounded(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.TrimRight(strings.ToValidUTF8(text[:limit], ""), ".-_ ") // half a character would never compare equal
}

func versionOf(bundle *platformv1alpha1.InstalledBundle) string {
	if bundle == nil {
		return "unknown"
	}
	return bundle.Version
}

func trimStop(message string) string { return strings.TrimRight(strings.TrimSpace(message), ".") }

func merged(into, from map[string]string) map[string]string {
	result := maps.Clone(into)
	if result == nil {
		result = map[string]string{}
	}
	maps.Copy(result, from)
	return result
}
