package resolve

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// TestUpdatesAreListedIfAllAreBlocked checks that a problem that blocks every version is reported for each of them.
func TestUpdatesAreListedIfAllAreBlocked(t *testing.T) {
	catalogs := []Catalog{{ID: community, Package: stable("1.0.0", "1.1.0", "1.2.0")}}
	for sentence, test := range map[string]struct {
		change func(*Request)
		reason platformv1alpha1.BlockedReason
		word   string
	}{
		"the range is invalid":                    {func(r *Request) { r.VersionRange = "banana" }, platformv1alpha1.BlockedRange, `"banana" is not a version range`},
		"the package is not allowed":              {func(r *Request) { r.Allowed = []string{"acm"} }, platformv1alpha1.BlockedNotAllowed, "spec.allowedPackages"},
		"the range ends at the installed version": {func(r *Request) { r.VersionRange = "<=1.0.0" }, platformv1alpha1.BlockedRange, "<=1.0.0"},
	} {
		t.Run(sentence, func(t *testing.T) {
			got := Resolve(newRequest(func(r *Request) { r.InstalledVersion = "1.0.0"; test.change(r) }), catalogs)
			var versions []string
			for _, update := range got.Updates {
				versions = append(versions, update.Version.String())
				if update.Reason != test.reason || !strings.Contains(update.Why(), test.word) {
					t.Errorf("update %s is blocked by %q: %s", update.Version, update.Reason, update.Why())
				}
			}
			if diff := cmp.Diff([]string{"1.2.0", "1.1.0"}, versions); diff != "" {
				t.Errorf("updates (-want +got):\n%s", diff)
			}
		})
	}
}

func TestApprovalProblem(t *testing.T) {
	catalogs := []Catalog{{ID: community, Package: stable("0.9.0", "1.0.0")}}
	for approved, want := range map[string]string{
		"":                  "",
		"1.0.0":             "", // it is installed
		"0.9.0":             "", // it was skipped
		"3.0.0":             "is in no selected catalog",
		"1.0.0 (release 2)": "is in no selected catalog",
	} {
		got := Resolve(newRequest(func(r *Request) { r.InstalledVersion, r.Manual, r.Approved = "1.0.0", true, approved }), catalogs)
		if (got.ApprovalProblem == "") != (want == "") || !strings.Contains(got.ApprovalProblem, want) || got.Awaiting != nil {
			t.Errorf("with %q approved, ApprovalProblem is %q, want %q", approved, got.ApprovalProblem, want)
		}
	}
}
