package localcatalog_test

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/openshift/platform-operators/test/localcatalog"
)

func TestRegistryRequiresCredentialsAndItsAuthority(t *testing.T) {
	registry := localcatalog.StartRegistry(true)
	t.Cleanup(registry.Close)
	folder := t.TempDir()
	if err := os.MkdirAll(filepath.Join(folder, "manifests"), 0o755); err != nil {
		t.Fatal(err)
	}
	registry.Require("robot", "secret")
	byTag, byDigest, err := registry.Push(t.Context(), "bundles/memo", "v1", folder)
	if err != nil {
		t.Fatal(err)
	}
	authorities := x509.NewCertPool()
	if !authorities.AppendCertsFromPEM([]byte(registry.Authority())) {
		t.Fatal("the authority is no certificate in PEM")
	}
	trustingTransport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: authorities, MinVersion: tls.VersionTLS12}}
	t.Cleanup(trustingTransport.CloseIdleConnections)
	robot := remote.WithAuth(&authn.Basic{Username: "robot", Password: "secret"})
	pull := func(options ...remote.Option) (string, error) {
		parsed, err := name.ParseReference(byTag)
		if err != nil {
			return "", err
		}
		got, err := remote.Get(parsed, append(options, remote.WithContext(t.Context()))...)
		if err != nil {
			return "", err
		}
		return got.Digest.String(), nil
	}
	if got, err := pull(remote.WithTransport(trustingTransport), robot); err != nil || !strings.HasSuffix(byDigest, got) {
		t.Errorf("pulling gave %s, %v; want %s", got, err, byDigest)
	}
	if n := registry.Requests("bundles/memo", "manifests"); n != 1 {
		t.Errorf("%d requests for manifests are counted, want 1", n)
	}
	if _, err := pull(remote.WithTransport(trustingTransport)); err == nil {
		t.Error("pulling without credentials succeeded")
	}
	if _, err := pull(robot); err == nil {
		t.Error("pulling without the authority succeeded")
	}

	registry.Hold(true)
	done := make(chan error, 1)
	go func() {
		_, err := pull(remote.WithTransport(trustingTransport), robot)
		done <- err
	}()
	for registry.Waiting() == 0 {
		select {
		case err := <-done:
			t.Fatalf("a registry that holds requests responded: %v", err)
		case <-time.After(time.Millisecond):
		}
	}
	registry.Hold(false)
	if err := <-done; err != nil {
		t.Errorf("after waiting: %v", err)
	}
}
