package printer

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCLI_12_TablesFitTheTerminal(t *testing.T) {
	table := Table{Columns: []string{"NAME", "STATE", "NOTE"}, Rows: [][]string{
		{"anchor", "Healthy", ""},
		{"beacon", "Blocked", "not in allowedPackages; deprecated"},
	}}
	for name, test := range map[string]struct {
		width int
		want  string
	}{
		"Pipe": {0, `
NAME     STATE     NOTE
anchor   Healthy   <none>
beacon   Blocked   not in allowedPackages; deprecated
`},
		"WideEnough": {53, `
NAME     STATE     NOTE
anchor   Healthy   <none>
beacon   Blocked   not in allowedPackages; deprecated
`},
		"LastColumnWrapped": {45, `
NAME     STATE     NOTE
anchor   Healthy   <none>
beacon   Blocked   not in allowedPackages;
                   deprecated
`},
		"Blocks": {30, `
NAME: anchor
STATE: Healthy
NOTE: <none>

NAME: beacon
STATE: Blocked
NOTE: not in allowedPackages;
  deprecated
`},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			if err := table.Write(&out, test.width, true); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.TrimPrefix(test.want, "\n"), out.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestCLI_12_AnEmptyTableWithoutHeadingsIsNothing(t *testing.T) {
	var out strings.Builder
	if err := (Table{Columns: []string{"NAME", "STATE"}}).Write(&out, 40, false); err != nil || out.String() != "" {
		t.Errorf("got %q and error %v", out.String(), err)
	}
}

func TestCLI_12_ACommandIsNotBroken(t *testing.T) {
	message := "Version 1.2.0 awaits approval. Approve it: oc patch platformoperator compass --type=merge -p '{\"spec\":{}}'"
	want := "  Version 1.2.0 awaits approval. Approve\n  it:\n  oc patch platformoperator compass --type=merge -p '{\"spec\":{}}'\n"
	if diff := cmp.Diff(want, Indented(message, "  ", 40)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, whole := range []string{"kubectl get plop", "see (oc adm upgrade) for more", "no command here"} {
		if got := Indented(whole, "", 80); got != whole+"\n" {
			t.Errorf("%q in 80 columns: got %q", whole, got)
		}
	}
}

func TestCLI_12_TextOfOthersHasNoControlCharacters(t *testing.T) {
	if got := OneLine("a\x1b[31m\tb\r\nc\u009b"); got != "a [31m b c" {
		t.Errorf("got %q", got)
	}
	if got := Indented("one\n\x1b[2Jtwo\n", "", 0); got != "one\n [2Jtwo\n" {
		t.Errorf("got %q", got)
	}
}
