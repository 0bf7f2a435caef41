package catalog

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMediaTypesAreRetainedAsInTheCatalog(t *testing.T) {
	long := strings.Repeat("x", 1000)
	var many []string
	for i := range 20 {
		many = append(many, strconv.Quote(string(rune('a'+i))))
	}
	for name, c := range map[string]struct{ values, want []string }{
		"none":                        {nil, nil},
		"one":                         {[]string{` "plain+v0" `}, []string{"plain+v0"}},
		"one that is written escaped": {[]string{`"plain\u002bv0"`}, []string{"plain+v0"}},
		"one twice":                   {[]string{`"plain+v0"`, `"plain+v0"`}, []string{"plain+v0"}},
		"two, in whatever order":      {[]string{`"registry+v1"`, `"plain+v0"`}, []string{"plain+v0", "registry+v1"}},
		"no text":                     {[]string{`["plain+v0"]`}, []string{`["plain+v0"]`}},
		"nothing, said":               {[]string{`null`, `""`}, []string{`""`, "null"}},
		"a long one":                  {[]string{strconv.Quote(long)}, []string{long[:maxRawValue-len("…")] + "…"}},
		"more than are kept":          {many, []string{"a", "b", "c", "d", "e", "f", "g", "h"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := Bundle{Name: "b"}
			for _, value := range c.values {
				if err := b.AddProperty("olm.bundle.mediatype", []byte(value)); err != nil {
					t.Fatal(err)
				}
			}
			var builder Builder
			builder.AddBundle("demo", b)
			if diff := cmp.Diff(c.want, builder.Build()[0].Bundles[0].MediaTypes); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
