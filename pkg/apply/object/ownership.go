package object

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/ownership"
)

// Deployments returns the creation time of the named BundleDeployment. exists is false if there is no such BundleDeployment.
type Deployments func(name string) (created time.Time, exists bool)

// claimant returns the input of ownership.Decide that describes the owner and its claim to the object with the key. applied are the sets of
// revisions that were applied completely.
func (o Owner) claimant(key Key, adoption corev1alpha2.Adoption, applied []*Set) ownership.Claimant {
	listed := slices.ContainsFunc(applied, func(set *Set) bool { return set.isOwnedOnceApplied(key) })
	return ownership.Claimant{Name: o.Name, Mark: o.OrphanMark(), Listed: listed, Adoption: adoption}
}

// Owns reports whether the owner may change and delete a live object. applied are the sets of the owner's revisions that were applied
// completely. The adoption policy has no effect on the result.
func (o Owner) Owns(live *unstructured.Unstructured, applied []*Set) bool {
	absent := func(string) ownership.Standing { return ownership.Absent }
	return ownership.Decide(ownership.MarksOf(live), o.claimant(KeyOf(live), "", applied), absent).Action == ownership.Ours
}

// Claim is an owner together with the facts that decide whether it owns a live object.
type Claim struct {
	Owner    Owner
	Adoption corev1alpha2.Adoption
	// Applied are the sets of the owner's revisions that were applied completely.
	Applied []*Set
	// Deployments finds the existing BundleDeployments.
	Deployments Deployments
}

// Decide returns what the owner may do with a live object that it declares under the key.
func (c Claim) Decide(key Key, live *unstructured.Unstructured) ownership.Verdict {
	return ownership.Decide(ownership.MarksOf(live), c.Owner.claimant(key, c.Adoption, c.Applied), func(other string) ownership.Standing {
		return c.Deployments.standing(other, c.Owner.Name)
	})
}

// Owns reports whether the claim's owner may change and delete a live object. The adoption policy has no effect on the result.
func (c Claim) Owns(live *unstructured.Unstructured) bool { return c.Owner.Owns(live, c.Applied) }

// standing returns whether another BundleDeployment is absent, older, or younger than an owner, by creation time and then by name. If the
// owner does not exist, the other one is Older, because a deleted owner must not adopt objects of others.
func (d Deployments) standing(other, owner string) ownership.Standing {
	theirs, exists := d(other)
	ours, here := d(owner)
	switch {
	case !exists:
		return ownership.Absent
	case here && isBefore(ours, owner, theirs, other):
		return ownership.Younger
	}
	return ownership.Older
}

// isBefore reports whether BundleDeployment a is before b, by creation time and then by name.
func isBefore(a time.Time, aName string, b time.Time, bName string) bool {
	if !a.Equal(b) {
		return a.Before(b)
	}
	return aName < bName
}

// IsMarkedOrphan reports whether an object is a CustomResourceDefinition with the annotation that an earlier removal set when it kept the
// object.
func IsMarkedOrphan(key Key, live *unstructured.Unstructured) bool {
	return IsCRD(key.GroupKind) && live.GetAnnotations()[platformv1alpha1.AnnotationOrphanedFrom] != ""
}
