package realdata

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"b", "a", "in/a-v2/file", "in/a/file"} {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, folder, pattern string
		want                  []string
		wantErr               string
	}{
		{name: "files by their names", folder: folder, pattern: "[ab]", want: []string{filepath.Join(folder, "a"), filepath.Join(folder, "b")}},
		{name: "folders by their names", folder: folder, pattern: "in/*/file", want: []string{filepath.Join(folder, "in/a/file"), filepath.Join(folder, "in/a-v2/file")}},
		{name: "relative to go.mod", folder: "test/realdata", pattern: "realdata.go", want: []string{filepath.Join(root, "test/realdata/realdata.go")}},
		{name: "no match", folder: folder, pattern: "c", wantErr: "there is no c in the folder of the real data, " + folder},
		{name: "no data", folder: "", pattern: "*", wantErr: Env + " is empty"},
		{name: "a pattern that is none", folder: folder, pattern: "[", wantErr: `looking for "[" in the real data`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv(Env, test.folder)
			got, err := Find(test.pattern)
			if (err != nil) != (test.wantErr != "") || err != nil && !strings.Contains(err.Error(), test.wantErr) {
				t.Errorf("error %v, want %q", err, test.wantErr)
			}
			if strings.Join(got, " ") != strings.Join(test.want, " ") {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
