package platformoperator

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/cache"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	operatorlisters "github.com/openshift/platform-operators/pkg/client/listers/operator/v1alpha1"
	"github.com/openshift/platform-operators/pkg/limits"
)

// configuration is the spec of PlatformOperatorManager "cluster", and why it does not count; empty when it does. For the moment that
// it takes to be created again the spec is all defaults.
func configuration(lister operatorlisters.PlatformOperatorManagerLister, read func() (limits.Stored, error)) (spec operatorv1alpha1.PlatformOperatorManagerSpec, hold string, err error) {
	manager, err := lister.Get(operatorv1alpha1.PlatformOperatorManagerName)
	if apierrors.IsNotFound(err) {
		manager, err = nil, nil
	}
	if err != nil {
		return spec, "", fmt.Errorf("reading PlatformOperatorManager %q: %w", operatorv1alpha1.PlatformOperatorManagerName, err)
	}
	stored, err := read()
	if err != nil {
		return spec, "", err
	}
	if manager != nil {
		spec = manager.Spec
	}
	return spec, limits.Decide(stored, manager).Hold, nil
}

// sameSettings compares the fields of the PlatformOperatorManager that decide what operators run.
func sameSettings(a, b operatorv1alpha1.PlatformOperatorManagerSpec) bool {
	return sameList(a.AllowedPackages, b.AllowedPackages) && sameList(a.CatalogNamespaces, b.CatalogNamespaces) && equality.Semantic.DeepEqual(a.CatalogSelector, b.CatalogSelector) &&
		a.DefaultApproval == b.DefaultApproval && a.DefaultEdges == b.DefaultEdges
}

func acceptsLimits(manager *operatorv1alpha1.PlatformOperatorManager) string {
	return manager.Annotations[operatorv1alpha1.AnnotationAcceptLimits]
}

// sameList compares lists of which an empty one is not an absent one.
func sameList(a, b []string) bool { return (a == nil) == (b == nil) && slices.Equal(a, b) }

// settingsInformer is an informer of PlatformOperatorManagers that tells of no update which leaves the settings as they were:
// our own conditions are written into its status all the time, and each event costs a look at every operator.
type settingsInformer struct{ cache.SharedIndexInformer }

// AddEventHandler registers a handler for what is left.
func (i settingsInformer) AddEventHandler(handler cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	return i.SharedIndexInformer.AddEventHandler(settingsHandler{handler})
}

type settingsHandler struct{ cache.ResourceEventHandler }

// OnUpdate passes an update on if it changes settings.
func (h settingsHandler) OnUpdate(before, after any) {
	old, okOld := before.(*operatorv1alpha1.PlatformOperatorManager)
	now, okNow := after.(*operatorv1alpha1.PlatformOperatorManager)
	if okOld && okNow && old.UID == now.UID && acceptsLimits(old) == acceptsLimits(now) && sameSettings(old.Spec, now.Spec) {
		return
	}
	h.ResourceEventHandler.OnUpdate(before, after)
}
