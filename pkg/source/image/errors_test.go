package image

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

func TestTheRemedyFitsTheCause(t *testing.T) {
	get := func(address string, err error) error { return &url.Error{Op: "Get", URL: address, Err: err} }
	unknown := get("https://10.9.8.7/v2/", x509.UnknownAuthorityError{})
	refused := get("https://10.9.8.7/v2/", &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED})
	plain := get("http://10.9.8.7/v2/", marked(PlainHTTP, "the request to 10.9.8.7 would use plain HTTP, which is not allowed"))
	noTLS := get("https://10.9.8.7/v2/", errors.New("http: server gave HTTP response to HTTPS client"))
	loopback := get("https://10.9.8.7/v2/", &net.OpError{Op: "dial", Err: refuseLoopback("registry.example:443", "127.0.0.1:443")})
	failing := &transport.Error{StatusCode: http.StatusInternalServerError}
	budget := &unpacker{reserveBytes: func(int64) error { return errors.New("the budget is used up; raise it") }}
	secret := &PullSecrets{Client: fake.NewClientset().CoreV1(), Namespace: "system"}
	_, absent := secret.keychain(t.Context(), Source{PullSecret: "mine"})
	for name, test := range map[string]struct {
		err  error
		want Class
		// says and omits are what the message must and must not contain, separated by "|".
		says, omits string
	}{
		"a certificate of an unknown authority":   {unknown, Untrusted, "certificateData|insecureSkipTLSVerify", "plain HTTP"},
		"the same, if plain HTTP is refused, too": {errors.Join(unknown, plain), Untrusted, "certificateData", ""},
		"plain HTTP":             {plain, PlainHTTP, "enable TLS|insecureSkipTLSVerify", "certificateData"},
		"a registry without TLS": {errors.Join(noTLS, plain), PlainHTTP, "enable TLS|insecureSkipTLSVerify", "certificateData"},
		"a registry without TLS that is allowed, and fails":      {errors.Join(noTLS, failing), Unreachable, "answered 500|the manager retries", "TLS"},
		"a registry that is down, if plain HTTP is refused, too": {errors.Join(refused, plain), Unreachable, "connection refused|check that the registry runs", "enable TLS"},
		"a loopback address": {loopback, Loopback, "DNS record", "certificateData|insecureSkipTLSVerify"},
		"a loopback address, if plain HTTP is refused, too":    {errors.Join(loopback, plain), Loopback, "DNS record", "certificateData"},
		"a manifest that is refused":                           {refuse("its manifest cannot be read: %w", &json.SyntaxError{}), Refused, "under a new reference", "retries"},
		"a token that is not JSON":                             {get("https://registry.example/token", &json.SyntaxError{}), UnexpectedResponse, "login page|the manager retries", "under a new reference"},
		"a registry that is too slow":                          {context.DeadlineExceeded, Unreachable, "the registry did not send the image within the time limit", ""},
		"an API server that is too slow":                       {slowSecret(t), SecretUnread, `reading pull secret "system/mine": context deadline exceeded|API server`, "registry"},
		"a pull secret that does not exist":                    {absent, Credentials, "create or correct this Secret|kubernetes.io/dockercfg", ""},
		"credentials that are not accepted":                    {&transport.Error{StatusCode: http.StatusForbidden}, Unauthorized, "openshift-config/pull-secret", ""},
		"space that is not reserved: its error has the remedy": {budget.reserve(1), Reserved, "the budget is used up; raise it", "free space"},
		"a full disk":             {writing("f", syscall.ENOSPC), DiskFull, "free space on the disk", "content-budget"},
		"a quota that is used up": {writing("f", syscall.EDQUOT), DiskFull, "free space on the disk", "content-budget"},
		"a disk that fails":       {writing("f", syscall.EIO), Storage, "check the disk", "free space"},
		"certificates that are none, which the source can correct": {marked(Invalid, "x"), Invalid, "certificateData must have certificates in PEM format", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := classified("pulling", "registry.example/memo:v1", fmt.Errorf("layer 1 of 1: %w", test.err))
			if failed := (*Error)(nil); !errors.As(got, &failed) || failed.Class != test.want {
				t.Errorf("got %v, want class %s", got, test.want)
			}
			for _, words := range strings.Split(test.says, "|") {
				if !strings.Contains(got.Error(), words) {
					t.Errorf("%q does not say %q", got, words)
				}
			}
			for _, words := range strings.Split(test.omits, "|") {
				if words != "" && strings.Contains(strings.ReplaceAll(got.Error(), "registry.example", ""), words) {
					t.Errorf("%q says %q", got, words)
				}
			}
		})
	}
}

func TestEveryClassButReservedHasARemedy(t *testing.T) {
	for _, class := range []Class{Invalid, Credentials, SecretUnread, Untrusted, PlainHTTP, Loopback, NotFound, Unauthorized, Unreachable,
		UnexpectedResponse, Corrupt, Refused, DiskFull, Storage} {
		if advice[class] == "" {
			t.Errorf("class %s has none", class)
		}
	}
	if got := (&Error{Class: Reserved, Action: "unpacking", Ref: "a", Err: errors.New("b; c")}).Error(); got != `unpacking image "a": b; c` {
		t.Errorf("got %q", got)
	}
}

// slowSecret returns the error about a pull secret that an API server did not return in time.
func slowSecret(t *testing.T) error {
	client := fake.NewClientset(&corev1.Secret{})
	client.PrependReactor("get", "secrets", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, context.DeadlineExceeded
	})
	_, err := (&PullSecrets{Client: client.CoreV1(), Namespace: "system"}).keychain(t.Context(), Source{PullSecret: "mine"})
	return err
}
