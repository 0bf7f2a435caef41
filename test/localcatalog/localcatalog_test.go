package localcatalog_test

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
	"github.com/google/go-containerregistry/pkg/v1/validate"
	"github.com/operator-framework/operator-registry/pkg/api"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/openshift/platform-operators/test/localcatalog"
)

func start(t *testing.T, options localcatalog.Options) *localcatalog.Server {
	t.Helper()
	if options.Catalogs == nil {
		options.Catalogs = []string{"testdata/first"}
	}
	if options.Bundles == nil {
		options.Bundles = []string{"testdata/bundles"}
	}
	server, err := localcatalog.Start(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return server
}

// httpClient returns a client that trusts only the server's current authority and does not decompress responses.
func httpClient(t *testing.T, server *localcatalog.Server) *http.Client {
	t.Helper()
	pem, err := os.ReadFile(server.CAFile())
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		t.Fatalf("no certificate in %q", pem)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func get(t *testing.T, client *http.Client, url string, headers ...string) (*http.Response, []byte) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, body
}

// blobs returns "schema/package/name" of each blob in a response of JSON lines.
func blobs(t *testing.T, body []byte) []string {
	t.Helper()
	var names []string
	for lines := bufio.NewScanner(bytes.NewReader(body)); lines.Scan(); {
		var blob struct{ Schema, Package, Name string }
		if err := json.Unmarshal(lines.Bytes(), &blob); err != nil {
			t.Fatalf("line %q: %v", lines.Text(), err)
		}
		names = append(names, blob.Schema+"/"+blob.Package+"/"+blob.Name)
	}
	return names
}

func TestHTTPSServesCatalogdsAPI(t *testing.T) {
	server := start(t, localcatalog.Options{})
	client := httpClient(t, server)
	all, everything := get(t, client, server.HTTPSBaseURL()+"/api/v1/all")

	for sentence, test := range map[string]struct {
		path   string
		status int
		want   []string
	}{
		"all blobs": {"/api/v1/all", 200, []string{
			"olm.package//example", "olm.channel/example/stable", "olm.channel/example/fast",
			"olm.bundle/example/example.v1.0.0", "olm.bundle/example/example.v1.1.0", "example.com.custom/example/note",
			"olm.package//other", "olm.channel/other/alpha", "olm.bundle/other/other.v0.1.0",
		}},
		"metas by package, without the olm.package blob": {"/api/v1/metas?package=other", 200, []string{
			"olm.channel/other/alpha", "olm.bundle/other/other.v0.1.0",
		}},
		"metas by schema and name":        {"/api/v1/metas?schema=olm.package&name=other", 200, []string{"olm.package//other"}},
		"metas that match nothing":        {"/api/v1/metas?package=absent", 200, nil},
		"metas with an unknown parameter": {"/api/v1/metas?pkg=other", 400, nil},
		"another endpoint":                {"/api/v1/graphql", 404, nil},
	} {
		t.Run(sentence, func(t *testing.T) {
			response, body := get(t, client, server.HTTPSBaseURL()+test.path)
			if response.StatusCode != test.status {
				t.Fatalf("status %s, want %d: %s", response.Status, test.status, body)
			}
			if test.status != http.StatusOK {
				return
			}
			if diff := cmp.Diff(test.want, blobs(t, body)); diff != "" {
				t.Errorf("blobs (-want +got):\n%s", diff)
			}
		})
	}

	t.Run("Last-Modified without ETag, and 304 for If-Modified-Since", func(t *testing.T) {
		modified := all.Header.Get("Last-Modified")
		if modified == "" || all.Header.Get("ETag") != "" {
			t.Fatalf("headers: %v", all.Header)
		}
		for _, path := range []string{"/api/v1/all", "/api/v1/metas?package=other"} {
			if response, _ := get(t, client, server.HTTPSBaseURL()+path, "If-Modified-Since", modified); response.StatusCode != http.StatusNotModified {
				t.Errorf("%s: status %s, want 304", path, response.Status)
			}
		}
	})
	t.Run("gzip from 1,400 bytes on, if accepted", func(t *testing.T) {
		compressed, body := get(t, client, server.HTTPSBaseURL()+"/api/v1/all", "Accept-Encoding", "gzip")
		if compressed.Header.Get("Content-Encoding") != "gzip" {
			t.Fatalf("headers: %v", compressed.Header)
		}
		reader, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if plain, err := io.ReadAll(reader); err != nil || !bytes.Equal(plain, everything) {
			t.Errorf("the compressed response has another content (%v)", err)
		}
		small, _ := get(t, client, server.HTTPSBaseURL()+"/api/v1/metas?schema=olm.package&name=other", "Accept-Encoding", "gzip")
		if small.Header.Get("Content-Encoding") != "" {
			t.Errorf("a small response is compressed: %v", small.Header)
		}
	})
}

// listBundles returns the bundles over gRPC, by "channel/name".
func listBundles(t *testing.T, server *localcatalog.Server) map[string]*api.Bundle {
	t.Helper()
	connection, err := grpc.NewClient("passthrough:///"+server.GRPCAddress(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	stream, err := api.NewRegistryClient(connection).ListBundles(t.Context(), &api.ListBundlesRequest{})
	if err != nil {
		t.Fatal(err)
	}
	bundles := map[string]*api.Bundle{}
	for {
		bundle, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return bundles
		}
		if err != nil {
			t.Fatal(err)
		}
		bundles[bundle.GetChannelName()+"/"+bundle.GetCsvName()] = bundle
	}
}

func TestGRPCListsBundlesWithUpgradeEdges(t *testing.T) {
	bundles := listBundles(t, start(t, localcatalog.Options{}))
	if len(bundles) != 4 {
		t.Errorf("%d bundles in channels, want 4", len(bundles))
	}
	bundle := bundles["stable/example.v1.1.0"]
	if got, want := bundle.GetReplaces(), "example.v1.0.0"; got != want {
		t.Errorf("replaces %q, want %q", got, want)
	}
	if got := bundle.GetSkips(); len(got) != 2 {
		t.Errorf("skips %q, want two bundles", got)
	}
	if got, want := bundle.GetSkipRange(), ">=1.0.0 <1.1.0"; got != want {
		t.Errorf("skipRange is %q, want %q", got, want)
	}
}

func TestEveryImageReferenceIsLocal(t *testing.T) {
	server := start(t, localcatalog.Options{})
	_, body := get(t, httpClient(t, server), server.HTTPSBaseURL()+"/api/v1/all")
	if bytes.Contains(body, []byte(`"registry.example.com`)) {
		t.Errorf("an image reference was not rewritten:\n%s", body)
	}
	bundles := listBundles(t, server)
	published, ok := server.Bundle("example", "1.0.0")
	if !ok || bundles["stable/example.v1.0.0"].GetBundlePath() != published {
		t.Errorf("bundle of a directory: catalog has %q, published is %q", bundles["stable/example.v1.0.0"].GetBundlePath(), published)
	}
	if n := bytes.Count(body, []byte(`"`+published+`"`)); n != 2 {
		t.Errorf("the published reference occurs %d times, want as image and as related image", n)
	}

	host := server.RegistryHost()
	for what, ref := range map[string]string{
		"a bundle without a directory": bundles["alpha/other.v0.1.0"].GetBundlePath(),
		"a related image":              host + "/registry.example.com-5000/example/operator:v1",
	} {
		if !strings.HasPrefix(ref, host+"/") || !bytes.Contains(body, []byte(ref)) {
			t.Errorf("%s: reference %q is missing or not local", what, ref)
		}
		var answer *transport.Error
		if _, err := remote.Image(parse(t, ref)); !errors.As(err, &answer) || answer.StatusCode != http.StatusNotFound {
			t.Errorf("%s: pulling %q gave %v, want 404", what, ref, err)
		}
	}
}

func parse(t *testing.T, ref string) name.Reference {
	t.Helper()
	parsed, err := name.ParseReference(ref)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func pull(t *testing.T, ref string) v1.Image {
	t.Helper()
	image, err := remote.Image(parse(t, ref))
	if err != nil {
		t.Fatal(err)
	}
	return image
}

func TestBundleImagesAreReproducibleAndHaveLabels(t *testing.T) {
	first, second := start(t, localcatalog.Options{}), start(t, localcatalog.Options{})
	for _, version := range []string{"1.0.0", "1.1.0", "2.0.0+build.5"} {
		ref, ok := first.Bundle("example", version)
		again, okAgain := second.Bundle("example", version)
		if !ok || !okAgain {
			t.Fatalf("bundle %s is not published", version)
		}
		if digest := strings.Split(ref, "@")[1]; !strings.HasSuffix(again, digest) {
			t.Errorf("%s: %s in one registry and %s in the other", version, ref, again)
		}
	}

	ref, _ := first.Bundle("example", "1.1.0")
	image := pull(t, ref)
	if err := validate.Image(image); err != nil {
		t.Error(err)
	}
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if got := config.Config.Labels["operators.operatorframework.io.bundle.package.v1"]; got != "example" {
		t.Errorf("labels: %v", config.Config.Labels)
	}
	var files []string
	content := mutate.Extract(image)
	defer content.Close()
	for reader := tar.NewReader(content); ; {
		header, err := reader.Next()
		if err != nil {
			break
		}
		files = append(files, header.Name)
	}
	want := []string{"metadata", "metadata/annotations.yaml", "manifests", "manifests/configmap.yaml"}
	if diff := cmp.Diff(want, files); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func TestFail(t *testing.T) {
	server := start(t, localcatalog.Options{})
	ref, _ := server.Bundle("example", "1.0.0")
	if err := server.Fail(ref, http.StatusUnauthorized); err != nil {
		t.Fatal(err)
	}
	var answer *transport.Error
	if _, err := remote.Image(parse(t, ref)); !errors.As(err, &answer) || answer.StatusCode != http.StatusUnauthorized {
		t.Errorf("pulling gave %v, want 401", err)
	}
	if err := server.Fail(ref, 0); err != nil {
		t.Fatal(err)
	}
	pull(t, ref)
}

func TestUpdateReplacesContentOnTheSameAddresses(t *testing.T) {
	server := start(t, localcatalog.Options{})
	client := httpClient(t, server)
	before, _ := get(t, client, server.HTTPSBaseURL()+"/api/v1/all")
	digest := server.ContentDigest()
	old, _ := server.Bundle("example", "1.0.0")

	if err := server.Update(t.Context(), "testdata/second"); err != nil {
		t.Fatal(err)
	}
	if server.ContentDigest() == digest {
		t.Error("the digest is the same")
	}
	response, body := get(t, client, server.HTTPSBaseURL()+"/api/v1/all", "If-Modified-Since", before.Header.Get("Last-Modified"))
	if response.StatusCode != http.StatusOK || !bytes.Contains(body, []byte("example.v2.0.0")) {
		t.Errorf("HTTPS after the update: status %s\n%s", response.Status, body)
	}
	published, _ := server.Bundle("example", "2.0.0+build.5")
	if got := listBundles(t, server)["stable/example.v2.0.0"].GetBundlePath(); got != published || got == "" {
		t.Errorf("gRPC after the update: image %q, want %q", got, published)
	}
	pull(t, published)
	pull(t, old)

	t.Run("invalid content keeps the old content", func(t *testing.T) {
		folder := t.TempDir()
		write(t, filepath.Join(folder, "example", "catalog.yaml"), "schema: olm.package\nname: example\ndefaultChannel: none\n")
		digest := server.ContentDigest()
		if err := server.Update(t.Context(), folder); err == nil {
			t.Fatal("a package without channels was accepted")
		}
		if got := server.ContentDigest(); got != digest {
			t.Errorf("after a failed update the digest is %s, want the old one, %s", got, digest)
		}
		if len(listBundles(t, server)) == 0 {
			t.Error("after a failed update no bundles are served")
		}
	})
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestPackageFilter(t *testing.T) {
	server := start(t, localcatalog.Options{Packages: []string{"other"}})
	if got := listBundles(t, server); len(got) != 1 || got["alpha/other.v0.1.0"] == nil {
		t.Errorf("bundles: %v", got)
	}
	if _, ok := server.Bundle("example", "1.0.0"); ok {
		t.Error("an image of another package was published")
	}
}

func TestStartRejectsInvalidOptions(t *testing.T) {
	duplicate := t.TempDir()
	write(t, filepath.Join(duplicate, "a", "catalog.yaml"), "schema: olm.package\nname: other\n")
	empty := t.TempDir()
	for sentence, test := range map[string]struct {
		options localcatalog.Options
		want    string
	}{
		"no catalog":                       {localcatalog.Options{}, "no catalog directory given"},
		"a missing catalog":                {localcatalog.Options{Catalogs: []string{"testdata/absent"}}, "testdata/absent"},
		"a directory without a catalog":    {localcatalog.Options{Catalogs: []string{empty}}, "no olm.package found"},
		"missing bundles":                  {localcatalog.Options{Catalogs: []string{"testdata/first"}, Bundles: []string{"testdata/absent"}}, "testdata/absent"},
		"a missing package":                {localcatalog.Options{Catalogs: []string{"testdata/first"}, Packages: []string{"absent"}}, `package "absent" is not in the catalogs`},
		"a package in two catalogs":        {localcatalog.Options{Catalogs: []string{"testdata/first", duplicate}}, `package "other" is in more than one catalog`},
		"an address that is not loopback":  {localcatalog.Options{Catalogs: []string{"testdata/first"}, ListenHost: "0.0.0.0"}, "not a loopback"},
		"a name instead of a loopback one": {localcatalog.Options{Catalogs: []string{"testdata/first"}, ListenHost: "localhost"}, "not a loopback"},
	} {
		t.Run(sentence, func(t *testing.T) {
			server, err := localcatalog.Start(t.Context(), test.options)
			if err == nil {
				server.Close()
				t.Fatal("it started")
			}
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %q does not say %q", err, test.want)
			}
		})
	}
}

func TestCloseLeavesNothing(t *testing.T) {
	server := start(t, localcatalog.Options{})
	ca := server.CAFile()
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Dir(ca)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the directory is still there: %v", err)
	}
	for _, address := range []string{server.GRPCAddress(), server.RegistryHost()} {
		if connection, err := net.Dial("tcp", address); err == nil {
			connection.Close()
			t.Errorf("%s still answers", address)
		}
	}
}
