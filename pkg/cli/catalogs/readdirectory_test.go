package catalogs

import (
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/openshift/platform-operators/pkg/catalog"
)

// TestCLI_17_ConcurrentReadingEqualsOneReading checks that entries of the root that are read concurrently have the result of one reading,
// also if files of several entries belong to one package, and if a file is broken.
func TestCLI_17_ConcurrentReadingEqualsOneReading(t *testing.T) {
	pkg := func(name string) string { return fmt.Sprintf("{\"schema\":\"olm.package\",\"name\":%q}\n", name) }
	bundle := func(pkg, name string) string {
		return fmt.Sprintf("{\"schema\":\"olm.bundle\",\"package\":%q,\"name\":%q}\n", pkg, name)
	}
	for name, files := range map[string]map[string]string{
		"Empty":            {},
		"OneFile":          {"catalog.json": pkg("a") + pkg("b")},
		"DirectoryEach":    {"a/catalog.json": pkg("a"), "b/catalog.json": pkg("b"), "README.md": "text"},
		"SharedPackage":    {"1.json": pkg("a") + bundle("a", "a.v1"), "2/x.json": bundle("a", "a.v2"), "3.json": pkg("b")},
		"ChainOfPackages":  {"1.json": pkg("a"), "2.json": pkg("c"), "3.json": bundle("a", "a.v1") + bundle("c", "c.v1"), "4.json": pkg("d")},
		"TwiceThePackage":  {"1.json": pkg("a"), "2.json": pkg("a")},
		"Fault":            {"1.json": pkg("a") + `{"schema":"olm.bundle","package":"a","name":5}`, "2.json": pkg("b")},
		"BrokenFile":       {"1.json": pkg("a"), "2.json": "{", "3.json": "["},
		"BrokenFileNested": {"a/x/1.json": pkg("a"), "b/y.yaml": "a: b: c"},
	} {
		t.Run(name, func(t *testing.T) {
			fsys := fstest.MapFS{}
			for path, content := range files {
				fsys[path] = &fstest.MapFile{Data: []byte(content)}
			}
			want, wantErr := catalog.ReadFS(fsys, nil)
			got, err := readDirectory(fsys)
			if fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Errorf("got error %v, want %v", err, wantErr)
			}
			if diff := cmp.Diff(want, got); diff != "" && len(want)+len(got) > 0 {
				t.Errorf("(-one reading +concurrent):\n%s", diff)
			}
		})
	}
}
