package image

import (
	"archive/tar"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/openshift/platform-operators/pkg/source"
)

func TestENG_A9_NoMoreThanTheCallerAllowsIsWritten(t *testing.T) {
	dir, tooLarge := t.TempDir(), errors.New("too large")
	unpacking, err := newUnpacker(source.Target{Dir: dir, CheckBytes: func(total int64) error {
		if total > 8 {
			return tooLarge
		}
		return nil
	}}, DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	defer unpacking.close()
	content := archive(t, entry{name: "a", body: "1234"}, entry{name: "b", body: "5678"}, entry{name: "c", body: "9"}, entry{name: "d", kind: tar.TypeDir})
	err = classified("unpacking", "r/memo", unpacking.stream(bytes.NewReader(content)))
	if !errors.Is(err, tooLarge) {
		t.Errorf("got %v, want the caller's error", err)
	}
	for name, want := range map[string]bool{"a": true, "b": true, "c": false, "d": false} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != want {
			t.Errorf("%s: %v, want it written: %t", name, err, want)
		}
	}
}
