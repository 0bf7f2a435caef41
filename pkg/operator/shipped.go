package operator

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/library-go/pkg/controller/factory"

	"github.com/openshift/platform-operators/bindata"
	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	"github.com/openshift/platform-operators/pkg/controllers/operatorconfig"
)

// newOperatorConfig builds the controller that recreates the objects that the payload ships as create-only. bindata contains their initial
// content.
func (b *builder) newOperatorConfig(syncContext factory.SyncContext) (factory.Controller, error) {
	manager, err := shippedManager(b.input)
	if err != nil {
		return nil, err
	}
	objects := []operatorconfig.CreateOnly{manager}
	for _, shipped := range []func() (*corev1alpha2.ProvisionerClass, error){bindata.RegistryClass, bindata.PlainClass} {
		initial, err := shipped()
		if err != nil {
			return nil, err
		}
		objects = append(objects, shippedClass(b.input, initial))
	}
	return operatorconfig.New(objects, syncContext)
}

func shippedManager(input *Input) (operatorconfig.CreateOnly, error) {
	initial, err := bindata.PlatformOperatorManager()
	if err != nil {
		return operatorconfig.CreateOnly{}, err
	}
	managers := input.PlatformInformers.Operator().V1alpha1().PlatformOperatorManagers()
	return operatorconfig.CreateOnly{
		Kind:     "PlatformOperatorManager",
		Name:     initial.Name,
		Event:    operatorv1alpha1.EventPlatformOperatorManagerCreated,
		Informer: managers.Informer(),
		Get: func() error {
			_, err := managers.Lister().Get(initial.Name)
			return err
		},
		Create: func(ctx context.Context, options metav1.CreateOptions) error {
			_, err := input.Platform.OperatorV1alpha1().PlatformOperatorManagers().Create(ctx, initial.DeepCopy(), options)
			return err
		},
	}, nil
}

func shippedClass(input *Input, initial *corev1alpha2.ProvisionerClass) operatorconfig.CreateOnly {
	classes := input.PlatformInformers.Core().V1alpha2().ProvisionerClasses()
	return operatorconfig.CreateOnly{
		Kind:     "ProvisionerClass",
		Name:     initial.Name,
		Event:    corev1alpha2.EventProvisionerClassCreated,
		Informer: classes.Informer(),
		Get: func() error {
			_, err := classes.Lister().Get(initial.Name)
			return err
		},
		Create: func(ctx context.Context, options metav1.CreateOptions) error {
			_, err := input.Platform.CoreV1alpha2().ProvisionerClasses().Create(ctx, initial.DeepCopy(), options)
			return err
		},
	}
}
