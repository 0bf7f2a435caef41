package image

import (
	"archive/tar"
	"bytes"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/authn"

	"github.com/openshift/platform-operators/pkg/source"
)

// TestCLI_17_OnlyTheSelectedDirectoryIsUnpacked checks that other entries are neither written nor refused, and that deletions by later
// layers apply.
func TestCLI_17_OnlyTheSelectedDirectoryIsUnpacked(t *testing.T) {
	base := []entry{
		{name: "lib64", link: "/usr/lib64", kind: tar.TypeSymlink}, {name: "dev/null", kind: tar.TypeChar}, {name: "configsmap", body: "x"},
		{name: "configs/a/catalog.yaml", body: "a"}, {name: "configs/b/catalog.yaml", body: "b"}, {name: "etc/configs/c", body: "c"},
	}
	for name, test := range map[string]struct {
		directory string
		later     []entry
		want      map[string]string
	}{
		"AsItIs": {"configs", nil, map[string]string{
			"configs/": "", "configs/a/": "", "configs/a/catalog.yaml": "a", "configs/b/": "", "configs/b/catalog.yaml": "b",
		}},
		"FileDeleted": {"configs", []entry{{name: "configs/.wh.a"}}, map[string]string{
			"configs/": "", "configs/b/": "", "configs/b/catalog.yaml": "b",
		}},
		"DirectoryDeleted": {"configs", []entry{{name: ".wh.configs"}, {name: "etc/.wh.configs"}}, map[string]string{}},
		"OpaqueRoot":       {"configs", []entry{{name: ".wh..wh..opq"}}, map[string]string{}},
		"OpaqueElsewhere": {"configs/a", []entry{{name: "etc/.wh..wh..opq"}, {name: "configs/.wh.b"}}, map[string]string{
			"configs/": "", "configs/a/": "", "configs/a/catalog.yaml": "a",
		}},
		"ParentDeleted": {"configs/a", []entry{{name: ".wh.configs"}}, map[string]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			unpacking, err := newUnpacker(source.Target{Dir: dir}, DefaultLimits())
			if err != nil {
				t.Fatal(err)
			}
			defer unpacking.close()
			unpacking.directory = test.directory
			for _, layer := range [][]entry{base, test.later} {
				if err := unpacking.stream(bytes.NewReader(archive(t, layer...))); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(test.want, tree(t, dir)); diff != "" {
				t.Errorf("unpacked tree (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCLI_17_EntriesOutsideTheDirectoryAreStillLimited(t *testing.T) {
	unpacking, err := newUnpacker(source.Target{Dir: t.TempDir()}, Limits{Bytes: 1 << 20, FileBytes: 1 << 20, Entries: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer unpacking.close()
	unpacking.directory = "configs"
	err = unpacking.stream(bytes.NewReader(archive(t, entry{name: "a"}, entry{name: "b"}, entry{name: "c"})))
	if refused := (*markedError)(nil); !errors.As(err, &refused) || refused.class != Refused {
		t.Errorf("got %v, want a refusal", err)
	}
}

func TestCLI_17_TheKeychainAppliesWithoutPullSecrets(t *testing.T) {
	own := authn.NewMultiKeychain(authn.DefaultKeychain)
	fetcher := New(Config{Keychain: own})
	if got, err := fetcher.credentials(t.Context(), Source{}, false); err != nil || got != own {
		t.Errorf("got %v, %v, want the keychain", got, err)
	}
	if _, err := fetcher.credentials(t.Context(), Source{PullSecret: "robot"}, false); err == nil {
		t.Error("a named pull secret is ignored")
	}
	fetcher = New(Config{Keychain: own, PullSecrets: &PullSecrets{}})
	if got, err := fetcher.credentials(t.Context(), Source{}, false); err != nil || got == own {
		t.Errorf("got %v, %v, want the credentials of the pull secrets", got, err)
	}
}
