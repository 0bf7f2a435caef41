package http_test

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	nethttp "net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/catalogsource/http"
	"github.com/openshift/platform-operators/test/localcatalog"
)

const testdata = "../../../test/localcatalog/testdata"

func start(t *testing.T) *localcatalog.Server {
	t.Helper()
	server, err := localcatalog.Start(t.Context(), localcatalog.Options{Catalogs: []string{testdata + "/first"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	return server
}

func newClient(t *testing.T, options http.Options) *http.Client {
	t.Helper()
	client := http.New(options)
	t.Cleanup(client.Close)
	return client
}

func names(packages []catalog.Package) []string {
	var names []string
	for _, p := range packages {
		names = append(names, p.Name)
	}
	return names
}

func TestReadReturnsTheWantedPackages(t *testing.T) {
	server := start(t)
	client := newClient(t, http.Options{CAFile: server.CAFile()})
	for sentence, test := range map[string]struct {
		want     func(string) bool
		packages []string
	}{
		"all of them": {nil, []string{"example", "other"}},
		"one":         {func(pkg string) bool { return pkg == "other" }, []string{"other"}},
		"none":        {func(string) bool { return false }, nil},
	} {
		t.Run(sentence, func(t *testing.T) {
			packages, err := client.Read(t.Context(), server.HTTPSBaseURL(), test.want)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.packages, names(packages)); diff != "" {
				t.Errorf("packages (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadPackagesEqualsReadWithFewerBytes(t *testing.T) {
	server := start(t)
	client := newClient(t, http.Options{CAFile: server.CAFile()})
	whole, err := client.Read(t.Context(), server.HTTPSBaseURL(), nil)
	if err != nil {
		t.Fatal(err)
	}
	before := server.Requests()
	reading, err := client.ReadPackages(t.Context(), server.HTTPSBaseURL(), []string{"other", "absent", "example"}, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(whole, reading.Packages); diff != "" {
		t.Errorf("one by one (+) is not the whole (-):\n%s", diff)
	}
	if got := server.Requests() - before; got != 6 {
		t.Errorf("%d requests, want two a package", got)
	}

	t.Run("nothing is sent again while nothing changes", func(t *testing.T) {
		before := server.Requests()
		again, err := client.ReadPackages(t.Context(), server.HTTPSBaseURL(), []string{"other", "example"}, reading.LastModified, nil)
		if err != nil || !again.NotModified || again.LastModified != reading.LastModified || again.Packages != nil {
			t.Errorf("read %+v, %v", again, err)
		}
		if got := server.Requests() - before; got != 1 {
			t.Errorf("%d requests, want one", got)
		}
	})
	t.Run("new content is read", func(t *testing.T) {
		if err := server.Update(t.Context(), testdata+"/second"); err != nil {
			t.Fatal(err)
		}
		next, err := client.ReadPackages(t.Context(), server.HTTPSBaseURL(), []string{"example"}, reading.LastModified, nil)
		if err != nil || next.NotModified {
			t.Fatalf("read %+v, %v", next, err)
		}
		if _, ok := next.Packages[0].Bundle("example.v2.0.0"); !ok || next.LastModified == reading.LastModified {
			t.Errorf("read %+v", next)
		}
	})
}

func TestManyPackagesAreReadFromTheWholeCatalog(t *testing.T) {
	server := start(t)
	client := newClient(t, http.Options{CAFile: server.CAFile()})
	wanted := []string{"example"}
	for i := range 40 {
		wanted = append(wanted, fmt.Sprintf("absent-%d", i))
	}
	reading, err := client.ReadPackages(t.Context(), server.HTTPSBaseURL(), wanted, "", nil)
	if err != nil || len(reading.Packages) != 1 || server.Requests() != 1 {
		t.Errorf("read %v, %v in %d requests", names(reading.Packages), err, server.Requests())
	}
	again, err := client.ReadPackages(t.Context(), server.HTTPSBaseURL(), wanted, reading.LastModified, nil)
	if err != nil || !again.NotModified {
		t.Errorf("read %+v, %v", again, err)
	}
}

// serve starts an HTTPS server with a handler, for responses that catalogd's server does not send on demand. It returns the base URL of a
// catalog, and the Options that trust the server.
func serve(t *testing.T, handler nethttp.HandlerFunc) (string, http.Options) {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = nil
	server.StartTLS()
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	return server.URL + "/catalogs/example", http.Options{RootCAs: roots}
}

const (
	packageBlob = `{"schema":"olm.package","name":"example","defaultChannel":"stable"}` + "\n"
	channelBlob = `{"schema":"olm.channel","package":"example","name":"stable","entries":[]}` + "\n"
)

func TestServerWithoutMetas(t *testing.T) {
	base, options := serve(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if strings.HasSuffix(r.URL.Path, "/metas") {
			nethttp.NotFound(w, r)
			return
		}
		fmt.Fprint(w, packageBlob, channelBlob)
	})
	reading, err := newClient(t, options).ReadPackages(t.Context(), base, []string{"example"}, "", nil)
	if err != nil || len(reading.Packages) != 1 || reading.Packages[0].DefaultChannel != "stable" {
		t.Errorf("read %+v, %v", reading, err)
	}
}

func TestReadNeverReturnsAPartialList(t *testing.T) {
	unavailable := start(t)
	unavailable.Unavailable(true)
	gone := start(t)
	goneOptions := http.Options{CAFile: filepath.Join(t.TempDir(), "ca.crt")}
	copyFile(t, gone.CAFile(), goneOptions.CAFile)
	_ = gone.Close()
	noPEM := filepath.Join(t.TempDir(), "ca.crt")
	if err := os.WriteFile(noPEM, []byte("not PEM"), 0o644); err != nil {
		t.Fatal(err)
	}

	type server func(*testing.T) (string, http.Options)
	of := func(base string, options http.Options) server {
		return func(*testing.T) (string, http.Options) { return base, options }
	}
	answering := func(handler nethttp.HandlerFunc) server {
		return func(t *testing.T) (string, http.Options) { return serve(t, handler) }
	}
	for sentence, test := range map[string]struct {
		server server
		want   string
	}{
		"nothing listens":              {of(gone.HTTPSBaseURL(), goneOptions), "connection refused"},
		"the server is not ready":      {of(unavailable.HTTPSBaseURL(), http.Options{CAFile: unavailable.CAFile()}), "503 Service Unavailable"},
		"the authority is another one": {of(unavailable.HTTPSBaseURL(), goneOptions), "only the certificate authorities in the file that flag --catalog-ca-file names are trusted"},
		"the authority file is absent": {of(unavailable.HTTPSBaseURL(), http.Options{CAFile: noPEM + ".absent"}), "; correct the file that flag --catalog-ca-file names"},
		"the authority file is no PEM": {of(unavailable.HTTPSBaseURL(), http.Options{CAFile: noPEM}), "has no PEM certificate; correct the file"},
		"the address is plain http":    {of("http://127.0.0.1:1", http.Options{}), "not an https URL"},
		"the address is empty":         {of("", http.Options{}), "not an https URL"},
		"the answer is HTML": {answering(func(w nethttp.ResponseWriter, _ *nethttp.Request) {
			fmt.Fprint(w, "<html>hello</html>")
		}), "any proxy or login page in front of it"},
		"a blob is cut off": {answering(func(w nethttp.ResponseWriter, _ *nethttp.Request) {
			fmt.Fprint(w, packageBlob, channelBlob[:20])
		}), "unexpected EOF"},
		"the connection ends between two blobs": {answering(func(w nethttp.ResponseWriter, _ *nethttp.Request) {
			fmt.Fprint(w, packageBlob)
			_ = nethttp.NewResponseController(w).Flush()
			panic(nethttp.ErrAbortHandler)
		}), "EOF"},
		"less comes than was announced": {answering(func(w nethttp.ResponseWriter, _ *nethttp.Request) {
			w.Header().Set("Content-Length", "1000")
			fmt.Fprint(w, packageBlob)
		}), "unexpected EOF"},
		"it redirects": {answering(func(w nethttp.ResponseWriter, r *nethttp.Request) {
			nethttp.Redirect(w, r, "/elsewhere", nethttp.StatusFound)
		}), "redirects are not followed"},
		"it says 304 to who has nothing": {answering(func(w nethttp.ResponseWriter, _ *nethttp.Request) {
			w.WriteHeader(nethttp.StatusNotModified)
		}), "304 Not Modified"},
		"no catalog is there": {answering(nethttp.NotFound), "until it has unpacked the catalog"},
	} {
		t.Run(sentence, func(t *testing.T) {
			base, options := test.server(t)
			client := newClient(t, options)
			packages, err := client.Read(t.Context(), base, nil)
			reading, errNamed := client.ReadPackages(t.Context(), base, []string{"example"}, "", nil)
			bringing, errBringing := client.ReadProviders(t.Context(), base, nil)
			if packages != nil || reading.Packages != nil || bringing.Providers != nil {
				t.Errorf("something was read: %v, %v, %v", packages, reading, bringing)
			}
			for _, err := range []error{err, errNamed, errBringing} {
				if err == nil {
					t.Error("there was no error")
					continue
				}
				for _, part := range []string{fmt.Sprintf("reading catalog at %q", base), test.want} {
					if !strings.Contains(err.Error(), part) {
						t.Errorf("error %q does not say %q", err, part)
					}
				}
			}
		})
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	content, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, content, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestContentThatChangesBetweenTwoRequestsIsAnError(t *testing.T) {
	n := 0
	base, options := serve(t, func(w nethttp.ResponseWriter, _ *nethttp.Request) {
		n++
		w.Header().Set("Last-Modified", time.Date(2026, 1, 1, 0, 0, n, 0, time.UTC).Format(nethttp.TimeFormat))
		fmt.Fprint(w, packageBlob)
	})
	_, err := newClient(t, options).ReadPackages(t.Context(), base, []string{"example"}, "", nil)
	if err == nil || !strings.Contains(err.Error(), "was replaced during the read") {
		t.Errorf("error %v", err)
	}
}

func TestReadIsLimitedInBytesAfterDecompression(t *testing.T) {
	server := start(t)
	client := newClient(t, http.Options{CAFile: server.CAFile(), MaxBytes: 1500}) // compressed it is smaller than that
	if _, err := client.Read(t.Context(), server.HTTPSBaseURL(), nil); err == nil || !strings.Contains(err.Error(), "larger than 1500 bytes; ask the catalog's publisher to prune it") {
		t.Errorf("error %v", err)
	}
	client = newClient(t, http.Options{CAFile: server.CAFile(), MaxBytes: 100})
	if _, err := client.ReadProviders(t.Context(), server.HTTPSBaseURL(), nil); err == nil || !strings.Contains(err.Error(), "larger than 100 bytes") {
		t.Errorf("error %v", err)
	}
}

func TestReadProvidersReadsBundlesOnly(t *testing.T) {
	bundles := `{"schema":"olm.bundle","package":"example","name":"example.v1.0.0","properties":[{"type":"olm.gvk","value":{"group":"g","version":"v1","kind":"K"}}]}` + "\n"
	for sentence, test := range map[string]struct {
		without string
		asked   []string
	}{
		"where the server can":        {"", []string{"/api/v1/metas?schema=olm.bundle"}},
		"else from the whole catalog": {"/metas", []string{"/api/v1/metas?schema=olm.bundle", "/api/v1/all"}},
	} {
		t.Run(sentence, func(t *testing.T) {
			var asked []string
			base, options := serve(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
				asked = append(asked, strings.TrimPrefix(r.URL.RequestURI(), "/catalogs/example"))
				if test.without != "" && strings.HasSuffix(r.URL.Path, test.without) {
					nethttp.NotFound(w, r)
					return
				}
				w.Header().Set("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT")
				fmt.Fprint(w, bundles)
			})
			reading, err := newClient(t, options).ReadProviders(t.Context(), base, nil)
			if err != nil {
				t.Fatal(err)
			}
			got := reading.Providers.ForKind(catalog.GVK{Group: "g", Version: "v1", Kind: "K"})
			if !cmp.Equal(got, []string{"example"}) || len(reading.Packages) != 0 || reading.LastModified != "Thu, 01 Jan 2026 00:00:00 GMT" {
				t.Errorf("%q provide it; read %+v", got, reading)
			}
			if diff := cmp.Diff(test.asked, asked); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadIsLimitedInTime(t *testing.T) {
	for sentence, before := range map[string]string{"before the first byte": "", "in the middle of the answer": packageBlob} {
		t.Run(sentence, func(t *testing.T) {
			base, options := serve(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
				if before != "" {
					fmt.Fprint(w, before)
					_ = nethttp.NewResponseController(w).Flush()
				}
				<-r.Context().Done()
			})
			options.Timeout = 100 * time.Millisecond
			if _, err := newClient(t, options).Read(t.Context(), base, nil); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestRotatedAuthorityIsTrustedWithoutRestart(t *testing.T) {
	server := start(t)
	client := newClient(t, http.Options{CAFile: server.CAFile()})
	for range 2 {
		if _, err := client.Read(t.Context(), server.HTTPSBaseURL(), nil); err != nil {
			t.Fatal(err)
		}
		if err := server.RotateCA(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := client.Read(t.Context(), server.HTTPSBaseURL(), nil); err != nil {
		t.Fatal(err)
	}
}
