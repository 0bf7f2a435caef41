package ownership

import (
	"slices"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// Action says how a BundleDeployment may treat an object.
type Action string

// Actions of a BundleDeployment.
const (
	// Ours: the BundleDeployment owns the object, and may change and delete it.
	Ours Action = "Ours"
	// Adopt: the BundleDeployment does not own the object, and may adopt it if its bundle declares it. The BundleDeployment must not delete
	// the object before the adoption.
	Adopt Action = "Adopt"
	// Leave: the BundleDeployment must neither change nor delete the object.
	Leave Action = "Leave"
)

// Reason is why an Action applies.
type Reason string

// Reasons of Ours.
const (
	// Recorded: the labels and managedFields agree.
	Recorded Reason = "Recorded"
	// LabelsLost: another client removed or changed the labels, but managedFields still contains the BundleDeployment's field manager.
	LabelsLost Reason = "LabelsLost"
	// Restored: the object has the labels but no BundleDeployment's field manager, and a completely applied revision lists it.
	Restored Reason = "Restored"
	// Referenced: rukpak applied the object, with the labels and an owner reference, and no BundleDeployment's field manager has applied it
	// since.
	Referenced Reason = "Referenced"
)

// Reasons of Adopt.
const (
	// Orphaned: the object was retained when the same package, or the same BundleDeployment, was removed.
	Orphaned Reason = "Orphaned"
	// OwnedByYounger: a younger BundleDeployment owns the object.
	OwnedByYounger Reason = "OwnedByYounger"
	// Permitted: no other BundleDeployment owns the object, and the adoption policy is Any.
	Permitted Reason = "Permitted"
)

// Reasons of Leave.
const (
	// Unowned: the object has no mark of a BundleDeployment.
	Unowned Reason = "Unowned"
	// LabelsOnly: the object has the labels, but the BundleDeployment neither created nor adopted it.
	LabelsOnly Reason = "LabelsOnly"
	// LabelsOfAnother: the object has the labels of another BundleDeployment, but no other mark of that BundleDeployment.
	LabelsOfAnother Reason = "LabelsOfAnother"
	// OwnedByOlder: an older BundleDeployment owns the object.
	OwnedByOlder Reason = "OwnedByOlder"
	// OwnerDeleted: the owner of the object is a BundleDeployment that no longer exists.
	OwnerDeleted Reason = "OwnerDeleted"
	// NoneLeavesYounger and NoneLeavesOrphan: the adoption policy is None. With another policy, the BundleDeployment might adopt the object
	// from a younger BundleDeployment, or as an orphan of its own package.
	NoneLeavesYounger Reason = "NoneLeavesYounger"
	NoneLeavesOrphan  Reason = "NoneLeavesOrphan"
	// OrphanOfAnother: the object was retained when another package or BundleDeployment was removed.
	OrphanOfAnother Reason = "OrphanOfAnother"
)

// Standing says whether another BundleDeployment exists, and whether it is older or younger than the Claimant.
type Standing string

// Ages of another BundleDeployment relative to the claimant. If two have the same creationTimestamp, the name decides. Absent means that
// the other BundleDeployment does not exist.
const (
	Absent  Standing = "Absent"
	Older   Standing = "Older"
	Younger Standing = "Younger"
)

// Claimant is the BundleDeployment that may own or adopt an object.
type Claimant struct {
	Name string
	// Mark is the claimant's mark on retained CustomResourceDefinitions: that of its package, or that of the BundleDeployment if its bundle
	// names no package.
	Mark string
	// Listed means that a stored, completely applied revision of the claimant lists the object.
	Listed bool
	// Adoption is the claimant's adoption policy; empty means SamePackage.
	Adoption corev1alpha2.Adoption
}

// Verdict says how a BundleDeployment may treat an object, and why.
type Verdict struct {
	Action Action
	Reason Reason
	// Other is the other BundleDeployment that the reason refers to; empty if it refers to none.
	Other string
}

// Decide returns what a BundleDeployment may do with an object that has these marks. If the marks name another BundleDeployment, Decide
// calls standing to get its age.
func Decide(m Marks, c Claimant, standing func(other string) Standing) Verdict {
	labeled, recorded := m.Label == c.Name, slices.Contains(m.Managers, c.Name)
	switch {
	case labeled && recorded:
		return Verdict{Action: Ours, Reason: Recorded}
	case labeled && slices.Contains(m.References, c.Name) && len(m.Managers) == 0:
		return Verdict{Action: Ours, Reason: Referenced}
	case labeled && c.Listed && len(m.Managers) == 0:
		return Verdict{Action: Ours, Reason: Restored}
	case m.OrphanedFrom != "" && !isBeingAdopted(m, c, standing):
		return decideOrphan(m, c)
	case recorded && !slices.Contains(m.Managers, m.Label):
		return Verdict{Action: Ours, Reason: LabelsLost}
	case m.Label != "" && !labeled:
		return decideOther(m, c, m.Label, standing)
	case labeled && len(m.Managers) > 0: // another client set our labels on an object that another BundleDeployment applied
		return decideOther(m, c, m.Managers[0], standing)
	case c.Adoption == corev1alpha2.AdoptionAny:
		return Verdict{Action: Adopt, Reason: Permitted}
	case labeled:
		return Verdict{Action: Leave, Reason: LabelsOnly}
	}
	return Verdict{Action: Leave, Reason: Unowned}
}

// isBeingAdopted reports whether another BundleDeployment, which exists, already owns an object that a removal retained. An adoption takes
// two writes, and only the second one removes the annotation that marks the object as retained. So after the first one, the object has both
// the annotation and an owner.
func isBeingAdopted(m Marks, c Claimant, standing func(other string) Standing) bool {
	return m.Label != "" && m.Label != c.Name && slices.Contains(m.Managers, m.Label) && standing(m.Label) != Absent
}

// decideOrphan returns the verdict on a CustomResourceDefinition that a removal retained.
func decideOrphan(m Marks, c Claimant) Verdict {
	same, adoption := m.OrphanedFrom == c.Mark, c.Adoption
	switch {
	case same && adoption == corev1alpha2.AdoptionNone:
		return Verdict{Action: Leave, Reason: NoneLeavesOrphan}
	case same:
		return Verdict{Action: Adopt, Reason: Orphaned}
	case adoption == corev1alpha2.AdoptionAny:
		return Verdict{Action: Adopt, Reason: Permitted}
	}
	return Verdict{Action: Leave, Reason: OrphanOfAnother}
}

// decideOther returns the verdict on an object of another BundleDeployment. The object belongs to the older of the two, regardless of who
// applied it first, so that the result is stable. The older BundleDeployment adopts the object only if its adoption policy is not None, and
// only if the younger one has more than its labels on the object.
func decideOther(m Marks, c Claimant, other string, standing func(string) Standing) Verdict {
	left := func(reason Reason) Verdict { return Verdict{Action: Leave, Reason: reason, Other: other} }
	age := standing(other)
	switch {
	case age == Absent && c.Adoption == corev1alpha2.AdoptionAny:
		return Verdict{Action: Adopt, Reason: Permitted, Other: other}
	case age == Absent:
		return left(OwnerDeleted)
	case !slices.Contains(m.Managers, other) && !slices.Contains(m.References, other):
		return left(LabelsOfAnother)
	case age == Older:
		return left(OwnedByOlder)
	case c.Adoption == corev1alpha2.AdoptionNone:
		return left(NoneLeavesYounger)
	}
	return Verdict{Action: Adopt, Reason: OwnedByYounger, Other: other}
}
