package managerstatus

import (
	"context"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	operatorclient "github.com/openshift/platform-operators/pkg/client/clientset/versioned/typed/operator/v1alpha1"
	operatorlisters "github.com/openshift/platform-operators/pkg/client/listers/operator/v1alpha1"
)

// Writer writes fields of the status that library-go's client does not know, together with conditions.
type Writer struct {
	Client       operatorclient.PlatformOperatorManagerInterface
	Managers     operatorlisters.PlatformOperatorManagerLister
	FieldManager string
}

// Modify writes the status as change leaves it, if that is a change. After a conflict it tries again with the object as it is by then.
// While the resource does not exist nothing is written: it is created again at once, and its informer wakes the controller.
func (w Writer) Modify(ctx context.Context, change func(*operatorv1alpha1.PlatformOperatorManagerStatus)) error {
	const name = operatorv1alpha1.PlatformOperatorManagerName
	get := func() (*operatorv1alpha1.PlatformOperatorManager, error) { return w.Managers.Get(name) }
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		found, err := get()
		if err != nil {
			return err
		}
		get = func() (*operatorv1alpha1.PlatformOperatorManager, error) { // the cache is behind
			return w.Client.Get(ctx, name, metav1.GetOptions{})
		}
		manager := found.DeepCopy()
		change(&manager.Status)
		if equality.Semantic.DeepEqual(found.Status, manager.Status) {
			return nil
		}
		_, err = w.Client.UpdateStatus(ctx, manager, metav1.UpdateOptions{FieldManager: w.FieldManager})
		return err
	})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
