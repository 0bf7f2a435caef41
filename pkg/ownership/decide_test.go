package ownership

import (
	"fmt"
	"slices"
	"testing"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// testCase is one state of an object and of the claimant "memo". Name "other" is another BundleDeployment.
type testCase struct {
	label, managers, references string // "", "memo", "other"; of managers and references also "both"
	orphanedFrom                string // "", "package/memo-package", "package/another"
	listed                      bool
	adoption                    corev1alpha2.Adoption
	other                       Standing
}

func (g testCase) String() string {
	return fmt.Sprintf("label %q, managers %q, references %q, orphaned from %q, listed %v, adoption %q, other is %s",
		g.label, g.managers, g.references, g.orphanedFrom, g.listed, g.adoption, g.other)
}

func names(of string) []string {
	switch of {
	case "":
		return nil
	case "both":
		return []string{"other", "memo"}
	}
	return []string{of}
}

func (g testCase) decide() Verdict {
	marks := Marks{Label: g.label, Managers: names(g.managers), References: names(g.references), OrphanedFrom: g.orphanedFrom}
	claimant := Claimant{Name: "memo", Mark: PackageMark("memo-package"), Listed: g.listed, Adoption: g.adoption}
	return Decide(marks, claimant, func(string) Standing { return g.other })
}

// states returns all combinations.
func states() []testCase {
	var all []testCase
	for _, label := range []string{"", "memo", "other"} {
		for _, managers := range []string{"", "memo", "other", "both"} {
			for _, references := range []string{"", "memo", "other", "both"} {
				for _, orphanedFrom := range []string{"", "package/memo-package", "package/another"} {
					for _, listed := range []bool{false, true} {
						for _, adoption := range []corev1alpha2.Adoption{"", corev1alpha2.AdoptionSamePackage, corev1alpha2.AdoptionNone, corev1alpha2.AdoptionAny} {
							for _, other := range []Standing{Absent, Older, Younger} {
								all = append(all, testCase{label, managers, references, orphanedFrom, listed, adoption, other})
							}
						}
					}
				}
			}
		}
	}
	return all
}

const none, anything = corev1alpha2.AdoptionNone, corev1alpha2.AdoptionAny

// rules are the expected results. The first rule that matches a state determines the result.
var rules = []struct {
	name string
	fits func(testCase) bool
	want Verdict
}{
	{"labels and field manager are ours", func(g testCase) bool { return g.label == "memo" && oneOf(g.managers, "memo", "both") }, Verdict{Ours, Recorded, ""}},
	{"rukpak applied it for us", func(g testCase) bool {
		return g.label == "memo" && g.managers == "" && oneOf(g.references, "memo", "both")
	}, Verdict{Ours, Referenced, ""}},
	{"a backup brought it back", func(g testCase) bool { return g.label == "memo" && g.managers == "" && g.listed }, Verdict{Ours, Restored, ""}},

	{"kept for our package, and None takes nothing", func(g testCase) bool {
		return isKept(g) && g.orphanedFrom == "package/memo-package" && g.adoption == none
	}, Verdict{Leave, NoneLeavesOrphan, ""}},
	{"kept for our package", func(g testCase) bool { return isKept(g) && g.orphanedFrom == "package/memo-package" }, Verdict{Adopt, Orphaned, ""}},
	{"kept for another package, and Any takes it", func(g testCase) bool { return isKept(g) && g.adoption == anything }, Verdict{Adopt, Permitted, ""}},
	{"kept for another package", func(g testCase) bool { return isKept(g) }, Verdict{Leave, OrphanOfAnother, ""}},

	{"somebody took our labels off", func(g testCase) bool { return g.label == "" && oneOf(g.managers, "memo", "both") }, Verdict{Ours, LabelsLost, ""}},
	{"somebody put another's labels on ours", func(g testCase) bool { return g.label == "other" && g.managers == "memo" }, Verdict{Ours, LabelsLost, ""}},

	{"one's that does not exist any more, and Any takes it", func(g testCase) bool { return ownedByOther(g) && g.other == Absent && g.adoption == anything }, Verdict{Adopt, Permitted, "other"}},
	{"one's that does not exist any more", func(g testCase) bool { return ownedByOther(g) && g.other == Absent }, Verdict{Leave, OwnerDeleted, "other"}},
	{"another's by its labels only", func(g testCase) bool { return ownedByOther(g) && g.managers == "" && oneOf(g.references, "", "memo") }, Verdict{Leave, LabelsOfAnother, "other"}},
	{"an older one's", func(g testCase) bool { return ownedByOther(g) && g.other == Older }, Verdict{Leave, OwnedByOlder, "other"}},
	{"a younger one's, and None takes nothing", func(g testCase) bool { return ownedByOther(g) && g.adoption == none }, Verdict{Leave, NoneLeavesYounger, "other"}},
	{"a younger one's", ownedByOther, Verdict{Adopt, OwnedByYounger, "other"}},

	{"nobody's, and Any takes it", func(g testCase) bool { return g.adoption == anything }, Verdict{Adopt, Permitted, ""}},
	{"somebody put our labels on theirs", func(g testCase) bool { return g.label == "memo" }, Verdict{Leave, LabelsOnly, ""}},
	{"nobody's", func(testCase) bool { return true }, Verdict{Leave, Unowned, ""}},
}

func oneOf(one string, of ...string) bool { return slices.Contains(of, one) }

// isKept reports whether a removal has kept the object, and no other BundleDeployment is adopting it.
func isKept(g testCase) bool {
	isBeingAdopted := g.label == "other" && oneOf(g.managers, "other", "both") && g.other != Absent
	return g.orphanedFrom != "" && !isBeingAdopted
}

// ownedByOther reports whether the labels name another BundleDeployment, or our labels are on an object that it applied.
func ownedByOther(g testCase) bool {
	return g.label == "other" || g.label == "memo" && g.managers == "other"
}

func TestHRD_S2_EveryStateHasOneVerdict(t *testing.T) {
	reached := map[string]bool{}
	for _, state := range states() {
		for _, rule := range rules {
			if !rule.fits(state) {
				continue
			}
			reached[rule.name] = true
			if got := state.decide(); got != rule.want {
				t.Errorf("%s: %s: got %+v, want %+v", state, rule.name, got, rule.want)
			}
			break
		}
	}
	for _, rule := range rules {
		if !reached[rule.name] {
			t.Errorf("no state is %q", rule.name)
		}
	}
}

func TestHRD_S2_LabelsAloneAreNoProofAndNoneAdoptsNothing(t *testing.T) {
	for _, state := range states() {
		got := state.decide()
		if got.Action == Ours && state.managers == "" && state.references == "" && !state.listed {
			t.Errorf("%s: ours by labels alone", state)
		}
		if got.Action == Adopt && state.adoption == none {
			t.Errorf("%s: None takes it", state)
		}
		if got.Action == Adopt && state.other == Older && got.Other == "other" {
			t.Errorf("%s: taken from an older one", state)
		}
		withoutPolicy := state
		withoutPolicy.adoption = ""
		if (got.Action == Ours) != (withoutPolicy.decide().Action == Ours) {
			t.Errorf("%s: whether it is ours depends on the adoption policy", state)
		}
	}
}

// TestHRD_S2_ObjectHasOneOwner checks that, for all marks, at most one BundleDeployment may change an object.
func TestHRD_S2_ObjectHasOneOwner(t *testing.T) {
	for _, state := range states() {
		if state.orphanedFrom != "" {
			continue
		}
		marks := Marks{Label: state.label, Managers: names(state.managers), References: names(state.references)}
		var owners []string
		for _, name := range []string{"memo", "other"} {
			claimant := Claimant{Name: name, Listed: state.listed}
			if Decide(marks, claimant, func(string) Standing { return Absent }).Action == Ours {
				owners = append(owners, name)
			}
		}
		// Without labels, both field managers may be the owner's; applying the object sets the labels again.
		if len(owners) > 1 && (state.label != "" || state.managers != "both") {
			t.Errorf("%s: is of %v", state, owners)
		}
		if owner, owned := marks.Owner(); owned && !slices.Contains(owners, owner) {
			t.Errorf("%s: Owner says %q, and Decide %v", state, owner, owners)
		}
	}
}
