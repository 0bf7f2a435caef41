package image_test

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/openshift/platform-operators/pkg/source/image"
	"github.com/openshift/platform-operators/test/socks5"
)

// pulledByAnother is the environment variable with the reference that TestAnotherProcessPulls pulls.
const pulledByAnother = "TEST_PULLED_REFERENCE"

// TestImagesArePulledThroughTheSOCKS5ProxyOfTheEnvironment starts another process, because net/http reads the environment once. The
// proxy has a loopback address and resolves the registry's name to one, as the konnectivity sidecar of a hosted control plane may.
func TestImagesArePulledThroughTheSOCKS5ProxyOfTheEnvironment(t *testing.T) {
	const registry = "registry.example.test:5000"
	host := serve(t, nil)
	push(t, host+"/bundles/memo:v1", content(t, map[string]string{"f": "x"}))
	proxy, err := socks5.Start(func(address string) (string, error) {
		if address != registry {
			return "", errors.New("no such name")
		}
		return host, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	defer proxy.Close()

	another := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestAnotherProcessPulls$", "-test.v")
	another.Env = append(os.Environ(), "HTTP_PROXY="+proxy.URL(), "HTTPS_PROXY="+proxy.URL(), "NO_PROXY=kube-apiserver",
		pulledByAnother+"="+registry+"/bundles/memo:v1")
	if output, err := another.CombinedOutput(); err != nil {
		t.Fatalf("%v:\n%s", err, output)
	}
	if !slices.Contains(proxy.Requested(), registry) {
		t.Errorf("the proxy was asked for %q, not for %s", proxy.Requested(), registry)
	}
}

func TestAnotherProcessPulls(t *testing.T) {
	ref := os.Getenv(pulledByAnother)
	if ref == "" {
		return // TestImagesArePulledThroughTheSOCKS5ProxyOfTheEnvironment runs it
	}
	if err := fetch(t, image.New(image.Config{}), image.Source{Ref: ref, InsecureSkipTLSVerify: true}); err != nil {
		t.Fatal(err)
	}
}
