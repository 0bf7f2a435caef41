package unpack

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

func TestADiskFaultIsNotToldToWhoeverMakesTheBundle(t *testing.T) {
	for _, format := range []string{corev1alpha2.FormatRegistryV1, corev1alpha2.FormatPlainV0} {
		_, err := inspect(brokenDisk{fstest.MapFS{}, "", syscall.EIO}, format)
		if err == nil || strings.Contains(err.Error(), "whoever makes the bundle") {
			t.Errorf("%s: got %v", format, err)
		}
	}
}

func TestAnInspectedBundleWhoseContentWasRemovedIsFetchedAgain(t *testing.T) {
	dir := t.TempDir()
	content, minimal := newContent(t, dir), from("a", os.DirFS(bundles+"/minimal"))
	first, err := Inspect(t.Context(), content, minimal, corev1alpha2.FormatRegistryV1)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	again, err := Inspect(t.Context(), content, minimal, corev1alpha2.FormatRegistryV1)
	if err != nil || again.Bytes != first.Bytes || again.Objects != first.Objects || first.Objects == 0 || first.Bytes == 0 {
		t.Errorf("got %+v, %v; want what was there before, %+v", again, err, first)
	}
}
