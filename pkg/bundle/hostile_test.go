package bundle

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

func TestHRD_B8_AnnotationsOfAMegabyte(t *testing.T) {
	long := strings.Repeat("v", 1<<20)
	for key, remedy := range map[string]string{
		AnnotationPackage: "shorten it", AnnotationMediaType: "shorten it", AnnotationManifests: "shorten it",
	} {
		_, err := LoadAnnotations(fstest.MapFS{AnnotationsFile: {Data: []byte("annotations:\n  " + key + ": " + long + "\n")}}, "registry+v1")
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("%s: %v", key, err)
		}
		for _, part := range []string{AnnotationsFile, key, "1048576 bytes", remedy} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %.500q does not say %q", key, err, part)
			}
		}
		if strings.Contains(err.Error(), long[:81]) {
			t.Errorf("%s: more than 80 characters are quoted: %.500q", key, err)
		}
	}
	_, err := LoadAnnotations(fstest.MapFS{AnnotationsFile: {Data: []byte("annotations:\n  ? " + long[:1000] + "\n  : [a]\n")}}, "registry+v1")
	if err == nil || len(err.Error()) > 300 || !strings.Contains(err.Error(), AnnotationsFile) || !strings.Contains(err.Error(), "must be a string") {
		t.Errorf("a key of a kilobyte: %.500v", err)
	}
}

// TestHRD_B5_AliasesInManifests checks that 93 KiB of YAML that expand to a gigabyte are refused before the expansion.
func TestHRD_B5_AliasesInManifests(t *testing.T) {
	bomb := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\na: &a \"" + strings.Repeat("x", 64<<10) + "\"\nb: [" + strings.Repeat("*a,", 10_000) + "*a]\n"
	_, err := ReadObjects(fstest.MapFS{"manifests/a.yaml": {Data: []byte(bomb)}}, "manifests")
	if err == nil || !strings.Contains(err.Error(), "manifests/a.yaml") || !strings.Contains(err.Error(), "after its aliases are expanded") || len(err.Error()) > 300 {
		t.Errorf("%d bytes that expand: %.500v", len(bomb), err)
	}
}
