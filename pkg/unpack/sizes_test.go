package unpack

import (
	"errors"
	"os"
	"testing"
	"testing/fstest"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/classlimits"
)

func TestENG_A9_ABundleOverItsSizeIsInvalidAndFetchedAgainWithAnotherLimit(t *testing.T) {
	renderer, minimal := newRenderer(t), from("a", os.DirFS(bundles+"/minimal"))
	whole, err := renderer.Render(t.Context(), request(minimal))
	if err != nil || whole.Invalid != nil {
		t.Fatalf("%+v, %v", whole, err)
	}
	bytes, err := size(minimal.files)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		sizes classlimits.Sizes
		want  classlimits.Limit
	}{
		"as large as allowed":                   {sizes: classlimits.Sizes{Bytes: bytes, Objects: len(whole.Objects)}},
		"too many bytes, although it is stored": {classlimits.Sizes{Bytes: bytes - 1}, classlimits.BundleBytes},
		"too many objects":                      {classlimits.Sizes{Objects: len(whole.Objects) - 1}, classlimits.Objects},
		"both, of which the bytes are first":    {classlimits.Sizes{Bytes: 1, Objects: 1}, classlimits.BundleBytes},
		"without a limit, after it was refused": {},
	} {
		asked := request(minimal)
		asked.Sizes = c.sizes
		got, err := renderer.Render(t.Context(), asked)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		limit := classlimits.Limit("")
		if exceeded := exceeded(got.Invalid); exceeded != nil {
			limit = exceeded.Limit
		}
		if limit != c.want || (len(got.Objects) == 0) != (c.want != "") {
			t.Errorf("%s: %d objects, exceeds %q, want %q", name, len(got.Objects), limit, c.want)
		}
	}
}

func TestENG_A9_AnInspectedBundleOverItsSizeIsAResult(t *testing.T) {
	content, plain := newContent(t, t.TempDir()), from("a", fstest.MapFS{"manifests/a.yaml": {Data: []byte("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}")}})
	for _, sizes := range []classlimits.Sizes{{Bytes: 10}, {}, {Bytes: 10}} { // before and after it is stored
		got, err := Inspect(t.Context(), content, plain, corev1alpha2.FormatPlainV0, sizes)
		if err != nil || (got.Exceeded != nil) != (sizes.Bytes > 0) || got.Pinned.Reference == "" {
			t.Errorf("%+v: %+v, %v", sizes, got, err)
		}
	}
}

func TestTheCauseOfAnErrorIsNotItsSize(t *testing.T) {
	if got := exceeded(errors.New("the disk")); got != nil || exceeded(nil) != nil {
		t.Errorf("got %v", got)
	}
}
