package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestReadReadsReportsOfGoTestAndOfGinkgo(t *testing.T) {
	folder := t.TempDir()
	for name, content := range map[string]string{
		"unit.json": `{"Action":"start","Package":"p"}
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"run","Package":"p","Test":"TestA/first"}
{"Action":"attr","Package":"p","Test":"TestA/first","Key":"points","Value":"12 of 20"}
{"Action":"output","Package":"p","Test":"TestA/first","Output":"--- PASS: TestA/first (1.50s)\n"}
{"Action":"pass","Package":"p","Test":"TestA/first","Elapsed":1.5}
{"Action":"fail","Package":"p","Test":"TestA","Elapsed":2}
{"Action":"skip","Package":"p","Test":"TestB","Elapsed":0}
{"Action":"run","Package":"p","Test":"TestNeverEnds"}
{"Action":"pass","Package":"p","Elapsed":3}
{"ImportPath":"q","Action":"build-output","Output":"q.go:1: no\n"}
{"ImportPath":"q","Action":"build-fail"}
{"Action":"output","Package":"r","Output":"the suite failed\n"}
{"Action":"fail","Package":"r","Elapsed":1}
`,
		"suite.json": `[{"SpecReports":[
  {"ContainerHierarchyTexts":["a manager"],"LeafNodeType":"It","LeafNodeText":"repairs","State":"passed","RunTime":2000000000},
  {"ContainerHierarchyTexts":["a manager"],"LeafNodeType":"It","LeafNodeText":"waits","State":"skipped"},
  {"LeafNodeType":"It","LeafNodeText":"hangs","State":"timedout","RunTime":1},
  {"LeafNodeType":"BeforeSuite","State":"passed","RunTime":9000000000}
]}]`,
		"notes.txt": "no report",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	want := []Test{
		{File: "suite", Name: "a manager repairs", Outcome: Passed, Elapsed: 2 * time.Second},
		{File: "suite", Name: "a manager waits", Outcome: Skipped},
		{File: "suite", Name: "hangs", Outcome: Failed, Elapsed: 1},
		{File: "unit", Package: "p", Name: "TestA", Outcome: Failed, Elapsed: 2 * time.Second, Parent: true},
		{File: "unit", Package: "p", Name: "TestA/first", Outcome: Passed, Elapsed: 1500 * time.Millisecond,
			Attributes: []Attribute{{"points", "12 of 20"}}, Output: "--- PASS: TestA/first (1.50s)\n"},
		{File: "unit", Package: "p", Name: "TestB", Outcome: Skipped},
		{File: "unit", Package: "p", Name: "TestNeverEnds", Outcome: Unfinished},
		{File: "unit", Package: "q", Outcome: Failed, Output: "q.go:1: no\n"},
		{File: "unit", Package: "r", Outcome: Failed, Output: "the suite failed\n", Elapsed: time.Second},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReadKeepsWhatItReadBeforeAReportBreaksOff(t *testing.T) {
	folder := t.TempDir()
	content := `{"Action":"pass","Package":"p","Test":"TestA","Elapsed":1}` + "\n" + `{"Action":"pa`
	if err := os.WriteFile(filepath.Join(folder, "cut.json"), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := Read(folder)
	if err == nil || !strings.Contains(err.Error(), "cut.json") || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("got error %v, want one that names the file and line 2", err)
	}
	if len(got) != 1 || got[0].Name != "TestA" {
		t.Errorf("got %+v, want TestA", got)
	}
}
