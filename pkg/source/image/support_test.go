package image_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/google/go-containerregistry/pkg/authn"
)

// proxied returns a transport that sends requests for every host to one server.
func proxied(t testing.TB, server string) *http.Transport {
	t.Helper()
	address, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{Proxy: http.ProxyURL(address)}
	t.Cleanup(transport.CloseIdleConnections)
	return transport
}

// basic are credentials with an empty password.
type basic struct{}

// Authorization implements authn.Authenticator.
func (basic) Authorization() (*authn.AuthConfig, error) {
	return &authn.AuthConfig{Username: "robot"}, nil
}
