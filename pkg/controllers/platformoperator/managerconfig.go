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

// readManager returns the spec of PlatformOperatorManager "cluster". hold is the reason why the spec does not apply; empty if it applies.
// If the object does not exist, the spec is empty, which means the defaults, until the manager has recreated the object.
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

// settingsInformer is an informer for PlatformOperatorManagers that drops updates that do not change settings. The manager often writes
// conditions into the status, and each event makes this controller sync every PlatformOperator.
type settingsInformer struct{ cache.SharedIndexInformer }

// AddEventHandler registers a handler that does not receive updates that leave the settings unchanged.
func (i settingsInformer) AddEventHandler(handler cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	return i.SharedIndexInformer.AddEventHandler(settingsHandler{handler})
}

type settingsHandler struct{ cache.ResourceEventHandler }

// OnUpdate calls the wrapped handler if the update changes settings.
func (h settingsHandler) OnUpdate(before, after any) {
	old, okOld := before.(*operatorv1alpha1.PlatformOperatorManager)
	now, okNow := after.(*operatorv1alpha1.PlatformOperatorManager)
	if okOld && okNow && hasSameSettings(old, now) {
		return
	}
	h.ResourceEventHandler.OnUpdate(before, after)
}

// hasSameSettings reports whether two PlatformOperatorManagers have the same UID and the same settings that affect which bundles run.
func hasSameSettings(a, b *operatorv1alpha1.PlatformOperatorManager) bool {
	return a.UID == b.UID && a.Annotations[operatorv1alpha1.AnnotationAcceptLimits] == b.Annotations[operatorv1alpha1.AnnotationAcceptLimits] &&
		isSameList(a.Spec.AllowedPackages, b.Spec.AllowedPackages) && isSameList(a.Spec.CatalogNamespaces, b.Spec.CatalogNamespaces) &&
		equality.Semantic.DeepEqual(a.Spec.CatalogSelector, b.Spec.CatalogSelector) &&
		a.Spec.DefaultApproval == b.Spec.DefaultApproval && a.Spec.DefaultEdges == b.Spec.DefaultEdges
}

// isSameList reports whether two lists are equal. An empty list differs from nil.
func isSameList(a, b []string) bool { return (a == nil) == (b == nil) && slices.Equal(a, b) }
