package ownership

import (
	"slices"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// Action is what a BundleDeployment may do with an object.
type Action string

// What a BundleDeployment may do with an object.
const (
	// Ours: it has it already, and may change and delete it.
	Ours Action = "Ours"
	// Adopt: it does not have it, and may take it over where its bundle declares it. It must not delete it before.
	Adopt Action = "Adopt"
	// Leave: it must neither change nor delete it.
	Leave Action = "Leave"
)

// Reason is why.
type Reason string

// Reasons of Ours.
const (
	// Recorded: labels and record of field managers agree.
	Recorded Reason = "Recorded"
	// LabelsLost: somebody took the labels off or changed them; the record of field managers still has it.
	LabelsLost Reason = "LabelsLost"
	// Restored: it has the labels, nobody's record of field managers, and a revision that was applied completely lists it.
	Restored Reason = "Restored"
	// Referenced: rukpak applied it, with the labels and an owner reference, and none of our field managers has since.
	Referenced Reason = "Referenced"
)

// Reasons of Adopt.
const (
	// Orphaned: it was kept when the same package was removed.
	Orphaned Reason = "Orphaned"
	// OwnedByYounger: a younger BundleDeployment owns it.
	OwnedByYounger Reason = "OwnedByYounger"
	// Permitted: it is no other BundleDeployment's, and the adoption policy is Any.
	Permitted Reason = "Permitted"
)

// Reasons of Leave.
const (
	// Unowned: it has no mark of a BundleDeployment.
	Unowned Reason = "Unowned"
	// LabelsOnly: it has the labels, and the BundleDeployment neither made nor adopted it.
	LabelsOnly Reason = "LabelsOnly"
	// LabelsOfAnother: it has the labels of another BundleDeployment, and no other mark of it.
	LabelsOfAnother Reason = "LabelsOfAnother"
	// OwnedByOlder: an older BundleDeployment owns it.
	OwnedByOlder Reason = "OwnedByOlder"
	// OwnerDeleted: a BundleDeployment owns it that does not exist any more.
	OwnerDeleted Reason = "OwnerDeleted"
	// NoneLeavesYounger and NoneLeavesOrphan: it could be taken over if the adoption policy were not None.
	NoneLeavesYounger Reason = "NoneLeavesYounger"
	NoneLeavesOrphan  Reason = "NoneLeavesOrphan"
	// OrphanOfAnother: it was kept when another package was removed.
	OrphanOfAnother Reason = "OrphanOfAnother"
)

// Standing is how another BundleDeployment stands to the one that asks.
type Standing string

// How another BundleDeployment stands to the one that asks: two of one second stand in the order of their names.
const (
	Absent  Standing = "Absent"
	Older   Standing = "Older"
	Younger Standing = "Younger"
)

// Claimant is the BundleDeployment that asks.
type Claimant struct {
	Name string
	// Package is what it marks a CustomResourceDefinition with that it keeps.
	Package string
	// Listed: a stored revision of its that was applied completely lists the object.
	Listed bool
	// Adoption is its policy; empty means SamePackage.
	Adoption corev1alpha2.Adoption
}

// Verdict is what a BundleDeployment may do with an object, and why.
type Verdict struct {
	Action Action
	Reason Reason
	// Other is the other BundleDeployment that the reason is about.
	Other string
}

// Decide says what a BundleDeployment may do with an object that has these marks. standing is asked about another
// BundleDeployment that the marks name.
func Decide(m Marks, c Claimant, standing func(other string) Standing) Verdict {
	labeled, recorded := m.Label == c.Name, slices.Contains(m.Managers, c.Name)
	switch {
	case labeled && recorded:
		return Verdict{Action: Ours, Reason: Recorded}
	case labeled && slices.Contains(m.References, c.Name) && len(m.Managers) == 0:
		return Verdict{Action: Ours, Reason: Referenced}
	case labeled && c.Listed && len(m.Managers) == 0:
		return Verdict{Action: Ours, Reason: Restored}
	case m.OrphanedFrom != "":
		return decideOrphan(m, c)
	case recorded && !slices.Contains(m.Managers, m.Label):
		return Verdict{Action: Ours, Reason: LabelsLost}
	case m.Label != "" && !labeled:
		return decideOther(m, c, m.Label, standing)
	case labeled && len(m.Managers) > 0: // somebody put our labels on what another one applied
		return decideOther(m, c, m.Managers[0], standing)
	case c.Adoption == corev1alpha2.AdoptionAny:
		return Verdict{Action: Adopt, Reason: Permitted}
	case labeled:
		return Verdict{Action: Leave, Reason: LabelsOnly}
	}
	return Verdict{Action: Leave, Reason: Unowned}
}

// decideOrphan is about a CustomResourceDefinition that a removal kept.
func decideOrphan(m Marks, c Claimant) Verdict {
	same, adoption := m.OrphanedFrom == c.Package, c.Adoption
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

// decideOther is about an object of another BundleDeployment. It belongs to the older of the two, whoever got there first: so it
// is always the same one. That one takes it only where its policy lets it take anything, and only from one that really has it.
func decideOther(m Marks, c Claimant, other string, standing func(string) Standing) Verdict {
	left := func(reason Reason) Verdict { return Verdict{Action: Leave, Reason: reason, Other: other} }
	stands := standing(other)
	switch {
	case stands == Absent && c.Adoption == corev1alpha2.AdoptionAny:
		return Verdict{Action: Adopt, Reason: Permitted, Other: other}
	case stands == Absent:
		return left(OwnerDeleted)
	case !slices.Contains(m.Managers, other) && !slices.Contains(m.References, other):
		return left(LabelsOfAnother)
	case stands == Older:
		return left(OwnedByOlder)
	case c.Adoption == corev1alpha2.AdoptionNone:
		return left(NoneLeavesYounger)
	}
	return Verdict{Action: Adopt, Reason: OwnedByYounger, Other: other}
}
