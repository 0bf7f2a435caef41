package apply

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply/identity"
	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/apply/permissions"
	"github.com/openshift/platform-operators/pkg/apply/teardown"
	"github.com/openshift/platform-operators/pkg/plan"
)

// What callers of the engine need of the packages below it.
type (
	// Identity is the user that objects are written as. Without a client it is the manager.
	Identity = identity.Identity
	// Owner is the BundleDeployment that objects are applied for.
	Owner = object.Owner
	// Key identifies an object, whatever its version.
	Key = object.Key
	// Set has the objects of one owner.
	Set = object.Set
	// Refusal is an error that a retry will not cure by itself.
	Refusal = object.Refusal
	// Removal is the progress of the removal of a set.
	Removal = teardown.Removal
)

// NewSet labels the objects of a revision as the owner's, and adds what the engine needs; see object.NewSet.
func NewSet(owner Owner, installNamespace string, phases []plan.Phase) (*Set, error) {
	return object.NewSet(owner, installNamespace, phases)
}

// Union makes one set of several sets of one owner; see object.Union.
func Union(installNamespace string, sets ...*Set) (*Set, error) {
	return object.Union(installNamespace, sets...)
}

// IsReserved reports whether an object has a name that is reserved for what NewSet adds.
func IsReserved(declared *unstructured.Unstructured) bool { return object.IsReserved(declared) }

// NotPermitted returns a Refusal that names missing permissions; nil when there are none.
func NotPermitted(owner string, missing []corev1alpha2.MissingPermission) error {
	return permissions.NotPermitted(owner, missing)
}
