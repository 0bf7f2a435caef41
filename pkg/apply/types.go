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

// The types from the packages below this one that callers of the engine need.
type (
	// Identity is the user that writes the objects. An Identity without a client means the manager.
	Identity = identity.Identity
	// Owner is the BundleDeployment for which objects are applied.
	Owner = object.Owner
	// Key identifies an object independently of its API version.
	Key = object.Key
	// Set holds the objects of one owner.
	Set = object.Set
	// WaitError says that an object cannot be written yet.
	WaitError = object.WaitError
	// Refusal is an error that a retry does not resolve.
	Refusal = object.Refusal
	// PermissionOptions are the options of MissingPermissions.
	PermissionOptions = permissions.Options
	// Removal is the progress of the removal of a set.
	Removal = teardown.Removal
)

// CRDKind is the kind of CustomResourceDefinitions.
var CRDKind = object.CRDKind

// NewSet returns the objects of a revision with the owner labels, and adds the objects that the engine needs; see object.NewSet.
func NewSet(owner Owner, installNamespace string, phases []plan.Phase) (*Set, error) {
	return object.NewSet(owner, installNamespace, phases)
}

// NewScopedSet returns the objects of a revision that a ServiceAccount applies; see object.NewScopedSet.
func NewScopedSet(owner Owner, installNamespace string, phases []plan.Phase) (*Set, error) {
	return object.NewScopedSet(owner, installNamespace, phases)
}

// Union returns one set with the objects of several sets of one owner; see object.Union.
func Union(installNamespace string, sets ...*Set) (*Set, error) {
	return object.Union(installNamespace, sets...)
}

// IsReserved reports whether an object has a name that is reserved for the ClusterRoles that NewSet adds.
func IsReserved(declared *unstructured.Unstructured) bool { return object.IsReserved(declared) }

// NotPermitted returns a Refusal that names the missing permissions; nil if none is missing. namespace is that of the ServiceAccount.
func NotPermitted(owner, namespace string, missing []corev1alpha2.MissingPermission) error {
	return permissions.NotPermitted(owner, namespace, missing)
}
