package catalogs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/openshift/platform-operators/pkg/cli/exit"
)

const onePackage = `{"schema": "olm.package", "name": "a", "defaultChannel": "stable"}`

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestCLI_12_ALinkOutOfTheDirectoryIsRefused checks that no error has content of a file that is not in the catalog, and that a link within
// the directory is followed.
func TestCLI_12_ALinkOutOfTheDirectoryIsRefused(t *testing.T) {
	outside, directory := t.TempDir(), t.TempDir()
	write(t, filepath.Join(outside, "secret"), "password: correct horse")
	write(t, filepath.Join(directory, "data"), onePackage)
	if err := os.Symlink("data", filepath.Join(directory, "a.json")); err != nil {
		t.Fatal(err)
	}
	if packages, err := Directory(directory).Read(t.Context()); err != nil || len(packages) != 1 {
		t.Errorf("got %d packages and error %v of a link within the directory", len(packages), err)
	}
	if err := os.Symlink(filepath.Join(outside, "secret"), filepath.Join(directory, "b.yaml")); err != nil {
		t.Fatal(err)
	}
	_, err := Directory(directory).Read(t.Context())
	if exit.CodeOf(err) != exit.Invalid || !strings.Contains(err.Error(), `file "b.yaml" is a symbolic link out of the directory, or an absolute one`) {
		t.Errorf("got %v", err)
	}
	if err != nil && strings.Contains(err.Error(), "horse") {
		t.Errorf("the error has content of another directory: %v", err)
	}
}

// TestCLI_12_AFileInUTF16IsNamed checks the error about the encoding in which some editors write files.
func TestCLI_12_AFileInUTF16IsNamed(t *testing.T) {
	for name, mark := range map[string]string{"with a byte order mark": "\ufeff", "without one": ""} {
		for order, high := range map[string]int{"little": 1, "big": 0} {
			var content []byte
			for _, unit := range utf16.Encode([]rune(mark + onePackage + "\n" + onePackage)) {
				pair := [2]byte{}
				pair[high], pair[1-high] = byte(unit>>8), byte(unit)
				content = append(content, pair[:]...)
			}
			directory := t.TempDir()
			write(t, filepath.Join(directory, "a.json"), string(content))
			_, err := Directory(directory).Read(t.Context())
			if exit.CodeOf(err) != exit.Invalid || !strings.Contains(err.Error(), `file "a.json"`) || !strings.Contains(err.Error(), "UTF-16; save it as UTF-8") {
				t.Errorf("%s, %s endian: got %v", name, order, err)
			}
		}
	}
}

// TestCLI_18_ADirectoryIsReadOnce checks that names of one directory select it once.
func TestCLI_18_ADirectoryIsReadOnce(t *testing.T) {
	directory, other := t.TempDir(), t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(directory, link); err != nil {
		t.Fatal(err)
	}
	flags := Flags{Directories: []string{directory, directory + "/.", other, link, "missing", "missing"}}
	sources, _, err := flags.Find(t.Context(), nil, func(string) {})
	var names []string
	for _, source := range sources {
		names = append(names, source.Name)
	}
	if want := []string{directory, other, "missing"}; err != nil || strings.Join(names, " ") != strings.Join(want, " ") {
		t.Errorf("got %q and error %v, want %q", names, err, want)
	}
}
