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

// maxLabelValue is the maximum length of a label value, in bytes; the API server has the same limit.
const maxLabelValue = 63

// New returns the BundleDeployment that runs a bundle for a PlatformOperator. Its annotations record the bundle and the start of the
// upgrade step to it; start is nil if unknown. Because the annotations are part of the object, a single request starts the step and records
// it, so that a crash cannot separate the two.
func New(operator *platformv1alpha1.PlatformOperator, bundle platformv1alpha1.InstalledBundle, start *upgradestep.StepStart, namespace string) *corev1alpha2.BundleDeployment {
	annotations := map[string]string{
		platformv1alpha1.AnnotationBundle: asJSON(bundle), platformv1alpha1.AnnotationSettings: settingsDigest(operator),
	}
	if start != nil {
		annotations[platformv1alpha1.AnnotationHop] = asJSON(start)
	}
	if retry := operator.Annotations[platformv1alpha1.AnnotationRetry]; retry != "" {
		annotations[platformv1alpha1.AnnotationRetry] = retry
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

// classOf returns the ProvisionerClass for a bundle. If the format is unknown, because another version of the manager recorded it, classOf
// returns the registry class, which refuses the content with a message.
func classOf(bundle platformv1alpha1.InstalledBundle) string {
	return cmp.Or(corev1alpha2.ClassOf(bundle.Format), corev1alpha2.ProvisionerClassRegistry)
}

// asJSON returns a value as JSON. The value must consist of strings and times, because json.Marshal never refuses those.
func asJSON(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return string(text)
}

// labelValue returns a version as a label value. It replaces "+", which labels do not allow, with "_", and truncates the result to
// maxLabelValue.
func labelValue(version string) string {
	return truncate.Cut(strings.ReplaceAll(version, "+", "_"), maxLabelValue)
}
