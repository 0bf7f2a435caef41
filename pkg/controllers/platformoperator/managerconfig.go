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

// readManager returns the spec of PlatformOperatorManager "cluster". hold is why the spec does not apply; empty if it does. If the object was
// deleted, the spec is all defaults until the manager has created it again.
func readManager(lister operatorlisters.PlatformOperatorManagerLister, readLimits func() (limits.Stored, error)) (spec operatorv1alpha1.PlatformOperatorManagerSpec, hold string, err error) {
	manager, err := lister.Get(operatorv1alpha1.PlatformOperatorManagerName)
	if apierrors.IsNotFound(err) {
		manager, err = nil, nil
	}
	if err != nil {
		return spec, "", fmt.Errorf("reading PlatformOperatorManager %q: %w", operatorv1alpha1.PlatformOperatorManagerName, err)
	}
	stored, err := readLimits()
	if err != nil {
		return spec, "", err
	}
	if manager != nil {
		spec = manager.Spec
	}
	return spec, limits.Decide(stored, manager).Hold, nil
}

// settingsInformer is an informer of PlatformOperatorManagers that drops updates which leave the settings as they were: the manager writes
// conditions into the status often, and each event makes this controller sync every PlatformOperator.
type settingsInformer struct{ cache.SharedIndexInformer }

// AddEventHandler registers a handler for the remaining events.
func (i settingsInformer) AddEventHandler(handler cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	return i.SharedIndexInformer.AddEventHandler(settingsHandler{handler})
}

type settingsHandler struct{ cache.ResourceEventHandler }

// OnUpdate passes an update on if it changes settings.
func (h settingsHandler) OnUpdate(before, after any) {
	old, okOld := before.(*operatorv1alpha1.PlatformOperatorManager)
	now, okNow := after.(*operatorv1alpha1.PlatformOperatorManager)
	if okOld && okNow && hasSameSettings(old, now) {
		return
	}
	h.ResourceEventHandler.OnUpdate(before, after)
}

// hasSameSettings compares what of a PlatformOperatorManager decides which bundles run.
func hasSameSettings(a, b *operatorv1alpha1.PlatformOperatorManager) bool {
	return a.UID == b.UID && a.Annotations[operatorv1alpha1.AnnotationAcceptLimits] == b.Annotations[operatorv1alpha1.AnnotationAcceptLimits] &&
		isSameList(a.Spec.AllowedPackages, b.Spec.AllowedPackages) && isSameList(a.Spec.CatalogNamespaces, b.Spec.CatalogNamespaces) &&
		equality.Semantic.DeepEqual(a.Spec.CatalogSelector, b.Spec.CatalogSelector) &&
		a.Spec.DefaultApproval == b.Spec.DefaultApproval && a.Spec.DefaultEdges == b.Spec.DefaultEdges
}

// isSameList compares two lists; an empty list differs from an absent one.
func isSameList(a, b []string) bool { return (a == nil) == (b == nil) && slices.Equal(a, b) }
