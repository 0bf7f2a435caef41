package imageconfig_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"sigs.k8s.io/yaml"

	"github.com/openshift/platform-operators/pkg/imageconfig"
	"github.com/openshift/platform-operators/pkg/imagepolicy"
	"github.com/openshift/platform-operators/pkg/inventory"
	"github.com/openshift/platform-operators/pkg/mirrors"
)

// resources are the watched kinds, and the definitions of kinds.
var resources = map[string]schema.GroupVersionResource{
	"CustomResourceDefinition": {Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"},
	"ImageDigestMirrorSet":     {Group: "config.openshift.io", Version: "v1", Resource: "imagedigestmirrorsets"},
	"ImageTagMirrorSet":        {Group: "config.openshift.io", Version: "v1", Resource: "imagetagmirrorsets"},
	"Image":                    {Group: "config.openshift.io", Version: "v1", Resource: "images"},
	"ClusterImagePolicy":       {Group: "config.openshift.io", Version: "v1", Resource: "clusterimagepolicies"},
	"ImagePolicy":              {Group: "config.openshift.io", Version: "v1", Resource: "imagepolicies"},
	"ImageContentSourcePolicy": {Group: "operator.openshift.io", Version: "v1alpha1", Resource: "imagecontentsourcepolicies"},
}

// object returns an object of a kind; text is the rest of it, in YAML.
func object(t *testing.T, kind, name, text string) *unstructured.Unstructured {
	t.Helper()
	o := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &o.Object); err != nil {
		t.Fatal(err)
	}
	o.SetAPIVersion(resources[kind].GroupVersion().String())
	o.SetKind(kind)
	o.SetName(name)
	return o
}

// definition returns the CustomResourceDefinition of a kind.
func definition(t *testing.T, kind string) *unstructured.Unstructured {
	t.Helper()
	of := resources[kind]
	return object(t, "CustomResourceDefinition", of.GroupResource().String(), `{spec: {group: `+of.Group+`, names: {kind: `+kind+`, plural: `+of.Resource+
		`}, versions: [{name: `+of.Version+`, served: true}]}}`)
}

// fixture is a running Cluster.
type fixture struct {
	*imageconfig.Cluster
	dynamic *dynamicfake.FakeDynamicClient
	core    *fake.Clientset

	mu      sync.Mutex
	changes int
	// namespaces are those of the changes.
	namespaces []string
	problems   [][]string
}

func start(t *testing.T, trustedCAFile string, objects ...runtime.Object) *fixture {
	t.Helper()
	return startWith(t, trustedCAFile, func(*dynamicfake.FakeDynamicClient) {}, objects...)
}

// startWith calls prepare with the client before anything uses it.
func startWith(t *testing.T, trustedCAFile string, prepare func(*dynamicfake.FakeDynamicClient), objects ...runtime.Object) *fixture {
	t.Helper()
	kinds := map[schema.GroupVersionResource]string{}
	for kind, resource := range resources {
		kinds[resource] = kind + "List"
	}
	f := &fixture{dynamic: dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), kinds, objects...), core: fake.NewClientset()}
	prepare(f.dynamic)
	served, err := inventory.NewKinds(f.dynamic)
	if err != nil {
		t.Fatal(err)
	}
	f.Cluster, err = imageconfig.New(imageconfig.Config{
		Dynamic: f.dynamic, Kinds: served, ConfigMaps: f.core.CoreV1(), TrustedCAFile: trustedCAFile,
		Report: func(problems []string) { f.problems = append(f.problems, problems) },
	})
	if err != nil {
		t.Fatal(err)
	}
	f.OnChange(func(namespace string) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.changes++
		f.namespaces = append(f.namespaces, namespace)
	})
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { served.Run(ctx) })
	running.Go(func() { f.Run(ctx) })
	t.Cleanup(func() { cancel(); running.Wait() })
	return f
}

// changed returns the number of changes so far.
func (f *fixture) changed() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.changes
}

// locations returns the locations of an image.
func (f *fixture) locations(t *testing.T, image string) []string {
	t.Helper()
	rules, err := f.Rules(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := name.ParseReference(image)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, each := range rules.Locations(parsed, mirrors.PullFromMirrorOf(parsed)) {
		found = append(found, each.Ref)
	}
	return found
}

// eventually waits until a condition holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-ctx.Done():
			t.Fatalf("%s does not come true", what)
		case <-tick.C:
		}
	}
}

const mirrorSets = `{spec: {imageDigestMirrors: [{source: quay.io/team, mirrors: [mirror.local/team]}], imageTagMirrors: [{source: quay.io/team, mirrors: [tags.local/team]}],
  repositoryDigestMirrors: [{source: quay.io/team, mirrors: [old.local/team]}]}}`

var digest = "@sha256:" + strings.Repeat("a", 64)

func TestENG_S4_ChangesCountWithoutARestart(t *testing.T) {
	f := start(t, "", definition(t, "ImageDigestMirrorSet"), definition(t, "ImageTagMirrorSet"), definition(t, "ImageContentSourcePolicy"), definition(t, "Image"),
		object(t, "ImageDigestMirrorSet", "a", mirrorSets), object(t, "ImageTagMirrorSet", "a", mirrorSets), object(t, "ImageContentSourcePolicy", "a", mirrorSets),
		object(t, "Image", "cluster", `{spec: {registrySources: {blockedRegistries: [blocked.io, "*"]}}}`), object(t, "Image", "other", `{spec: {registrySources: {blockedRegistries: [quay.io]}}}`))
	if got := f.locations(t, "quay.io/team/memo"+digest); !slices.Equal(got, []string{"mirror.local/team/memo" + digest, "old.local/team/memo" + digest, "quay.io/team/memo" + digest}) {
		t.Errorf("by digest: %q", got)
	}
	if got := f.locations(t, "quay.io/team/memo:v1"); !slices.Equal(got, []string{"tags.local/team/memo:v1", "quay.io/team/memo:v1"}) {
		t.Errorf("by tag: %q", got)
	}
	rules, err := f.Rules(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	blocked, _ := name.ParseReference("blocked.io/memo/x:v1")
	if rules.CheckAllowed(blocked) == nil {
		t.Error("a blocked registry is not refused")
	}
	if len(f.problems) != 1 || len(f.problems[0]) != 1 || !strings.Contains(f.problems[0][0], `"*"`) {
		t.Errorf("reported problems: %q", f.problems)
	}
	before := f.changed()
	if err := f.dynamic.Resource(resources["ImageTagMirrorSet"]).Delete(t.Context(), "a", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the deletion of a mirror set", func() bool { return len(f.locations(t, "quay.io/team/memo:v1")) == 1 })
	image := object(t, "Image", "cluster", `{spec: {}}`)
	if _, err := f.dynamic.Resource(resources["Image"]).Update(t.Context(), image, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the end of a problem", func() bool {
		_ = f.locations(t, "quay.io/team/memo:v1")
		return len(f.problems) == 2 && len(f.problems[1]) == 0
	})
	if changes := f.changed() - before; changes < 2 {
		t.Errorf("%d changes were reported, want 2", changes)
	}
}

// TestENG_S12_PoliciesCountWithoutARestart checks that the policies follow the objects, and that an invalid one is reported.
func TestENG_S12_PoliciesCountWithoutARestart(t *testing.T) {
	const policy = `{spec: {scopes: [quay.io/team], policy: {rootOfTrust: {policyType: PublicKey, publicKey: {keyData: bm8ga2V5}}}}}`
	f := start(t, "", definition(t, "ClusterImagePolicy"), definition(t, "ImagePolicy"))
	image, err := name.ParseReference("quay.io/team/memo:v1")
	if err != nil {
		t.Fatal(err)
	}
	found := func(namespace string) string {
		t.Helper()
		policies, err := f.Policies(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if policy := policies.For(image, namespace); policy != nil {
			return policy.String()
		}
		return ""
	}
	if got := found("tenant"); got != "" {
		t.Errorf("got policy %s", got)
	}
	ofNamespace := object(t, "ImagePolicy", "signed", policy)
	ofNamespace.SetNamespace("tenant")
	if _, err := f.dynamic.Resource(resources["ImagePolicy"]).Namespace("tenant").Create(t.Context(), ofNamespace, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "an ImagePolicy", func() bool { return found("tenant") == `ImagePolicy "tenant/signed"` && found("other") == "" })
	if _, err := f.dynamic.Resource(resources["ClusterImagePolicy"]).Create(t.Context(), object(t, "ClusterImagePolicy", "signed", policy), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a ClusterImagePolicy", func() bool {
		return found("tenant") == `ClusterImagePolicy "signed"` && found("other") == found("tenant")
	})
	if last := f.problems[len(f.problems)-1]; len(last) != 1 || !strings.HasPrefix(last[0], `ClusterImagePolicy "signed" is invalid: `) {
		t.Errorf("reported problems: %q", f.problems)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if namespaces := slices.DeleteFunc(f.namespaces, func(each string) bool { return each == "" }); !slices.Equal(namespaces, []string{"tenant"}) {
		t.Errorf("changes in namespaces %q, want one in that of the ImagePolicy", namespaces)
	}
}

// TestENG_S12_APolicyIsNotForgotten checks a policy that a later API server accepts and this manager cannot read, and one that was deleted and
// created again while no watch saw it.
func TestENG_S12_APolicyIsNotForgotten(t *testing.T) {
	f := start(t, "", definition(t, "ClusterImagePolicy"), object(t, "ClusterImagePolicy", "later", `{spec: {scopes: [quay.io/later], policy: {rootOfTrust: {policyType: [a, list]}}}}`))
	policy := func(repository string) *imagepolicy.Policy {
		t.Helper()
		image, err := name.ParseReference("quay.io/" + repository + ":v1")
		if err != nil {
			t.Fatal(err)
		}
		policies, err := f.Policies(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return policies.For(image, "")
	}
	if found := policy("later/memo"); found == nil || !strings.HasPrefix(found.Problem, `ClusterImagePolicy "later" is invalid: spec.policy.rootOfTrust.policyType "" is unknown`) {
		t.Errorf("got %+v", found)
	}
	again := object(t, "ClusterImagePolicy", "again", `{spec: {scopes: [quay.io/first], policy: {}}}`)
	again.SetUID("1")
	again.SetGeneration(1)
	client := f.dynamic.Resource(resources["ClusterImagePolicy"])
	if _, err := client.Create(t.Context(), again, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the first policy", func() bool { return policy("first/memo") != nil })
	replaced := object(t, "ClusterImagePolicy", "again", `{spec: {scopes: [quay.io/second], policy: {}}}`)
	replaced.SetUID("2")
	replaced.SetGeneration(1)
	if _, err := client.Update(t.Context(), replaced, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the policy that replaced it", func() bool { return policy("second/memo") != nil && policy("first/memo") == nil })
}

func TestAClusterWithoutTheKindsHasNoMirrors(t *testing.T) {
	f := start(t, "")
	if got := f.locations(t, "quay.io/team/memo:v1"); !slices.Equal(got, []string{"quay.io/team/memo:v1"}) {
		t.Errorf("got %q", got)
	}
	if pool, err := f.Authorities(t.Context(), "quay.io"); pool != nil || err != nil {
		t.Errorf("got %v, %v, want the authorities of the system", pool, err)
	}
	for _, each := range f.dynamic.Actions() {
		if each.GetResource().Resource != "customresourcedefinitions" {
			t.Errorf("got a request for %s", each.GetResource().Resource)
		}
	}
}

// TestENG_S13_NothingIsPulledBeforeTheMirrorsAreKnown checks that an API server that does not list a kind leads to an error that names it.
func TestENG_S13_NothingIsPulledBeforeTheMirrorsAreKnown(t *testing.T) {
	resource := resources["ImageDigestMirrorSet"]
	f := startWith(t, "", func(client *dynamicfake.FakeDynamicClient) {
		client.PrependReactor("list", resource.Resource, func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, apierrors.NewForbidden(resource.GroupResource(), "", nil)
		})
	}, definition(t, "ImageTagMirrorSet"))
	if _, err := f.dynamic.Resource(resources["CustomResourceDefinition"]).Create(t.Context(), definition(t, "ImageDigestMirrorSet"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	eventually(t, "an unlisted kind", func() bool {
		waiting, cancel := context.WithTimeout(ctx, time.Millisecond)
		defer cancel()
		_, err := f.Rules(waiting)
		return err != nil && strings.Contains(err.Error(), "the manager has not yet received from the API server: imagedigestmirrorsets.config.openshift.io")
	})
	cancel()
}

// Promise ENG-S5: Requests to registries go through the proxy in HTTPS_PROXY, except those to hosts in NO_PROXY. The manager trusts the certificate
// authorities that the cluster trusts, and for a registry those of additionalTrustedCA. Changes of certificate authorities take effect without a
// restart.
func TestENG_S5_AuthoritiesOfTheCluster(t *testing.T) {
	ofProxy, ofRegistry := certificate(t), certificate(t)
	file := filepath.Join(t.TempDir(), "ca-bundle.crt")
	f := start(t, file, definition(t, "Image"), object(t, "Image", "cluster", `{spec: {additionalTrustedCA: {name: registries}}}`))
	_ = f.locations(t, "quay.io/team/memo:v1") // waits for the kinds
	want := func(registry string, wanted ...*x509.Certificate) {
		t.Helper()
		pool, err := f.Authorities(t.Context(), registry)
		if err != nil {
			t.Errorf("%s: %v", registry, err)
			return
		}
		for _, each := range []*x509.Certificate{ofProxy, ofRegistry} {
			isTrusted := false
			if pool != nil {
				_, err := each.Verify(x509.VerifyOptions{Roots: pool})
				isTrusted = err == nil
			}
			if isTrusted != slices.Contains(wanted, each) {
				t.Errorf("%s: certificate %s is trusted: %t", registry, each.SerialNumber, isTrusted)
			}
		}
	}
	wantError := func(registry, text string) {
		t.Helper()
		if pool, err := f.Authorities(t.Context(), registry); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: got %v, %v, want an error with %q", registry, pool, err, text)
		}
	}
	write := func(content []byte) {
		t.Helper()
		if err := os.WriteFile(file+".new", content, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(file+".new", file); err != nil { // as the kubelet does
			t.Fatal(err)
		}
	}
	want("mirror.local:5000") // neither the file nor the ConfigMap exists
	write(nil)
	want("mirror.local:5000")
	write(encoded(ofProxy))
	want("mirror.local:5000", ofProxy)
	configMap := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "openshift-config", Name: "registries"}, Data: map[string]string{
		"mirror.local..5000": string(encoded(ofRegistry)), "bad.local": "no certificate",
	}}
	if _, err := f.core.CoreV1().ConfigMaps("openshift-config").Create(t.Context(), configMap, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	want("mirror.local:5000", ofProxy, ofRegistry)
	want("mirror.local", ofProxy)
	wantError("bad.local", `key "bad.local" of ConfigMap "openshift-config/registries", which additionalTrustedCA of Image "cluster" names, has no certificate in PEM format`)
	write([]byte("no certificate"))
	wantError("mirror.local", `has no certificate in PEM format; correct the ConfigMap that spec.trustedCA of Proxy "cluster" names`)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	want("mirror.local:5000", ofRegistry)
	f.core.PrependReactor("get", "configmaps", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewServiceUnavailable("starting")
	})
	wantError("mirror.local", `reading ConfigMap "openshift-config/registries"`)
}

// certificate returns the certificate of a new authority.
func certificate(t *testing.T) *x509.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(raw)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func encoded(of *x509.Certificate) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: of.Raw})
}
