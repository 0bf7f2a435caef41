package unpack

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/classlimits"
)

func TestADiskFaultIsNotToldToWhoeverMakesTheBundle(t *testing.T) {
	for _, format := range []string{corev1alpha2.FormatRegistryV1, corev1alpha2.FormatPlainV0} {
		_, err := inspect(brokenDisk{fstest.MapFS{}, "", syscall.EIO}, format)
		if err == nil || strings.Contains(err.Error(), "the bundle's author") {
			t.Errorf("%s: got %v", format, err)
		}
	}
}

func TestAnInvalidBundleIsReportedWithItsRemedy(t *testing.T) {
	const said = "annotations: {operators.operatorframework.io.bundle.mediatype.v1: %s}"
	const object = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}"
	for name, test := range map[string]struct{ format, manifest, want string }{
		"a broken bundle":       {"plain+v0", "a: [b", "; ask the bundle's author to publish a corrected image, and create a new Bundle for it"},
		"a format of no class":  {"helm", object, `the provisioner class reads only "plain+v0". Create a new Bundle for an image with a registry+v1 or plain+v0 bundle`},
		"a format of its class": {"plain+v0", object, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := inspect(fstest.MapFS{
				bundle.AnnotationsFile: {Data: fmt.Appendf(nil, said, test.format)}, "manifests/a.yaml": {Data: []byte(test.manifest)},
			}, corev1alpha2.FormatPlainV0)
			if (err != nil) != (test.want != "") || err != nil && !strings.HasSuffix(err.Error(), test.want) {
				t.Errorf("got %v, want …%s", err, test.want)
			}
		})
	}
}

func TestAnInspectedBundleWhoseContentWasRemovedIsFetchedAgain(t *testing.T) {
	dir := t.TempDir()
	content, minimal := newContent(t, dir), from("a", os.DirFS(bundles+"/minimal"))
	first, err := Inspect(t.Context(), content, minimal, corev1alpha2.FormatRegistryV1, classlimits.Sizes{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	again, err := Inspect(t.Context(), content, minimal, corev1alpha2.FormatRegistryV1, classlimits.Sizes{})
	if err != nil || again.Bytes != first.Bytes || again.Objects != first.Objects || first.Objects == 0 || first.Bytes == 0 {
		t.Errorf("got %+v, %v; want what was there before, %+v", again, err, first)
	}
}
