package image_test

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/registry"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	clocktesting "k8s.io/utils/clock/testing"

	configv1 "github.com/openshift/api/config/v1"

	"github.com/openshift/platform-operators/pkg/imagepolicy"
	"github.com/openshift/platform-operators/pkg/mirrors"
	"github.com/openshift/platform-operators/pkg/source"
	"github.com/openshift/platform-operators/pkg/source/image"
)

// settings are an image.RegistryConfiguration with fixed values.
type settings struct {
	sets mirrors.Objects
	// authorities are PEM, by registry.
	authorities map[string]string
	policies    imagepolicy.Objects
	// unread is the error of Rules and Policies, and err that of Authorities.
	unread, err error
}

func (s settings) Policies(context.Context) (*imagepolicy.Policies, error) {
	return imagepolicy.New(s.policies), s.unread
}

func (s settings) Rules(context.Context) (*mirrors.Rules, error) {
	return mirrors.New(s.sets), s.unread
}

func (s settings) Authorities(_ context.Context, registry string) (*x509.CertPool, error) {
	data, ok := s.authorities[registry]
	if !ok {
		return nil, s.err
	}
	found := x509.NewCertPool()
	found.AppendCertsFromPEM([]byte(data))
	return found, s.err
}

// mirrored returns settings with mirrors for one source.
func mirrored(source string, policy configv1.MirrorSourcePolicy, locations ...string) settings {
	var found []configv1.ImageMirror
	for _, each := range locations {
		found = append(found, configv1.ImageMirror(each))
	}
	digest := configv1.ImageDigestMirrorSet{ObjectMeta: metav1.ObjectMeta{Name: "local"}, Spec: configv1.ImageDigestMirrorSetSpec{
		ImageDigestMirrors: []configv1.ImageDigestMirrors{{Source: source, Mirrors: found, MirrorSourcePolicy: policy}},
	}}
	tag := configv1.ImageTagMirrorSet{ObjectMeta: metav1.ObjectMeta{Name: "local"}, Spec: configv1.ImageTagMirrorSetSpec{
		ImageTagMirrors: []configv1.ImageTagMirrors{{Source: source, Mirrors: found, MirrorSourcePolicy: policy}},
	}}
	return settings{sets: mirrors.Objects{DigestMirrorSets: []*configv1.ImageDigestMirrorSet{&digest}, TagMirrorSets: []*configv1.ImageTagMirrorSet{&tag}}}
}

// recorder counts the requests for manifests to a registry.
type recorder struct {
	mu       sync.Mutex
	requests []string
	// fault answers a request for which it returns true.
	fault func(http.ResponseWriter, *http.Request) bool
}

func (r *recorder) before(w http.ResponseWriter, request *http.Request) bool {
	if strings.Contains(request.URL.Path, "/manifests/") {
		r.mu.Lock()
		r.requests = append(r.requests, request.URL.Path)
		r.mu.Unlock()
	}
	return r.fault != nil && r.fault(w, request)
}

// take returns the number of requests for manifests since the last call.
func (r *recorder) take() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(r.requests)
	r.requests = nil
	return n
}

// pulled is the outcome of fetching an image.
type pulled struct {
	mirror, file string
	err          error
}

func pull(t *testing.T, fetcher *image.Fetcher, from image.Source, target source.Target) pulled {
	t.Helper()
	pinned, err := fetcher.Resolve(t.Context(), from)
	if err != nil {
		return pulled{err: err}
	}
	if !strings.HasPrefix(pinned, strings.SplitN(strings.SplitN(from.Ref, "@", 2)[0], ":v1", 2)[0]) {
		t.Errorf("%s is resolved to %s, which is not its own repository", from.Ref, pinned)
	}
	target.Dir = t.TempDir()
	origin, err := fetcher.Unpack(t.Context(), from.At(pinned), target)
	entries, _ := os.ReadDir(target.Dir)
	content, _ := os.ReadFile(filepath.Join(target.Dir, "f"))
	if err == nil && len(entries) != 1 {
		t.Errorf("there are %d files, want those of one location", len(entries))
	}
	return pulled{origin.Mirror, string(content), err}
}

func answer(status int) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.Contains(r.URL.Path, "/manifests/") {
			return false
		}
		w.WriteHeader(status)
		return true
	}
}

// TestENG_S4_AMirrorThatFailsIsFollowedByTheNext pulls an image by digest and by tag whose first mirror fails in many ways.
func TestENG_S4_AMirrorThatFailsIsFollowedByTheNext(t *testing.T) {
	other := content(t, map[string]string{"f": "another image"})
	onBlobs := func(do func(w http.ResponseWriter, r *http.Request)) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			if !strings.Contains(r.URL.Path, "/blobs/") {
				return false
			}
			do(w, r)
			return true
		}
	}
	for name, fault := range map[string]func(http.ResponseWriter, *http.Request) bool{
		"none of it": answer(http.StatusNotFound), "credentials": answer(http.StatusUnauthorized), "a failure": answer(http.StatusInternalServerError),
		"a blob that ends early": onBlobs(resetInMidBlob),
		"a blob that is missing": onBlobs(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) }),
		"another blob":           onBlobs(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("something else")) }),
		"another manifest": func(w http.ResponseWriter, r *http.Request) bool {
			if !strings.Contains(path.Base(r.URL.Path), "sha256:") || !strings.Contains(r.URL.Path, "/manifests/") {
				return false
			}
			manifest, _ := other.RawManifest()
			mediaType, _ := other.MediaType()
			w.Header().Set("Content-Type", string(mediaType))
			_, _ = w.Write(manifest)
			return true
		},
		"a page": func(w http.ResponseWriter, r *http.Request) bool {
			if !strings.Contains(r.URL.Path, "/manifests/") {
				return false
			}
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte("<html>log in</html>"))
			return true
		},
	} {
		t.Run(name, func(t *testing.T) {
			bad, good := &recorder{}, &recorder{}
			first, second := serve(t, bad.before), serve(t, good.before)
			for _, host := range []string{first, second} {
				push(t, host+"/team/memo:v1", content(t, map[string]string{"f": "content"}))
			}
			bad.fault = fault
			settings := mirrored("127.0.0.1:1/origin", configv1.NeverContactSource, first+"/team", second+"/team")
			fetcher := image.New(image.Config{Registries: settings})
			var reserved int64
			got := pull(t, fetcher, image.Source{Ref: "127.0.0.1:1/origin/memo:v1"}, source.Target{Reserve: func(bytes int64) error { reserved += bytes; return nil }})
			if got.err != nil || got.file != "content" || !strings.HasPrefix(got.mirror, second+"/team/memo@sha256:") {
				t.Errorf("got %+v, want the content from the second mirror", got)
			}
			if reserved <= 0 || reserved > 64<<10 {
				t.Errorf("%d bytes were reserved", reserved)
			}
		})
	}
}

// Promise ENG-S13: Where the source registries are unreachable, images are pulled from mirrors. The status has the mirror, and a failure has
// the locations that were tried, at most eight, each with the reason.
func TestENG_S13_AFailureHasEveryLocationAndWhy(t *testing.T) {
	const digest = "@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	empty, locked := serve(t, nil), serve(t, answer(http.StatusUnauthorized))
	for name, test := range map[string]struct {
		settings settings
		class    image.Class
		want     string
	}{
		"different reasons": {mirrored("127.0.0.1:1/origin", "", empty+"/team", locked+"/team"), image.AllLocationsFailed,
			`pulling image "127.0.0.1:1/origin/memo` + digest + `": every location failed: [` + empty + `/team/memo: the registry answered 404 Not Found, NAME_UNKNOWN] [` +
				locked + `/team/memo: the registry answered 401 Unauthorized] [127.0.0.1:1/origin/memo: `},
		"one reason": {mirrored("127.0.0.1:1/origin", configv1.NeverContactSource, empty+"/team", empty+"/other"), image.NotFound,
			` [127.0.0.1:1/origin/memo: ImageDigestMirrorSet "local" has mirrorSourcePolicy NeverContactSource for source "127.0.0.1:1/origin"]; if the reference comes from a catalog`},
		"no mirror": {settings{}, image.Unreachable, `pulling image "127.0.0.1:1/origin/memo` + digest + `": Get `},
		"not permitted": {settings{sets: mirrors.Objects{RegistrySources: configv1.RegistrySources{AllowedRegistries: []string{"quay.io"}}}}, image.NotPermitted,
			`: allowedRegistries of Image "cluster" does not have this registry; permit the registry in the object`},
		"unknown mirrors": {settings{unread: errors.New("the API server has not listed imagedigestmirrorsets yet")}, image.RegistryConfig, "has not listed imagedigestmirrorsets yet"},
		"no authorities":  {settings{err: errors.New(`ConfigMap "ca" does not exist`)}, image.RegistryConfig, `ConfigMap "ca" does not exist`},
	} {
		t.Run(name, func(t *testing.T) {
			fetcher := image.New(image.Config{Registries: test.settings})
			_, err := fetcher.Unpack(t.Context(), image.Source{Ref: "127.0.0.1:1/origin/memo" + digest}, source.Target{Dir: t.TempDir()})
			wantClass(t, err, test.class, test.want)
		})
	}
}

// TestENG_S13_AConditionHasRoomForTheLocationsAndTheRemedy checks usual and worst cases against the size of a condition's message.
func TestENG_S13_AConditionHasRoomForTheLocationsAndTheRemedy(t *testing.T) {
	locked := serve(t, answer(http.StatusUnauthorized))
	var many []string
	for i := range 100 {
		many = append(many, fmt.Sprintf("127.0.0.1:1/m%d/%s", i, strings.Repeat("x", 150)))
	}
	for name, test := range map[string]struct {
		mirrors []string
		words   []string
	}{
		"three mirrors": {[]string{"127.0.0.1:1/first/openshift4", "127.0.0.1:2/second/openshift4", locked + "/third/openshift4"}, []string{"/first/", "/second/", "/third/", "/origin/"}},
		"100 mirrors":   {append(many, locked+"/x"), []string{"and 94 more"}},
	} {
		t.Run(name, func(t *testing.T) {
			fetcher := image.New(image.Config{Registries: mirrored("127.0.0.1:1/origin", "", test.mirrors...)})
			err := fetcher.CheckAccess(t.Context(), image.Source{Ref: "127.0.0.1:1/origin/quay-operator-bundle@sha256:" + strings.Repeat("a", 64)})
			wantClass(t, err, image.AllLocationsFailed, append(test.words, "correct one of these registries", "the manager retries")...)
			if len(err.Error()) > 1024 {
				t.Errorf("the error has %d bytes: %v", len(err.Error()), err)
			}
		})
	}
}

// TestENG_S13_ASlowMirrorLeavesTimeForTheOthers checks that a mirror that sends little by little neither takes all the time nor stays the first.
func TestENG_S13_ASlowMirrorLeavesTimeForTheOthers(t *testing.T) {
	slow, good := &recorder{}, &recorder{}
	first, second := serve(t, slow.before), serve(t, good.before)
	for _, host := range []string{first, second} {
		push(t, host+"/team/memo:v1", content(t, map[string]string{"f": "content"}))
	}
	slow.fault = func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.Contains(r.URL.Path, "/manifests/") {
			<-r.Context().Done()
		}
		return false
	}
	limits := image.DefaultLimits()
	limits.Time = 3 * time.Second
	fetcher := image.New(image.Config{Limits: limits, Registries: mirrored("127.0.0.1:1/origin", configv1.NeverContactSource, first+"/team", second+"/team")})
	for _, toFirst := range []int{1, 0} {
		_ = slow.take()
		if _, err := fetcher.Resolve(t.Context(), image.Source{Ref: "127.0.0.1:1/origin/memo:v1"}); err != nil {
			t.Error(err)
		}
		if got := slow.take(); got != toFirst {
			t.Errorf("%d requests to the slow mirror, want %d", got, toFirst)
		}
	}
}

// TestENG_S5_ARepositoryCannotLeaveTheNamespaceOfItsName checks that a name which a server may take for another one is sent nowhere.
func TestENG_S5_ARepositoryCannotLeaveTheNamespaceOfItsName(t *testing.T) {
	record := &recorder{}
	host := serve(t, record.before)
	settings := mirrored("quay.local/team", configv1.NeverContactSource, host+"/mirrored/team")
	settings.sets.RegistrySources.AllowedRegistries = []string{"quay.local/team"}
	fetcher := image.New(image.Config{Registries: settings})
	for _, ref := range []string{"quay.local/team/../../private/secret:v1", "quay.local/team//x:v1", "quay.local/team/./x:v1"} {
		_, err := fetcher.Resolve(t.Context(), image.Source{Ref: ref})
		wantClass(t, err, image.Invalid)
	}
	if got := record.take(); got != 0 {
		t.Errorf("%d requests", got)
	}
}

// TestENG_S13_AMirrorThatHasFailedIsAskedLast checks that a mirror that fails costs one request, and is asked first again after a minute.
func TestENG_S13_AMirrorThatHasFailedIsAskedLast(t *testing.T) {
	clock := clocktesting.NewFakePassiveClock(time.Unix(1000, 0))
	bad, good := &recorder{}, &recorder{}
	first, second := serve(t, bad.before), serve(t, good.before)
	for _, host := range []string{first, second} {
		for _, repository := range []string{"memo", "note"} {
			push(t, host+"/team/"+repository+":v1", content(t, map[string]string{"f": repository}))
		}
	}
	fetcher := image.New(image.Config{Clock: clock, Registries: mirrored("127.0.0.1:1/origin", configv1.NeverContactSource, first+"/team", second+"/team")})
	ask := func(repository string, toFirst, toSecond int) {
		t.Helper()
		_, _ = bad.take(), good.take()
		if _, err := fetcher.Resolve(t.Context(), image.Source{Ref: "127.0.0.1:1/origin/" + repository + ":v1"}); err != nil {
			t.Error(err)
		}
		if one, two := bad.take(), good.take(); one != toFirst || two != toSecond {
			t.Errorf("%d requests to the first and %d to the second mirror, want %d and %d", one, two, toFirst, toSecond)
		}
	}
	ask("memo", 1, 0)
	bad.fault = answer(http.StatusServiceUnavailable)
	ask("memo", 1, 1)
	ask("memo", 0, 1)
	ask("note", 0, 1) // a registry that is not there is not asked for other images either
	clock.SetTime(clock.Now().Add(61 * time.Second))
	bad.fault = answer(http.StatusNotFound)
	ask("memo", 1, 1)
	ask("memo", 0, 1)
	bad.fault = nil
	ask("note", 1, 0) // it may have other images
	clock.SetTime(clock.Now().Add(61 * time.Second))
	bad.fault = answer(http.StatusTooManyRequests)
	ask("memo", 1, 1)
	bad.fault = nil
	ask("note", 1, 0) // the answer may be about the other image
	good.fault = answer(http.StatusServiceUnavailable)
	ask("memo", 1, 1) // there is nobody else to ask
}

// TestENG_S5_MirrorsHaveTheSettingsOfTheCluster checks certificate authorities, insecure registries and pull secrets of mirrors.
func TestENG_S5_MirrorsHaveTheSettingsOfTheCluster(t *testing.T) {
	host, authority, transport := secured(t, registry.New())
	pushWith(t, host+"/team/memo:v1", content(t, map[string]string{"f": "content"}), transport)
	from := image.Source{Ref: "127.0.0.1:1/origin/memo:v1", InsecureSkipTLSVerify: true, CertificateData: authority}
	trusting := mirrored("127.0.0.1:1/origin", configv1.NeverContactSource, host+"/team")
	trusting.authorities = map[string]string{host: authority}
	insecure := mirrored("127.0.0.1:1/origin", configv1.NeverContactSource, host+"/team")
	insecure.sets.RegistrySources.InsecureRegistries = []string{host}
	for name, test := range map[string]struct {
		settings settings
		class    image.Class
	}{
		"the settings of the source do not count": {mirrored("127.0.0.1:1/origin", configv1.NeverContactSource, host+"/team"), image.Untrusted},
		"an authority of the cluster":             {trusting, ""},
		"an insecure registry":                    {insecure, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := pull(t, image.New(image.Config{Registries: test.settings}), from, source.Target{})
			if test.class != "" {
				wantClass(t, got.err, test.class)
			} else if got.err != nil || got.file != "content" {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// TestENG_S4_MirrorsArePulledWithTheClustersPullSecret checks that a source with a pull secret of its own does not need one for mirrors.
func TestENG_S4_MirrorsArePulledWithTheClustersPullSecret(t *testing.T) {
	var users []string
	var mu sync.Mutex
	host := serve(t, func(w http.ResponseWriter, r *http.Request) bool {
		user, _, ok := r.BasicAuth()
		if !ok {
			w.Header().Set("WWW-Authenticate", `Basic realm="r"`)
			w.WriteHeader(http.StatusUnauthorized)
			return true
		}
		mu.Lock()
		defer mu.Unlock()
		if !slices.Contains(users, user) {
			users = append(users, user)
		}
		return false
	})
	push(t, host+"/team/memo:v1", content(t, map[string]string{"f": "content"}))
	secret := func(namespace, name, registry, user string) *corev1.Secret {
		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Type: corev1.SecretTypeDockerConfigJson, Data: map[string][]byte{
			corev1.DockerConfigJsonKey: fmt.Appendf(nil, `{"auths":{%q:{"username":%q,"password":"secret"}}}`, registry, user),
		}}
	}
	client := fake.NewClientset(secret("tenant", "own", "127.0.0.1:1", "tenant"), secret("tenant", "both", host, "tenant"), secret("openshift-config", "pull-secret", host, "cluster"))
	fetcher := image.New(image.Config{
		Registries:  mirrored("127.0.0.1:1/origin", configv1.NeverContactSource, host+"/team"),
		PullSecrets: &image.PullSecrets{Client: client.CoreV1(), Namespace: "manager", Global: types.NamespacedName{Namespace: "openshift-config", Name: "pull-secret"}},
	})
	for name, want := range map[string]string{"": "cluster", "own": "cluster", "both": "tenant"} {
		users = nil
		got := pull(t, fetcher, image.Source{Ref: "127.0.0.1:1/origin/memo:v1", PullSecret: name, SecretNamespace: "tenant"}, source.Target{})
		if got.err != nil || !slices.Equal(users, []string{want}) {
			t.Errorf("with pull secret %q: got %+v as users %q, want %q", name, got, users, want)
		}
	}
	got := pull(t, fetcher, image.Source{Ref: "127.0.0.1:1/origin/memo:v1", PullSecret: "gone", SecretNamespace: "tenant"}, source.Target{})
	wantClass(t, got.err, image.Credentials, `pull secret "tenant/gone" does not exist`)
}

// TestENG_S4_ATagIsPulledFromTheMirrorThatResolvedIt checks that an image by tag needs mirrors of tags only, also after its tag is resolved.
func TestENG_S4_ATagIsPulledFromTheMirrorThatResolvedIt(t *testing.T) {
	host := serve(t, nil)
	push(t, host+"/team/memo:v1", content(t, map[string]string{"f": "content"}))
	settings := mirrored("127.0.0.1:1/origin", configv1.NeverContactSource, host+"/team")
	settings.sets.DigestMirrorSets = nil
	fetcher := image.New(image.Config{Registries: settings})
	from := image.Source{Ref: "127.0.0.1:1/origin/memo:v1"}
	if got := pull(t, fetcher, from, source.Target{}); got.err != nil || got.file != "content" || !strings.HasPrefix(got.mirror, host+"/team/memo@sha256:") {
		t.Errorf("got %+v", got)
	}
	pinned, err := fetcher.Resolve(t.Context(), from)
	if err != nil {
		t.Fatal(err)
	}
	_, err = fetcher.Unpack(t.Context(), image.Source{Ref: pinned}, source.Target{Dir: t.TempDir()})
	wantClass(t, err, image.NotPermitted, "mirrorSourcePolicy NeverContactSource") // a digest in a spec has no mirrors of tags
}
