package plan

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestHRD_S1_Decide has one line for every combination of the facts that a decision depends on. A star stands for both values.
func TestHRD_S1_Decide(t *testing.T) {
	const (
		create, use, warn, refuse           = NamespaceCreated, NamespaceUsed, NamespaceUsedWithWarning, NamespaceRefused
		nothing                             = NamespaceReason("")
		protected, preexisting, terminating = NamespaceProtected, NamespacePreexisting, NamespaceTerminating
		replaced                            = NamespaceReplaced
	)
	rows := []struct {
		// facts are: protected, installed, exists, created by the manager, named, terminating, other UID than at the installation. Each is
		// y, n or *.
		facts  string
		use    NamespaceUse
		reason NamespaceReason
	}{
		{"y y * * * * *", warn, protected},
		{"y n * * * * *", refuse, protected},
		{"n * n * * * *", create, nothing},
		{"n * y y * * *", use, nothing},
		{"n y y n * * n", warn, preexisting},
		{"n y y n y * y", warn, preexisting},
		{"n y y n n y y", refuse, terminating},
		{"n y y n n n y", refuse, replaced},
		{"n n y n y * *", warn, preexisting},
		{"n n y n n y *", refuse, terminating},
		{"n n y n n n *", refuse, preexisting},
	}
	for bits := range 1 << 7 {
		is := func(fact int) bool { return bits>>fact&1 == 1 }
		n := InstallNamespace{Name: "quay-system", Manager: "openshift-platform-operators", Requester: "alice",
			Installed: is(1), Exists: is(2), Created: is(3), Named: is(4), Terminating: is(5), UID: "present", InstalledUID: "present"}
		if is(6) {
			n.InstalledUID = "former"
		}
		names := []string{n.Name}
		if is(0) {
			names = []string{"default", "kube-system", "kube-", n.Manager}
		}
		var matching []int
		for i, row := range rows {
			matches := true
			for fact, want := range strings.Fields(row.facts) {
				matches = matches && (want == "*" || (want == "y") == is(fact))
			}
			if matches {
				matching = append(matching, i)
			}
		}
		if len(matching) != 1 {
			t.Fatalf("%06b is in rows %v of the table", bits, matching)
		}
		row := rows[matching[0]]
		for _, n.Name = range names {
			t.Run(fmt.Sprintf("%+v", n), func(t *testing.T) {
				got := n.Decide()
				if got.Use != row.use || got.Reason != row.reason {
					t.Errorf("got %s %q, want %s %q", got.Use, got.Reason, row.use, row.reason)
				}
				if (got.Message == "") != (row.reason == nothing) || (got.Remedy == "") != (row.reason == nothing) {
					t.Errorf("message %q, remedy %q", got.Message, got.Remedy)
				}
			})
		}
	}
}

func TestHRD_S1_RefusalNamesTheRequesterAndTheRemedy(t *testing.T) {
	n := InstallNamespace{Name: "quay-system", Exists: true, Requester: "alice"}
	got := n.Decide()
	if !strings.Contains(got.Message, `requested by "alice"`) {
		t.Errorf("message %q", got.Message)
	}
	if !strings.Contains(got.Remedy, `set spec.install.namespace of the PlatformOperator to "quay-system"`) {
		t.Errorf("remedy %q", got.Remedy)
	}
	if n.Requester = ""; strings.Contains(n.Decide().Message, "requested") {
		t.Errorf("message %q of a namespace without a requester", n.Decide().Message)
	}
	n.Requester = strings.Repeat("é", 10_000)
	if got := n.Decide().Message; len(got) > 1024 || !utf8.ValidString(got) {
		t.Errorf("a long requester makes a message of %d bytes, valid %v", len(got), utf8.ValidString(got))
	}
	for _, name := range []string{"defaults", "my-default", "kubernetes", "my-kube-system"} {
		if got := (InstallNamespace{Name: name}).Decide(); got.Use != NamespaceCreated {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
