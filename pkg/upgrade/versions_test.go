package upgrade

import (
	"fmt"
	"slices"
	"testing"

	blang "github.com/blang/semver/v4"
)

func TestVersionsCoveredEqualsSingleEvaluations(t *testing.T) {
	var all []Version
	for _, text := range []string{"2.0.0", "1.0.0", "1.2.0-rc.1", "1.2.0", "1.2.0+build.2", "0.9.0", "1.10.0", "1.0.0-alpha", "3.1.4"} {
		version, err := ParseVersion(text, "")
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, version)
	}
	released, err := ParseVersion("1.10.0", "2")
	if err != nil {
		t.Fatal(err)
	}
	all = append(all, released, Version{})
	list := NewVersions(all)
	if list.Len() != 8 {
		t.Fatalf("%d versions of which two are there twice, and one cannot be read: %v", list.Len(), list.ascending)
	}
	for _, text := range []string{"", ">=1.0.0", "<1.2.0", ">=1.0.0 <1.2.0 || >2.0.0", "!=1.2.0", "1.x", "9.9.9"} {
		covers := ReadRange(text)
		if text == "" {
			covers = func(blang.Version) bool { return true }
		}
		covered := make([]bool, list.Len())
		list.Covered(text, covers, nil, func(lo, hi int) {
			for at := lo; at < hi; at++ {
				covered[at] = true
			}
		})
		for _, version := range all {
			at, found := list.Position(version)
			if found != !version.IsZero() || found && covered[at] != version.IsIn(covers) {
				t.Errorf("%q, %s: position %d, found %t; it is covered: %v", text, version, at, found, covered)
			}
		}
	}
	if at, found := list.Position(mustVersion(t, "7.7.7")); found {
		t.Errorf("a version that is not there is at %d", at)
	}
	NewVersions(nil).Covered(">=1.0.0", ReadRange(">=1.0.0"), nil, func(lo, hi int) { t.Error(fmt.Sprint("of nothing is covered ", lo, hi)) })
	if !slices.IsSortedFunc(list.ascending, blang.Version.Compare) {
		t.Error("the list is not ascending")
	}
}

func mustVersion(t testing.TB, text string) Version {
	t.Helper()
	version, err := ParseVersion(text, "")
	if err != nil {
		t.Fatal(err)
	}
	return version
}
