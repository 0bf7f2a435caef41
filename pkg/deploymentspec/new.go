package deploymentspec

import (
	"cmp"
	"encoding/json"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/truncate"
	"github.com/openshift/platform-operators/pkg/upgradestep"
)

// maxLabelValue bounds the value of a label, as the API server does.
const maxLabelValue = 63

// New returns the BundleDeployment that runs a bundle for a PlatformOperator. The bundle and the start of the upgrade step to it, nil if
// unknown, are recorded in annotations: the write that starts the step also records it, so that no crash separates the two.
func New(operator *platformv1alpha1.PlatformOperator, bundle platformv1alpha1.InstalledBundle, start *upgradestep.StepStart, namespace string) *corev1alpha2.BundleDeployment {
	annotations := map[string]string{platformv1alpha1.AnnotationBundle: asJSON(bundle)}
	if start != nil {
		annotations[platformv1alpha1.AnnotationHop] = asJSON(start)
	}
	deployment := &corev1alpha2.BundleDeployment{
		ObjectMeta: metav1.ObjectMeta{
			Name: operator.Name,
			OwnerReferences: []metav1.OwnerReference{
				*metav1.NewControllerRef(operator, platformv1alpha1.SchemeGroupVersion.WithKind("PlatformOperator")),
			},
			Labels: map[string]string{
				platformv1alpha1.LabelPackage: operator.Spec.Package.Name,
				platformv1alpha1.LabelVersion: labelValue(bundle.Version),
			},
			Annotations: annotations,
		},
		Spec: corev1alpha2.BundleDeploymentSpec{
			InstallNamespace:     namespace,
			ProvisionerClassName: classOf(bundle),
			Source: corev1alpha2.BundleSource{
				Type:  corev1alpha2.SourceTypeImage,
				Image: &corev1alpha2.ImageSource{Ref: bundle.Image},
			},
			Paused: operator.Spec.Paused,
		},
	}
	propagateSpec(&deployment.Spec, operator.Spec)
	return deployment
}

// classOf returns the ProvisionerClass for a bundle. A record with an unknown format was written by another manager; the registry class then
// refuses the content with a message.
func classOf(bundle platformv1alpha1.InstalledBundle) string {
	return cmp.Or(corev1alpha2.ClassOf(bundle.Format), corev1alpha2.ProvisionerClassRegistry)
}

// asJSON encodes a value that consists of strings and times, which json.Marshal never refuses.
func asJSON(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return string(text)
}

// labelValue turns a version into a label value: build metadata is introduced by "+", which labels do not allow.
func labelValue(version string) string {
	return truncate.Cut(strings.ReplaceAll(version, "+", "_"), maxLabelValue)
}
