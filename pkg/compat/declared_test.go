package compat

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestSettle(t *testing.T) {
	silent, away := Statement{Known: true}, Statement{}
	says := func(raw ...string) Statement { return Statement{Known: true, Raw: raw} }
	from := func(from string, raw ...string) Declaration { return Declaration{Raw: raw, From: from} }
	for name, test := range map[string]struct {
		recorded     Declaration
		catalog, own Statement
		want         Declaration
	}{
		"the catalog says more than the bundle's files":            {Declaration{}, says(`"4.23"`), says(`"4.21"`), from(FromCatalog, `"4.23"`)},
		"the catalog says less than the bundle's files":            {Declaration{}, says(`"4.20"`), says(`"4.21"`), from(FromCatalog, `"4.20"`)},
		"only the catalog says something":                          {Declaration{}, says(`"4.20"`), silent, from(FromCatalog, `"4.20"`)},
		"only the files say something":                             {Declaration{}, silent, says(`"4.21"`), from(FromBundle, `"4.21"`)},
		"nobody says anything":                                     {Declaration{}, silent, silent, Declaration{}},
		"the catalog changed its word":                             {from(FromCatalog, `"4.20"`), says(`"4.22"`), says(`"4.21"`), from(FromCatalog, `"4.22"`)},
		"the catalog took its word back":                           {from(FromCatalog, `"4.20"`), silent, says(`"4.21"`), from(FromBundle, `"4.21"`)},
		"the catalog took its word back, and the files have none":  {from(FromCatalog, `"4.20"`), silent, silent, Declaration{}},
		"the catalog took its word back, and the files are away":   {from(FromCatalog, `"4.20"`), silent, away, from(FromCatalog, `"4.20"`)},
		"the catalog says what cannot be read":                     {from(FromCatalog, `"4.22"`), says(`"garbage"`), says(`"4.22"`), from(FromCatalog, `"garbage"`)},
		"the catalog says two things":                              {from(FromBundle, `"4.22"`), says(`"4.22"`, `"4.23"`), says(`"4.22"`), from(FromCatalog, `"4.22"`, `"4.23"`)},
		"the catalog is gone, its word stays":                      {from(FromCatalog, `"4.22"`), away, says(`"4.21"`), from(FromCatalog, `"4.22"`)},
		"the catalog is gone, its unreadable word stays":           {from(FromCatalog, `"garbage"`), away, says(`"4.21"`), from(FromCatalog, `"garbage"`)},
		"the catalog is gone, what the files said stays":           {from(FromBundle, `"4.21"`), away, away, from(FromBundle, `"4.21"`)},
		"the catalog is gone before anything was recorded":         {Declaration{}, away, says(`"4.21"`), from(FromBundle, `"4.21"`)},
		"the catalog says nothing, and the files cannot be had":    {from(FromBundle, `"4.21"`), silent, away, from(FromBundle, `"4.21"`)},
		"the catalog speaks up where only the files had something": {from(FromBundle, `"4.21"`), says(`"4.22"`), away, from(FromCatalog, `"4.22"`)},
		"the files say what cannot be read":                        {Declaration{}, silent, says("4.20", "4.21"), from(FromBundle, "4.20", "4.21")},
	} {
		t.Run(name, func(t *testing.T) {
			got := Settle(test.recorded, test.catalog, test.own)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if again := Settle(got, test.catalog, test.own); !cmp.Equal(got, again) {
				t.Errorf("said again it is %+v", again)
			}
		})
	}
}

func TestRecalledReversesRecord(t *testing.T) {
	long := strings.Repeat("x", 300)
	cases := [][]string{
		nil, {`"4.21"`, `"4.21"`}, {`"4.21"`, `"4.22"`}, {`"4.21"`, ""}, {""}, {"", ""}, {`""`}, {`["4.21"]`}, {`["4.21","4.22"]`}, {`{"a":"4.21"}`},
		{"null"}, {"true"}, {"[]"}, {`"` + long + `"`}, {"4." + strings.Repeat("2", 300)}, {`"4.21` + strings.Repeat(" ", 300) + `x"`}, {long, long, long, long, long, long},
		{"\xff"}, {`"\ud800"`}, {strings.Repeat("ü", 100)}, {"  "}, {"4.1", "4.10"}, {`"4.21" "4.22"`}, {"4.21 "},
	}
	for _, row := range tableA {
		cases = append(cases, []string{row.raw})
	}
	for _, raw := range cases {
		checkRecord(t, raw)
	}
}

// FuzzRecord checks that up to three values, one on each line, are read alike after Record and Recalled.
func FuzzRecord(f *testing.F) {
	for _, row := range tableA {
		f.Add(row.raw)
	}
	f.Add("\"4.21\"\n\"4.22\"\n")
	f.Fuzz(func(t *testing.T, text string) { checkRecord(t, strings.SplitN(text, "\n", 3)) })
}

func checkRecord(t *testing.T, raw []string) {
	t.Helper()
	text, unreadable := Record(raw)
	want, wantErr := ReadMax(raw)
	got, err := ReadMax(Recalled(text, unreadable))
	switch {
	case (err == nil) != (wantErr == nil):
		t.Errorf("%.200q: %v before, %v after it was recorded as %q, %q", raw, wantErr, err, text, unreadable)
	case err == nil && (want == nil) != (got == nil), err == nil && want != nil && want.Compare(*got) != 0:
		t.Errorf("%.200q: %v before, %v after it was recorded as %q", raw, want, got, text)
	case (wantErr != nil) != (len(unreadable) > 0), (text == "") != (len(raw) == 0):
		t.Errorf("%.200q is recorded as %q, %q", raw, text, unreadable)
	}
	if len(unreadable) > 4 || utf8.RuneCountInString(text) > 128 || !utf8.ValidString(text) {
		t.Errorf("%.200q is recorded as %q, %q", raw, text, unreadable)
	}
	for _, value := range unreadable {
		if len(value) > 128 || !utf8.ValidString(value) {
			t.Errorf("%.200q is recorded with %q", raw, value)
		}
	}
}
