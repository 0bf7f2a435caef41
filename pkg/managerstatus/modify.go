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

// Writer writes status fields that library-go's client does not support, together with conditions.
type Writer struct {
	Client       operatorclient.PlatformOperatorManagerInterface
	Managers     operatorlisters.PlatformOperatorManagerLister
	FieldManager string
}

// Modify applies change to a copy of the status, and writes the status if it differs. After a conflict it calls change again with the
// latest status. If the resource does not exist, it writes nothing and returns nil: the manager recreates the resource at once, and that
// event queues another sync.
func (w Writer) Modify(ctx context.Context, change func(*operatorv1alpha1.PlatformOperatorManagerStatus)) error {
	const name = operatorv1alpha1.PlatformOperatorManagerName
	get := func() (*operatorv1alpha1.PlatformOperatorManager, error) { return w.Managers.Get(name) }
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		found, err := get()
		if err != nil {
			return err
		}
		get = func() (*operatorv1alpha1.PlatformOperatorManager, error) { // after a conflict, because the cache is out of date
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
