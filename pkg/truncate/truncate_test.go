package truncate

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestQuote(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	for sentence, test := range map[string]struct{ text, want string }{
		"nothing is a pair of quotes":                {"", `""`},
		"a short text is whole":                      {"demo", `"demo"`},
		"quotes and control characters are escaped":  {"a\"b\n", `"a\"b\n"`},
		"eighty characters are whole":                {long[:80], `"` + long[:80] + `"`},
		"one more is cut, with an ellipsis":          {long[:81], `"` + long[:80] + `"…`},
		"a megabyte is cut":                          {long, `"` + long[:80] + `"…`},
		"characters are counted, not bytes":          {strings.Repeat("ü", 80), `"` + strings.Repeat("ü", 80) + `"`},
		"an escaped character counts as it is shown": {strings.Repeat("\n", 41), `"` + strings.Repeat(`\n`, 40) + `"…`},
	} {
		if got := Quote(test.text); got != test.want {
			t.Errorf("%s: %s, want %s", sentence, got, test.want)
		}
		if got := Quote([]byte(test.text)); got != test.want {
			t.Errorf("%s, as bytes: %s, want %s", sentence, got, test.want)
		}
	}
}

func FuzzQuote(f *testing.F) {
	f.Add("a\x00\xff\u2028" + strings.Repeat("😀", 100))
	f.Fuzz(func(t *testing.T, text string) {
		quoted := Quote(text)
		if n := utf8.RuneCountInString(quoted); n > MaxQuoted+3 || !utf8.ValidString(quoted) || strings.ContainsAny(quoted, "\n\x00") {
			t.Errorf("%d characters: %s", n, quoted)
		}
	})
}

func TestOneLine(t *testing.T) {
	for _, test := range []struct {
		text string
		most int
		want string
	}{{" a\n\tb ", 9, "a b"}, {"a\xffb", 9, "a\uFFFDb"}, {"üü\nüü", 7, "üü…"}, {"demo", 4, "demo"}} {
		if got := OneLine(test.text, test.most); got != test.want {
			t.Errorf("%q in %d bytes: %q, want %q", test.text, test.most, got, test.want)
		}
	}
}

func TestBytes(t *testing.T) {
	for _, test := range []struct {
		text string
		most int
		want string
	}{{"demo", 4, "demo"}, {"demonstration", 8, "demon…"}, {"üüüü", 6, "ü…"}, {"demo", 0, "…"}} {
		if got := Bytes(test.text, test.most); got != test.want {
			t.Errorf("%q in %d bytes: %q, want %q", test.text, test.most, got, test.want)
		}
	}
}

func TestCut(t *testing.T) {
	for sentence, test := range map[string]struct {
		text string
		most int
		want string
	}{
		"a short text is whole":                          {"demo", 4, "demo"},
		"a short text keeps a separator at its end":      {"demo-", 5, "demo-"},
		"a longer one is cut without an ellipsis":        {"demonstration", 4, "demo"},
		"separators at the end of what is left are gone": {"demo-._ more", 8, "demo"},
		"no character is cut in two":                     {"aüü", 4, "aü"},
		"nothing is left of nothing":                     {"ü", 1, ""},
	} {
		got := Cut(test.text, test.most)
		if got != test.want {
			t.Errorf("%s: %q, want %q", sentence, got, test.want)
		}
		if !utf8.ValidString(got) || len(got) > test.most {
			t.Errorf("%s: %q", sentence, got)
		}
	}
}
