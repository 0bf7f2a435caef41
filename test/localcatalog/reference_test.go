package localcatalog

import (
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
)

func TestAbsentReferenceKeepsWhereItCameFrom(t *testing.T) {
	digest := "@sha256:" + strings.Repeat("a", 64)
	for original, want := range map[string]string{
		"quay.io/org/image" + digest:         "localhost:5000/quay.io/org/image" + digest,
		"quay.io/org/image:v1" + digest:      "localhost:5000/quay.io/org/image" + digest,
		"registry.example.com:8443/image:v1": "localhost:5000/registry.example.com-8443/image:v1",
		"busybox":                            "localhost:5000/index.docker.io/library/busybox:latest",
		"":                                   "",
	} {
		if got := absentReference("localhost:5000", original); got != want {
			t.Errorf("%q became %q, want %q", original, got, want)
		}
	}
}

// FuzzAbsentReferenceIsLocalAndReadable checks that any image reference of a catalog becomes a valid reference to the local
// registry.
func FuzzAbsentReferenceIsLocalAndReadable(f *testing.F) {
	for _, seed := range []string{"quay.io/org/image:v1", "busybox", "UPPER/case:v1", "[::1]:5000/a@sha256:12", "a b", "localhost/x", "../../x", "!./00"} {
		f.Add(seed)
	}
	const host = "127.0.0.1:5000"
	f.Fuzz(func(t *testing.T, original string) {
		got := absentReference(host, original)
		if original == "" {
			return
		}
		ref, err := name.ParseReference(got)
		if err != nil {
			t.Fatalf("%q became %q, which cannot be read: %v", original, got, err)
		}
		if ref.Context().RegistryStr() != host {
			t.Errorf("%q became %q, which is not local", original, got)
		}
	})
}
