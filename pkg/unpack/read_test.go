package unpack

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"testing"
	"testing/fstest"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/classlimits"
	"github.com/openshift/platform-operators/pkg/source"
)

// TestENG_S12_StoredContentIsVerifiedBeforeItIsRead checks that stored content is read only after its image satisfies the policy of the object that
// reads it.
func TestENG_S12_StoredContentIsVerifiedBeforeItIsRead(t *testing.T) {
	content := newContent(t, t.TempDir())
	unsigned := errors.New("unsigned")
	inspect := func(from folder) error {
		_, err := Inspect(t.Context(), content, from, corev1alpha2.FormatRegistryV1, classlimits.Sizes{})
		return err
	}
	first := from("a", os.DirFS(bundles+"/minimal"))
	first.image = "sha256:of-the-platform"
	first.verify = func(source.Origin) error { return errors.New("what was just fetched is verified once more") }
	if err := inspect(first); err != nil {
		t.Fatal(err)
	}
	var verified []source.Origin
	second := first
	second.verify = func(origin source.Origin) error {
		verified = append(verified, origin)
		return unsigned
	}
	if err := inspect(second); !errors.Is(err, unsigned) {
		t.Errorf("got %v, want an error", err)
	}
	if want := []source.Origin{{Mirror: "mirror.example/memo", ImageDigest: "sha256:of-the-platform"}}; !slices.Equal(verified, want) {
		t.Errorf("verified %+v, want %+v", verified, want)
	}
	second.verify = func(source.Origin) error { return nil }
	if err := inspect(second); err != nil || first.fetched.Load() != 1 {
		t.Errorf("after %d fetches: %v", first.fetched.Load(), err)
	}
}

// TestENG_S12_ContentOfOthersIsVerified checks that content is verified that somebody else fetches, or replaces, while this reader waits for it.
func TestENG_S12_ContentOfOthersIsVerified(t *testing.T) {
	minimal := os.DirFS(bundles + "/minimal")
	for name, c := range map[string]struct {
		// lines are the origins that successive calls return: first Origin, with an empty line if nothing is stored, then Use.
		lines []string
		want  []string
		err   bool
	}{
		"of others":        {[]string{"", "r m sha256:1", "r m sha256:1"}, []string{"sha256:1"}, false},
		"replaced":         {[]string{"r m sha256:1", "r m sha256:2", "r m sha256:2"}, []string{"sha256:1", "sha256:2"}, false},
		"replaced forever": {[]string{"r m sha256:1", "r m sha256:2", "r m sha256:3", "r m sha256:4"}, []string{"sha256:1", "sha256:2", "sha256:3"}, true},
		"without an image": {[]string{"r m", "r m"}, []string{""}, false},
	} {
		t.Run(name, func(t *testing.T) {
			var verified []string
			from := from("a", minimal)
			from.verify = func(origin source.Origin) error {
				verified = append(verified, origin.ImageDigest)
				return nil
			}
			pinned, err := from.Resolve(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			stored := &scripted{lines: c.lines, files: minimal}
			reads := 0
			err = read(t.Context(), stored, pinnedSource{from: from, pinned: pinned}, func(fs.FS, string) error { reads++; return nil })
			if (err != nil) != c.err || !slices.Equal(verified, c.want) || (reads == 1) == c.err {
				t.Errorf("verified %q, read %d times, %v; want %q", verified, reads, err, c.want)
			}
		})
	}
}

// TestENG_S12_AnotherImageOfTheIndexIsReplaced checks that content that somebody has fetched from another image of an index is replaced by what the
// own fetch reads, if it does not satisfy the policy.
func TestENG_S12_AnotherImageOfTheIndexIsReplaced(t *testing.T) {
	content := newContent(t, t.TempDir())
	inspect := func(from folder) (string, error) {
		found, err := Inspect(t.Context(), content, from, corev1alpha2.FormatRegistryV1, classlimits.Sizes{})
		if err != nil {
			return "", err
		}
		return found.Metadata.Package, nil
	}
	others := from("a", fstest.MapFS{})
	others.image = "sha256:unsigned"
	if _, err := inspect(others); err == nil {
		t.Fatal("a folder without files is a bundle")
	}
	own := from("a", os.DirFS(bundles+"/minimal"))
	own.image = "sha256:signed"
	refused := errors.New("unsigned")
	own.verify = func(origin source.Origin) error {
		if origin.ImageDigest == own.image {
			return nil
		}
		return &source.RefetchError{Err: refused}
	}
	if got, err := inspect(own); err != nil || got != "minimal" || own.fetched.Load() != 1 {
		t.Errorf("got %q, %v after %d fetches", got, err, own.fetched.Load())
	}
	// Content that cannot be replaced is not read.
	pinned, err := own.Resolve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	stored := &scripted{lines: []string{"r m sha256:unsigned", "r m sha256:unsigned", "r m sha256:unsigned", "r m sha256:unsigned"}, files: own.files}
	err = read(t.Context(), stored, pinnedSource{from: own, pinned: pinned}, func(fs.FS, string) error {
		t.Error("unverified content is read")
		return nil
	})
	if !errors.Is(err, refused) || !slices.Equal(stored.evicted, []string{"r m sha256:unsigned", "r m sha256:unsigned", "r m sha256:unsigned"}[:len(stored.evicted)]) || len(stored.evicted) == 0 {
		t.Errorf("got %v, evicted %q", err, stored.evicted)
	}
}
