package catalog

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const deprecations = `{"schema":"olm.deprecations","package":"demo","entries":[
{"reference":{"schema":"olm.package"},"message":"use another\n"},
{"reference":{"schema":"olm.channel","name":"stable"},"message":""},
{"reference":{"schema":"olm.channel","name":"gone"},"message":"nobody asks"},
{"reference":{"schema":"olm.bundle","name":"demo.v1.0.0"},"message":"has a hole"},
{"reference":{"schema":"olm.bundle","name":"demo.v0.1.0"},"message":"nobody asks"},
{"reference":{"schema":"example.other","name":"demo.v1.1.0"},"message":"nobody asks"},
{"reference":{"schema":"olm.package","name":"other"},"message":"nobody asks"}]}
`

func deprecatedDemo() Package {
	p := demoPackage()
	p.Deprecated = "use another"
	p.Channels[0].Deprecated = "deprecated"
	p.Bundles[0].Deprecated = "has a hole"
	return p
}

func TestDeprecationsOfAllKinds(t *testing.T) {
	yaml := "---\nschema: olm.deprecations\npackage: demo\nentries:\n- message: |\n    use another\n  reference: {schema: olm.package}\n" +
		"- reference: {schema: olm.channel, name: stable}\n- message: has a hole\n  reference: {schema: olm.bundle, name: demo.v1.0.0}\n"
	twice := deprecatedDemo()
	twice.Deprecated = "use another; use none"
	twice.Faults = []string{"the package has 2 different olm.deprecations blobs, but only one is allowed; they deprecate example.other demo.v1.1.0, olm.bundle demo.v0.1.0, olm.bundle demo.v1.0.0, …; and olm.package"}

	for name, test := range map[string]struct {
		stream string
		want   Package
	}{
		"after what they are about":  {jsonLines + deprecations, deprecatedDemo()},
		"before what they are about": {deprecations + jsonLines, deprecatedDemo()},
		"there twice":                {deprecations + jsonLines + deprecations, deprecatedDemo()},
		"as YAML":                    {jsonLines + yaml, deprecatedDemo()},
		"of another package":         {jsonLines + strings.Replace(deprecations, `"demo"`, `"other"`, 1), demoPackage()},
		"of no package":              {jsonLines + strings.Replace(deprecations, `"package":"demo",`, ``, 1), demoPackage()},
		"empty":                      {jsonLines + `{"schema":"olm.deprecations","package":"demo","entries":[]}`, demoPackage()},
		"two that differ": {
			jsonLines + deprecations + `{"schema":"olm.deprecations","package":"demo","entries":[{"reference":{"schema":"olm.package","name":"demo"},"message":"use none"}]}`, twice},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Read(strings.NewReader(test.stream), only("demo"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]Package{test.want}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestDeprecationsAreLimited(t *testing.T) {
	var many, blobs []string
	for i := range 20_000 {
		many = append(many, fmt.Sprintf(`{"reference":{"schema":"olm.bundle","name":"b%d"},"message":"m"}`, i))
	}
	for i := range 50 {
		blobs = append(blobs, fmt.Sprintf(`{"schema":"olm.deprecations","package":"demo","entries":[{"reference":{"schema":"olm.package"},"message":"%d"}]}`, i))
	}
	for name, test := range map[string]struct{ stream, fault string }{
		"entries": {`{"schema":"olm.deprecations","package":"demo","entries":[` + strings.Join(many, ",") + `]}`, "olm.deprecations has more than 11001 entries"},
		"blobs":   {strings.Join(blobs, "\n"), "the package has more than 4 different olm.deprecations blobs; the others are ignored"},
		"message": {`{"schema":"olm.deprecations","package":"demo","entries":[{"reference":{"schema":"olm.package"},"message":"` + strings.Repeat("ä", 1<<20) + `"}]}`, ""},
		"name":    {`{"schema":"olm.deprecations","package":"demo","entries":[{"reference":{"schema":"olm.bundle","name":"` + strings.Repeat("n", 1<<20) + `"}}]}`, "is left out: its name has 1048576 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			p := rulesOf(t, test.stream)
			if len(p.Deprecated) > maxDeprecated || !strings.Contains(strings.Join(p.Faults, "\n"), test.fault) || (test.fault == "") != (p.Faults == nil) {
				t.Errorf("message of %d bytes, faults %q, want %q", len(p.Deprecated), p.Faults, test.fault)
			}
		})
	}
}
