package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tree creates a folder with files and all folders that the program reads.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for _, folder := range append(folders, "docs") {
		if err := os.Mkdir(filepath.Join(root, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// promised returns a Go test with its promise.
func promised(id, text string) string {
	return "package p\n\n// Promise " + id + ": " + text + "\nfunc Test" + strings.ReplaceAll(id, "-", "_") + "_It() {}\n"
}

var good = map[string]string{
	"pkg/a/a_test.go":  promised("ENG-D910", "It goes on."),
	own + "/a_test.go": promised("ENG-D911", "An example."),
	"pkg/a/a.go":       "package p\n\nconst note = \"[ENG-D999]\" // in no test\n",
	"test/b/b_test.go": `package p

// TestOther says what it does.
//
// Promise ENG-D92: The engine does this
// and that.
//
// More about the test.
func TestOther() { run("[ENG-D92] ENG-D910 does both"); text("CLU-P9x is no id") }

// Promise OM-91: One after the other.
// Promise UPG-C91: The other.
func FuzzUPG_C91_OM_91Real() {}
`,
	"test/c/scenarios/eng-a91-refused.yaml": "# A story.\n\n# Promise ENG-A91: It is\n# refused.\nsteps: [] # Promise nothing\n",
	"test/c/scenarios/no-id.yaml":           "steps: []\n",
}

const wantList = `
## Engine

### API and admission (ENG-A)

- **ENG-A91** It is refused.<br>[test/c/scenarios/eng-a91-refused.yaml](../test/c/scenarios/eng-a91-refused.yaml)

### Rollout, drift, health and removal (ENG-D)

- **ENG-D92** The engine does this and that.<br>[test/b/b_test.go](../test/b/b_test.go)
- **ENG-D910** It goes on.<br>[pkg/a/a_test.go](../pkg/a/a_test.go), [test/b/b_test.go](../test/b/b_test.go)

## Upgrades

### Catalogs (UPG-C)

- **UPG-C91** The other.<br>[test/b/b_test.go](../test/b/b_test.go)

## Portability

- **OM-91** One after the other.<br>[test/b/b_test.go](../test/b/b_test.go)
`

func TestPageListsPromisesInOrderWithTheirTests(t *testing.T) {
	root := tree(t, good)
	if err := run(root, false); err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(filepath.Join(root, page))
	if err != nil {
		t.Fatal(err)
	}
	list, isPage := strings.CutPrefix(string(written), header)
	if diff := cmp.Diff(wantList, list); !isPage || diff != "" {
		t.Errorf("header %t (-want +got):\n%s", isPage, diff)
	}
	if err := run(root, true); err != nil {
		t.Errorf("checking the page that was just written: %v", err)
	}
}

func TestCheckFailsOnAStalePageAndChangesNothing(t *testing.T) {
	for name, content := range map[string]string{"another page": "# Promises\n", "no page": ""} {
		t.Run(name, func(t *testing.T) {
			root := tree(t, good)
			path := filepath.Join(root, page)
			if content != "" {
				if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := run(root, true); err == nil || !strings.Contains(err.Error(), "run 'make update'") {
				t.Errorf("got %v", err)
			}
			if now, _ := os.ReadFile(path); string(now) != content {
				t.Errorf("the check wrote %q", now)
			}
		})
	}
}

func TestProblemsNameTheirFilesAndLeaveThePage(t *testing.T) {
	for name, test := range map[string]struct {
		file, content string
		want          string
	}{
		"two promises for one id": {"test/x_test.go", promised("ENG-D910", "Something else."),
			"ENG-D910 has two promises, in pkg/a/a_test.go and in test/x_test.go; keep one"},
		"a promise beside no test of its id": {"test/x_test.go", "package p\n\n// Promise ENG-S91: It.\nfunc TestENG_S92_It() {}\n\n// Promise ENG-S92: It.\n",
			"test/x_test.go has promise ENG-S91, and no test in the file has the id"},
		"an id without a promise": {"test/x_test.go", "package p\n\nfunc TestENG_S91_It() {}\n",
			"test/x_test.go has a test with id ENG-S91, which has no promise; add it as a comment beside the test"},
		"a story without a promise": {"test/scenarios/eng-s91-it.yaml", "steps: []\n",
			"test/scenarios/eng-s91-it.yaml has a test with id ENG-S91, which has no promise; add it as a comment beside the test"},
		"a promise that cannot be read": {"test/x_test.go", "package p\n\n// Promise ENG-S91 It does.\n// Always.\nfunc TestOther() {}\n",
			`test/x_test.go: "Promise ENG-S91 It does." is no valid promise; write it as in "Promise ENG-A5: The …"`},
		"a promise without an end": {"test/x_test.go", promised("ENG-S91", "It does"),
			"test/x_test.go: the promise ENG-S91 does not end with a period"},
		"a part that the page does not have": {"test/x_test.go", promised("ENG-X91", "It does."),
			"test/x_test.go: ENG-X91 has an unknown part; add it in hack/promises/page.go"},
		"a letter in an area without parts": {"test/x_test.go", promised("OM-A91", "It does."),
			"test/x_test.go: OM-A91 has an unknown part; add it in hack/promises/page.go"},
	} {
		t.Run(name, func(t *testing.T) {
			root := tree(t, good)
			path := filepath.Join(root, test.file)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(test.content), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := run(root, false); err == nil || err.Error() != test.want {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
			if _, err := os.Stat(filepath.Join(root, page)); !os.IsNotExist(err) {
				t.Errorf("the page was written: %v", err)
			}
		})
	}
}
