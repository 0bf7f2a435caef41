// Package operatorconfig keeps the PlatformOperatorManager "cluster" in existence.
//
// The payload ships that object create-only, so that an admin's settings in it survive, and library-go deletes the
// ClusterOperator when it is gone. This controller creates it again, with defaults, the moment it is deleted, and at its
// start if it is not there. It knows nothing of what is in it.
package operatorconfig

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/library-go/pkg/controller/factory"
	"github.com/openshift/library-go/pkg/operator/events"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	operatorclient "github.com/openshift/platform-operators/pkg/client/clientset/versioned/typed/operator/v1alpha1"
	operatorinformers "github.com/openshift/platform-operators/pkg/client/informers/externalversions/operator/v1alpha1"
	operatorlisters "github.com/openshift/platform-operators/pkg/client/listers/operator/v1alpha1"
)

// Name is the controller's name.
const Name = "operatorconfig"

// resync is how often to look, whatever events say; the first time is at once.
const resync = time.Minute

// Config is everything the controller needs; every field is required.
type Config struct {
	Client   operatorclient.PlatformOperatorManagerInterface
	Managers operatorinformers.PlatformOperatorManagerInformer
	// Default is what is created; it is never changed.
	Default  *operatorv1alpha1.PlatformOperatorManager
	Recorder events.Recorder
}

type controller struct {
	client   operatorclient.PlatformOperatorManagerInterface
	managers operatorlisters.PlatformOperatorManagerLister
	initial  *operatorv1alpha1.PlatformOperatorManager
}

// New builds the controller. It has one queue key.
func New(config Config) (factory.Controller, error) {
	if config.Client == nil || config.Managers == nil || config.Default == nil || config.Recorder == nil {
		return nil, errors.New("building the operatorconfig controller: a field of its Config is not set")
	}
	c := &controller{client: config.Client, managers: config.Managers.Lister(), initial: config.Default}
	return factory.New().
		WithSync(c.sync).
		WithInformers(config.Managers.Informer()).
		ResyncEvery(resync). // an object that is missing from the start sends no event
		ToController(Name, config.Recorder), nil
}

func (c *controller) sync(ctx context.Context, syncCtx factory.SyncContext) error {
	_, err := c.managers.Get(operatorv1alpha1.PlatformOperatorManagerName)
	if err == nil || !apierrors.IsNotFound(err) {
		return err
	}
	_, err = c.client.Create(ctx, c.initial.DeepCopy(), metav1.CreateOptions{FieldManager: "platform-operators-" + Name})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("creating PlatformOperatorManager %q: %w", c.initial.Name, err)
	}
	syncCtx.Recorder().Eventf("PlatformOperatorManagerCreated",
		"PlatformOperatorManager %q did not exist and was created with defaults", c.initial.Name)
	return nil
}
