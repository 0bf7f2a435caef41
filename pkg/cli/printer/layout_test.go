package printer

import "testing"

func TestCLI_12_LongListsAreCut(t *testing.T) {
	versions := []string{"1", "2", "3", "4", "5", "6"}
	for _, test := range []struct{ got, want string }{
		{First(3, nil), ""},
		{First(3, versions[:3]), "1, 2, 3"},
		{First(3, versions), "1, 2, 3 and 3 more"},
		{Path(nil, false), ""},
		{Path(versions[:4], false), "1 -> 2 -> 3 -> 4"},
		{Path(versions, false), "1 -> 2 -> (2 more) -> 5 -> 6"},
		{Path(versions, true), "1 -> 2 -> 3 -> 4 -> 5 -> 6"},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}
