package upgrade

import (
	"slices"
	"testing"

	blang "github.com/blang/semver/v4"
	"github.com/google/go-cmp/cmp"
)

// rangeVersions returns versions that are equal or next to those that ranges with few digits mention, ascending.
func rangeVersions(tb testing.TB) (versions []blang.Version) {
	tb.Helper()
	for _, text := range []string{"0.0.0-0", "0.0.0", "0.0.1", "0.1.0", "0.9.9", "1.0.0-0", "1.0.0-x", "1.0.0-rc.1", "1.0.0", "1.0.1", "1.1.0-rc.1", "1.1.0", "1.1.1",
		"1.2.0-0", "1.2.0", "1.2.3", "1.3.0-rc", "1.3.0", "1.9.0", "1.10.0", "2.0.0-0", "2.0.0", "2.0.0", "2.0.3-beta.2", "2.1.0", "3.0.0", "3.1.1", "4.2.1", "10.0.0"} {
		version, err := blang.Parse(text)
		if err != nil {
			tb.Fatal(err)
		}
		versions = append(versions, version)
	}
	slices.SortFunc(versions, blang.Version.Compare)
	return versions
}

func TestRangeWithAnEmptyAlternativeIsInvalid(t *testing.T) {
	for _, text := range []string{"1.0.0 || || 2.0.0", "1.0.0 || 2 || 2.0.0", "1.0.0 ||", "|| 1.0.0", "", " ", "1", "1.0.0 || "} {
		if ReadRange(text) != nil {
			t.Errorf("%q is read", text)
		}
	}
	for _, text := range []string{"1.0.0 || 2.0.0", ">= 1.0.0 < 2.0.0 || 3.x", "1.x"} {
		if ReadRange(text) == nil {
			t.Errorf("%q is not read", text)
		}
	}
}

func FuzzHRD_B1_SpansAreWhatARangeCovers(f *testing.F) {
	for _, text := range []string{">=1.0.0 <1.3.0", "<2.0.0 || >=3.0.0", ">1.0.0 <3.0.0 !2.0.3-beta.2", "1.x", "1.2.x", "<=1.x", "> 1.2.x", "!=1.x.x", "= 1.1.1", "1.0.0-x",
		"<1.0.0 || >=1.2.x !=1.3.0 || 4.2.1", "foo1.x", ">=1.0.0-rc.x", "1.2.3 1.2.3", "!1", "2.0.x || x"} {
		f.Add(text)
	}
	versions := rangeVersions(f)
	f.Fuzz(func(t *testing.T, text string) {
		covers := ReadRange(text)
		if covers == nil || len(text) > 200 {
			return
		}
		var got, want []string
		for _, each := range spansOf(text, covers, versions, nil) {
			for _, version := range versions[each.lo:each.hi] {
				got = append(got, version.String())
			}
		}
		for _, version := range versions {
			if covers(version) {
				want = append(want, version.String())
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-asked of each version +spans):\n%s", text, diff)
		}
	})
}
