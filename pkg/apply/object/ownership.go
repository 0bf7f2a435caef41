package object

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/ownership"
)

// Deployments returns when the BundleDeployment of a name was created; false when there is none.
type Deployments func(name string) (created time.Time, exists bool)

// claimant is the owner as pkg/ownership knows it. applied are the sets of revisions that were applied completely.
func (o Owner) claimant(key Key, adoption corev1alpha2.Adoption, applied []*Set) ownership.Claimant {
	listed := slices.ContainsFunc(applied, func(set *Set) bool { return set.isOwnedOnceApplied(key) })
	return ownership.Claimant{Name: o.Name, Package: o.OrphanMark(), Listed: listed, Adoption: adoption}
}

// Owns reports whether the claim's owner may change and delete a live object. The adoption policy has no effect on this.
func (o Owner) Owns(live *unstructured.Unstructured, applied []*Set) bool {
	absent := func(string) ownership.Standing { return ownership.Absent }
	return ownership.Decide(ownership.MarksOf(live), o.claimant(KeyOf(live), "", applied), absent).Action == ownership.Ours
}

// Claim is an owner with what decides about live objects.
type Claim struct {
	Owner    Owner
	Adoption corev1alpha2.Adoption
	// Applied are the sets of the owner's revisions that were applied completely.
	Applied []*Set
	// Deployments are the BundleDeployments that exist.
	Deployments Deployments
}

// Decide returns what the owner may do with a live object that it declares under the key.
func (c Claim) Decide(key Key, live *unstructured.Unstructured) ownership.Verdict {
	return ownership.Decide(ownership.MarksOf(live), c.Owner.claimant(key, c.Adoption, c.Applied), func(other string) ownership.Standing {
		return c.Deployments.standing(other, c.Owner.Name)
	})
}

// Owns reports whether the claim's owner may change and delete a live object. The adoption policy has no effect on this.
func (c Claim) Owns(live *unstructured.Unstructured) bool { return c.Owner.Owns(live, c.Applied) }

// standing compares another BundleDeployment with an owner: by age, then by name. An owner that is gone takes nothing from others.
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

// isBefore is the order of BundleDeployments: by age, then by name.
func isBefore(a time.Time, aName string, b time.Time, bName string) bool {
	if !a.Equal(b) {
		return a.Before(b)
	}
	return aName < bName
}

// IsMarkedOrphan reports whether an object is a CustomResourceDefinition with the mark of a removal that kept it.
func IsMarkedOrphan(key Key, live *unstructured.Unstructured) bool {
	return IsCRD(key.GroupKind) && live.GetAnnotations()[platformv1alpha1.AnnotationOrphanedFrom] != ""
}
