// Package operatorconfig recreates the objects that the payload ships create-only when they are missing: PlatformOperatorManager "cluster"
// and the ProvisionerClasses.
//
// The CVO creates these objects and never updates them, so an admin's settings survive. Without the PlatformOperatorManager, library-go
// deletes the ClusterOperator; without a class, its bundles are not unpacked. The controller creates missing objects with defaults, at its
// start and after a deletion. pkg/operator passes in the objects.
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
)

// Name is the controller's name. Its field manager is "platform-operators-" followed by this name.
const Name = "operatorconfig"

// ControllerName is the controller's name in library-go's log, workqueue metrics and conditions for failed syncs.
const ControllerName = "OperatorConfigController"

// resync is the interval between checks that no event triggers. The first check is at the start.
const resync = time.Minute

// CreateOnly is an object that the controller creates if it is missing, and never updates. Every field is required.
type CreateOnly struct {
	// Kind and Name are the kind and the name of the object, for messages.
	Kind, Name string
	// Event is the reason of the Event that reports its creation.
	Event string
	// Informer is the informer of the object's kind.
	Informer factory.Informer
	// Get reads the object from the informer's cache; only its error is used.
	Get func() error
	// Create creates the object with its defaults.
	Create func(ctx context.Context, options metav1.CreateOptions) error
}

// New returns the controller. It has one queue key. syncContext provides the queue, and the recorder for Events about the manager. New
// returns an error if objects is empty or a field is not set.
func New(objects []CreateOnly, syncContext factory.SyncContext) (factory.Controller, error) {
	if len(objects) == 0 || syncContext == nil {
		return nil, errors.New("building the operatorconfig controller: it has nothing to keep, or no SyncContext")
	}
	var informers []factory.Informer
	for _, each := range objects {
		if each.Kind == "" || each.Name == "" || each.Event == "" || each.Informer == nil || each.Get == nil || each.Create == nil {
			return nil, fmt.Errorf("building the operatorconfig controller: a field of %s %q is not set", each.Kind, each.Name)
		}
		informers = append(informers, each.Informer)
	}
	return factory.New().
		WithSyncContext(syncContext).
		WithSync(controller(objects).sync).
		WithInformers(informers...).
		ResyncEvery(resync). // an object that is missing at the start causes no watch event
		ToController(ControllerName, syncContext.Recorder()), nil
}

type controller []CreateOnly

func (c controller) sync(ctx context.Context, syncCtx factory.SyncContext) error {
	var faults []error
	for _, each := range c {
		faults = append(faults, each.ensure(ctx, syncCtx.Recorder()))
	}
	return errors.Join(faults...)
}

// ensure creates the object if it is missing, and sends an Event. It does nothing if the object exists.
func (o CreateOnly) ensure(ctx context.Context, recorder events.Recorder) error {
	err := o.Get()
	if err == nil {
		return nil
	}
	if !apierrors.IsNotFound(err) {
		return fmt.Errorf("looking for %s %q: %w", o.Kind, o.Name, err)
	}
	err = o.Create(ctx, metav1.CreateOptions{FieldManager: "platform-operators-" + Name})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("creating %s %q: %w", o.Kind, o.Name, err)
	}
	recorder.Eventf(o.Event, "%s %q did not exist and was created with defaults", o.Kind, o.Name)
	return nil
}
