package builtin

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"
)

// eventREST is the registry of Events. Unlike kube-apiserver, it changes the name of a new Event if an Event with that name exists. Clients
// generate the names from the current time, and virtual time is the same for all Events that a client creates without waiting.
type eventREST struct{ resourceREST }

// maxEventsAtOnce is the maximum number of Events that eventREST creates for one requested name. After that, creation fails with
// AlreadyExists.
const maxEventsAtOnce = 100

// Create implements rest.Creater.
func (r eventREST) Create(ctx context.Context, object runtime.Object, validate rest.ValidateObjectFunc, options *metav1.CreateOptions) (runtime.Object, error) {
	created, err := r.resourceREST.Create(ctx, object.DeepCopyObject(), validate, options)
	event, isEvent := object.(*corev1.Event)
	for n := 2; isEvent && apierrors.IsAlreadyExists(err) && n <= maxEventsAtOnce; n++ {
		another := event.DeepCopy()
		another.Name = fmt.Sprintf("%s.%d", event.Name, n)
		created, err = r.resourceREST.Create(ctx, another, validate, options)
	}
	return created, err
}
