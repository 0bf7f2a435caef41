package unpack

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/bundle"
)

func request(of folder) Request {
	return Request{Source: of, Format: corev1alpha2.FormatRegistryV1, Namespace: "memo"}
}

func TestABundleIsRenderedAndFetchedOnce(t *testing.T) {
	renderer, minimal := newRenderer(t), from("a", os.DirFS(bundles+"/minimal"))
	for range 2 {
		got, err := renderer.Render(t.Context(), request(minimal))
		if err != nil || got.Invalid != nil {
			t.Fatalf("rendering: %v, %v", err, got.Invalid)
		}
		if len(got.Objects) == 0 || got.Metadata.Name == "" || got.Unchanged {
			t.Errorf("rendered %d objects of bundle %q; unchanged: %v", len(got.Objects), got.Metadata.Name, got.Unchanged)
		}
		if got.Mirror != "mirror.example/memo" {
			t.Errorf("read from mirror %q", got.Mirror)
		}
	}
	other := minimal
	other.name = "other"
	if got, err := renderer.Render(t.Context(), request(other)); err != nil || got.Mirror != "" {
		t.Errorf("the same content under another name is read from mirror %q, %v; want none", got.Mirror, err)
	}
	if fetched := minimal.fetched.Load(); fetched != 1 {
		t.Errorf("fetched %d times for two requests one after the other", fetched)
	}
}

// TestENG_P7_StoredContentIsReadOnlyWithAccess checks that content which somebody else has fetched is no way around the credentials.
func TestENG_P7_StoredContentIsReadOnlyWithAccess(t *testing.T) {
	renderer, private := newRenderer(t), from("a", os.DirFS(bundles+"/minimal"))
	if _, err := renderer.Render(t.Context(), request(private)); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		checks bool
		denied error
	}{
		"checked, with credentials":       {true, nil},
		"checked, without credentials":    {true, errors.New("unauthorized")},
		"not checked, as for the manager": {false, errors.New("unauthorized")},
	} {
		private.denied = c.denied
		wanted := request(private)
		wanted.ChecksAccess = c.checks
		var want error
		if c.checks {
			want = c.denied
		}
		if got, err := renderer.Render(t.Context(), wanted); !errors.Is(err, want) || (got == nil) != (want != nil) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestNothingIsFetchedIfTheSourceIsUnchanged(t *testing.T) {
	minimal := from("a", os.DirFS(bundles+"/minimal"))
	pinned, err := minimal.Resolve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	polled := request(minimal)
	polled.Known = pinned.Reference
	got, err := newRenderer(t).Render(t.Context(), polled)
	if err != nil || !got.Unchanged || got.Resolved != pinned.Reference || len(got.Objects) != 0 || minimal.fetched.Load() != 0 {
		t.Errorf("got %+v, %v, fetched %d times", got, err, minimal.fetched.Load())
	}
}

func TestABundleWithAReservedNameIsRefused(t *testing.T) {
	files := fstest.MapFS{"manifests/a.yaml": {Data: []byte("{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: 'reserved:memo'}, rules: []}")}}
	squatter := request(from("a", files))
	squatter.Format = corev1alpha2.FormatPlainV0
	got, err := newRenderer(t).Render(t.Context(), squatter)
	if err != nil {
		t.Fatal(err)
	}
	want := `has ClusterRole "reserved:memo", a name that is reserved for the manager; rename it`
	if got.Invalid == nil || !strings.Contains(got.Invalid.Error(), want) || got.Objects != nil {
		t.Errorf("got %v, want %s: with it the revision could neither be applied nor removed", got.Invalid, want)
	}
}

func TestContentThatIsNoBundleIsInvalid(t *testing.T) {
	got, err := newRenderer(t).Render(t.Context(), request(from("a", fstest.MapFS{})))
	if err != nil {
		t.Fatalf("got error %v; fetching succeeded", err)
	}
	if got.Invalid == nil {
		t.Error("a source without files was taken for a bundle")
	}
}

func TestAClusterThatCannotBeAskedIsTransient(t *testing.T) {
	renderer, fault := newRenderer(t), errors.New("not now")
	renderer.Certificates = func() (bundle.CertificateProvider, error) { return "", fault }
	webhooks := request(from("b", os.DirFS(bundles+"/webhooks")))
	if _, err := renderer.Render(t.Context(), webhooks); !errors.Is(err, fault) {
		t.Errorf("got %v, want the fault of the cluster", err)
	}
	// A fault of the configuration is reported before any request to the cluster.
	webhooks.Config = `{"unknown": 1}`
	got, err := renderer.Render(t.Context(), webhooks)
	if wrong := (*bundle.ConfigError)(nil); err != nil || !errors.As(got.Invalid, &wrong) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestTwoAreRenderedAtOnceHoweverManyAreFetched(t *testing.T) {
	entered, release := make(chan struct{}, 100), make(chan struct{})
	busy, webhooks := newRenderer(t), request(from("b", os.DirFS(bundles+"/webhooks")))
	busy.Certificates = func() (bundle.CertificateProvider, error) {
		entered <- struct{}{}
		<-release
		return bundle.ServiceCA, nil
	}
	done := make(chan error, 10)
	for range 10 {
		go func() {
			_, err := busy.Render(t.Context(), webhooks)
			done <- err
		}()
	}
	<-entered
	<-entered
	for range 8 { // a waiting request can be canceled
		ctx, leave := context.WithCancel(t.Context())
		leave()
		if _, err := busy.Render(ctx, webhooks); !errors.Is(err, context.Canceled) {
			t.Errorf("a third one rendered: %v", err)
		}
	}
	if len(entered) != 0 {
		t.Error("more than two rendered at once")
	}
	close(release)
	for range 10 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}
