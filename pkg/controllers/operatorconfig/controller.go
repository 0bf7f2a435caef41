// Package operatorconfig recreates the objects that the payload ships create-only when they are missing: PlatformOperatorManager "cluster"
// and the ProvisionerClasses.
//
// They are create-only so that an admin's settings in them survive. Without the PlatformOperatorManager, library-go deletes the
// ClusterOperator; without a class, its bundles are not unpacked. This controller creates them with defaults when they are deleted, and at
// its start if they are missing. pkg/operator passes in the objects.
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

// Name is the controller's name; its field manager is "platform-operators-" and this.
const Name = "operatorconfig"

// ControllerName is the controller's name in library-go's log, workqueue metrics and conditions for failed syncs.
const ControllerName = "OperatorConfigController"

// resync is the interval of checks without events; the first one is at the start.
const resync = time.Minute

// Kept is one object that is recreated when it is missing; every field is required.
type Kept struct {
	// Kind and Name of the object, for messages.
	Kind, Name string
	// Event is the reason of the Event about its creation.
	Event string
	// Informer of the kind.
	Informer factory.Informer
	// Get reads the object from the informer's cache; only its error is used.
	Get func() error
	// Create creates the object with its defaults.
	Create func(ctx context.Context, options metav1.CreateOptions) error
}

// New returns the controller. It has one queue key. The SyncContext has its queue, and the recorder of Events about the manager.
func New(kept []Kept, syncContext factory.SyncContext) (factory.Controller, error) {
	if len(kept) == 0 || syncContext == nil {
		return nil, errors.New("building the operatorconfig controller: it has nothing to keep, or no SyncContext")
	}
	var informers []factory.Informer
	for _, each := range kept {
		if each.Kind == "" || each.Name == "" || each.Event == "" || each.Informer == nil || each.Get == nil || each.Create == nil {
			return nil, fmt.Errorf("building the operatorconfig controller: a field of %s %q is not set", each.Kind, each.Name)
		}
		informers = append(informers, each.Informer)
	}
	return factory.New().
		WithSyncContext(syncContext).
		WithSync(keeper(kept).sync).
		WithInformers(informers...).
		ResyncEvery(resync). // an object that is missing from the start causes no event
		ToController(ControllerName, syncContext.Recorder()), nil
}

type keeper []Kept

func (k keeper) sync(ctx context.Context, syncCtx factory.SyncContext) error {
	var faults []error
	for _, each := range k {
		faults = append(faults, each.keep(ctx, syncCtx.Recorder()))
	}
	return errors.Join(faults...)
}

func (k Kept) keep(ctx context.Context, recorder events.Recorder) error {
	err := k.Get()
	if err == nil {
		return nil
	}
	if !apierrors.IsNotFound(err) {
		return fmt.Errorf("looking for %s %q: %w", k.Kind, k.Name, err)
	}
	err = k.Create(ctx, metav1.CreateOptions{FieldManager: "platform-operators-" + Name})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("creating %s %q: %w", k.Kind, k.Name, err)
	}
	recorder.Eventf(k.Event, "%s %q did not exist and was created with defaults", k.Kind, k.Name)
	return nil
}
