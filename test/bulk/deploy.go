package bulk

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/client/clientset/versioned"
)

const often = 50 * time.Millisecond

// Deploy creates a BundleDeployment for an image. The install namespace has the BundleDeployment's name.
func Deploy(ctx context.Context, client versioned.Interface, deployment, ref string) error {
	object := &corev1alpha2.BundleDeployment{ObjectMeta: metav1.ObjectMeta{Name: deployment}}
	object.Spec.InstallNamespace = deployment
	object.Spec.ProvisionerClassName = corev1alpha2.ProvisionerClassRegistry
	object.Spec.Source = corev1alpha2.BundleSource{Type: corev1alpha2.SourceTypeImage, Image: &corev1alpha2.ImageSource{Ref: ref}}
	_, err := client.CoreV1alpha2().BundleDeployments().Create(ctx, object, metav1.CreateOptions{})
	return err
}

// WaitUntilInstalled waits until a BundleDeployment is installed and healthy, and Progressing is False, all for its current generation. It
// returns an error after limit, or if the BundleDeployment cannot be read.
func WaitUntilInstalled(ctx context.Context, client versioned.Interface, deployment string, limit time.Duration) error {
	var last string
	err := wait.PollUntilContextTimeout(ctx, often, limit, true, func(ctx context.Context) (bool, error) {
		live, err := client.CoreV1alpha2().BundleDeployments().Get(ctx, deployment, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		last = ""
		for conditionType, want := range map[string]metav1.ConditionStatus{
			corev1alpha2.ConditionInstalled:   metav1.ConditionTrue,
			corev1alpha2.ConditionHealthy:     metav1.ConditionTrue,
			corev1alpha2.ConditionProgressing: metav1.ConditionFalse,
		} {
			found := meta.FindStatusCondition(live.Status.Conditions, conditionType)
			if found == nil {
				last = conditionType + " is not said yet"
			} else if found.Status != want || found.ObservedGeneration != live.Generation {
				last = fmt.Sprintf("%s=%s %s: %s", found.Type, found.Status, found.Reason, found.Message)
			}
		}
		return last == "", nil
	})
	if err != nil {
		return fmt.Errorf("waiting until BundleDeployment %q is installed: %w (%s)", deployment, err, last)
	}
	return nil
}
