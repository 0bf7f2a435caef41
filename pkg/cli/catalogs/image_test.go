package catalogs

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/crane"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/cli/exit"
	"github.com/openshift/platform-operators/pkg/source/image"
)

// serveImages starts a registry on a loopback address with an image for each name, and returns its host and port. A password is required
// for repositories below "private".
func serveImages(t *testing.T, images map[string]map[string]string) string {
	t.Helper()
	inner := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, password, _ := r.BasicAuth(); r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/private/") && password != "secret" {
			w.Header().Set("WWW-Authenticate", `Basic realm="test"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		inner.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	host := strings.TrimPrefix(server.URL, "http://")
	for repository, files := range images {
		content := map[string][]byte{}
		for path, text := range files {
			content[path] = []byte(text)
		}
		built, err := crane.Image(content)
		if err != nil {
			t.Fatal(err)
		}
		reference, err := name.ParseReference(host + "/" + repository)
		if err != nil {
			t.Fatal(err)
		}
		if err := remote.Push(reference, built); err != nil {
			t.Fatal(err)
		}
	}
	return host
}

// TestCLI_17_ACatalogImage checks what is read of an image, and the errors about images that cannot be used.
func TestCLI_17_ACatalogImage(t *testing.T) {
	docker, temporary := t.TempDir(), t.TempDir()
	t.Setenv("DOCKER_CONFIG", docker)
	t.Setenv("TMPDIR", temporary)
	anchor := "{\"schema\":\"olm.package\",\"name\":\"anchor\"}"
	host := serveImages(t, map[string]map[string]string{
		"harbor:v1":         {"configs/anchor/catalog.json": anchor, "other/catalog.json": "{", "bin/opm": "program"},
		"private/harbor:v1": {"configs/anchor/catalog.json": anchor},
		"bundle:v1":         {"manifests/a.yaml": "a: b"},
		"broken:v1":         {"configs/catalog.json": "{"},
		"empty:v1":          {"configs/README.md": "text"},
	})
	check := func(repository string, code exit.Code, text string) {
		t.Helper()
		source, err := Argument(host + "/" + repository)
		if err != nil {
			t.Fatal(err)
		}
		var packages []catalog.Package
		packages, err = source.read(t.Context())
		if code == exit.OK && (err != nil || len(packages) != 1 || packages[0].Name != "anchor") {
			t.Errorf("%s: got %d packages, error %v", repository, len(packages), err)
		}
		if code != exit.OK && (err == nil || exit.CodeOf(err) != code || !strings.Contains(err.Error(), text)) {
			t.Errorf("%s: got exit code %d and error %v, want %d and %q", repository, exit.CodeOf(err), err, code, text)
		}
	}
	check("harbor:v1", exit.OK, "")
	check("harbor:v2", exit.Failure, "check the reference, and that the image was pushed")
	check("bundle:v1", exit.Invalid, "the image has no directory /configs")
	check("broken:v1", exit.Invalid, `file "catalog.json"`)
	check("empty:v1", exit.Invalid, "no file in directory /configs of the image has a package")
	check("private/harbor:v1", exit.Failure, "log in with: podman login "+host)
	login := `{"auths":{"` + host + `":{"username":"robot","password":"secret"}}}`
	if err := os.WriteFile(docker+"/config.json", []byte(login), 0o600); err != nil {
		t.Fatal(err)
	}
	check("private/harbor:v1", exit.OK, "")
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("temporary files remain: %v %v", left, err)
	}
}

func TestCLI_17_ARegistryThatCannotBeReached(t *testing.T) {
	source, err := Argument("localhost:1/catalog:v1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := source.read(t.Context()); exit.CodeOf(err) != exit.Failure || !strings.Contains(err.Error(), "check the network") {
		t.Errorf("got %v", err)
	}
	expired, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	if _, err := source.read(expired); exit.CodeOf(err) != exit.Timeout {
		t.Errorf("after the deadline: got exit code %d, %v", exit.CodeOf(err), err)
	}
}

func TestCLI_17_ArgumentsThatAreNoCatalog(t *testing.T) {
	for argument, want := range map[string]string{
		"image_test.go":   "is a file: name the directory",
		"./nothing":       "is neither a directory nor a reference",
		"catalog":         "is neither a directory nor a reference",
		"example.com/c":   "is neither a directory nor a reference", // without tag or digest
		"image_test.go/x": `reading "image_test.go/x"`,
		"":                "is neither a directory nor a reference",
	} {
		if _, err := Argument(argument); exit.CodeOf(err) != exit.Usage || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", argument, err, want)
		}
	}
}

func TestTheRemedyIsForAUserOfThePlugin(t *testing.T) {
	for class, test := range map[image.Class]struct {
		code   exit.Code
		remedy string
	}{
		image.Untrusted:          {exit.Failure, "that this machine trusts"},
		image.PlainHTTP:          {exit.Failure, "enable TLS on the registry"},
		image.Loopback:           {exit.Failure, "its DNS record"},
		image.UnexpectedResponse: {exit.Failure, "any proxy or login page in front of it"},
		image.Refused:            {exit.Invalid, "rebuild the image"},
		image.Reserved:           {exit.Invalid, "ask the catalog's publisher to prune it"},
		image.DiskFull:           {exit.Failure, "set TMPDIR to a directory with more space"},
		image.Storage:            {exit.Failure, "check the disk"},
	} {
		got := imageError("a", &image.Error{Class: class, Action: "unpacking", Ref: "a", Err: errors.New("the cause")})
		if exit.CodeOf(got) != test.code || !strings.HasPrefix(got.Error(), `unpacking image "a": the cause; `) ||
			!strings.Contains(got.Error(), test.remedy) {
			t.Errorf("%s: got exit code %d and %v, want %d and %q", class, exit.CodeOf(got), got, test.code, test.remedy)
		}
	}
}
