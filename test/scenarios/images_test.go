package scenarios

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	ggcr "github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	imagemutate "github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/localcatalog"
	"github.com/openshift/platform-operators/test/samples"
)

// startRegistry starts a registry on the story's network, which runs until the story ends.
func (s *Story) startRegistry(withTLS bool) *localcatalog.Registry {
	s.Helper()
	registry, err := localcatalog.StartRegistryOn(&s.network, withTLS)
	s.Expect(err).NotTo(HaveOccurred())
	s.Defer(registry.Close)
	return registry
}

// transport returns a transport that reaches registries on the story's network.
func (s *Story) transport() http.RoundTripper {
	transport := &http.Transport{DialContext: s.network.DialContext}
	s.Defer(transport.CloseIdleConnections)
	return transport
}

// pushBundle pushes the bundle of a sample operator, and returns the image's references.
func (s *Story) pushBundle(ctx context.Context, registry *localcatalog.Registry, repository string, operator samples.Operator) (byTag, byDigest string) {
	s.Helper()
	dir := s.T.TempDir()
	s.Expect(samples.Write(dir, operator)).To(Succeed())
	byTag, byDigest, err := registry.Push(ctx, repository, operator.Version, filepath.Join(dir, "bundles", operator.Package, operator.Version))
	s.Expect(err).NotTo(HaveOccurred())
	return byTag, byDigest
}

// deployFrom creates a BundleDeployment with an image source. Its namespace has its name.
func (s *Story) deployFrom(ctx context.Context, name string, source corev1alpha2.ImageSource) {
	s.Helper()
	_, err := s.Admin.Platform.CoreV1alpha2().BundleDeployments().Create(ctx, &corev1alpha2.BundleDeployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1alpha2.BundleDeploymentSpec{
			InstallNamespace: name, ProvisionerClassName: corev1alpha2.ProvisionerClassRegistry,
			Source: corev1alpha2.BundleSource{Type: corev1alpha2.SourceTypeImage, Image: &source},
		},
	}, metav1.CreateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
}

// waitForUnpacked waits for the condition Unpacked of a BundleDeployment, as waitForCondition does.
func (s *Story) waitForUnpacked(ctx context.Context, name, statusAndReason string, words ...string) {
	s.Helper()
	s.waitForCondition(ctx, name, corev1alpha2.ConditionUnpacked, statusAndReason, words...)
}

// createPullSecret creates or replaces a pull secret for a registry.
func (s *Story) createPullSecret(ctx context.Context, secret types.NamespacedName, host, user, password string) {
	s.Helper()
	login := base64.StdEncoding.EncodeToString([]byte(user + ":" + password))
	config, err := json.Marshal(map[string]any{"auths": map[string]any{host: map[string]any{"auth": login}}})
	s.Expect(err).NotTo(HaveOccurred())
	client := s.Admin.Kubernetes.CoreV1().Secrets(secret.Namespace)
	s.Expect(ignoreNotFound(client.Delete(ctx, secret.Name, metav1.DeleteOptions{}))).To(Succeed())
	_, err = client.Create(ctx, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: secret.Name}, Type: corev1.SecretTypeDockerConfigJson,
		Data: map[string][]byte{corev1.DockerConfigJsonKey: config},
	}, metav1.CreateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
}

// attempts has the times at which note was called. It is safe for concurrent use.
type attempts struct {
	lock  sync.Mutex
	times []time.Time
}

func (a *attempts) note() {
	a.lock.Lock()
	defer a.lock.Unlock()
	a.times = append(a.times, time.Now())
}

// waits returns the durations between successive attempts.
func (a *attempts) waits() (waits []time.Duration) {
	a.lock.Lock()
	defer a.lock.Unlock()
	for i := 1; i < len(a.times); i++ {
		waits = append(waits, a.times[i].Sub(a.times[i-1]))
	}
	return waits
}

// pushLayer pushes an image of one layer, with one entry without content. It returns the image's reference.
func (s *Story) pushLayer(ctx context.Context, registry *localcatalog.Registry, repository string, entry tar.Header) (byDigest string) {
	s.Helper()
	var content bytes.Buffer
	s.Expect(tar.NewWriter(&content).WriteHeader(&entry)).To(Succeed())
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content.Bytes())), nil })
	s.Expect(err).NotTo(HaveOccurred())
	image, err := imagemutate.AppendLayers(empty.Image, layer)
	s.Expect(err).NotTo(HaveOccurred())
	tag, err := ggcr.NewTag(registry.Host() + "/" + repository + ":hostile")
	s.Expect(err).NotTo(HaveOccurred())
	s.Expect(remote.Write(tag, image, remote.WithContext(ctx), remote.WithTransport(s.transport()))).To(Succeed())
	digest, err := image.Digest()
	s.Expect(err).NotTo(HaveOccurred())
	return tag.Context().Digest(digest.String()).Name()
}

// collectStatuses starts to collect the statuses of a BundleDeployment. The returned function ends the collection and returns the statuses.
func (s *Story) collectStatuses(ctx context.Context, name string) func() []corev1alpha2.BundleDeploymentStatus {
	s.Helper()
	watcher, err := s.Admin.Platform.CoreV1alpha2().BundleDeployments().Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + name})
	s.Expect(err).NotTo(HaveOccurred())
	var seen []corev1alpha2.BundleDeploymentStatus
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for event := range watcher.ResultChan() {
			if live, ok := event.Object.(*corev1alpha2.BundleDeployment); ok {
				seen = append(seen, live.Status)
			}
		}
	}()
	return func() []corev1alpha2.BundleDeploymentStatus {
		watcher.Stop()
		<-ended
		return seen
	}
}

func TestImages(t *testing.T) {
	t.Parallel()
	// Promise ENG-S2: The manager pulls with a pull secret, with a certificate authority from the spec, and over plain HTTP where the
	// spec allows it. A rotated pull secret takes effect without a restart.
	runStory(t, "ENG-S2 images are pulled with a pull secret, a custom CA or over plain HTTP, and a rotated secret needs no restart", defaultOperators, func(ctx context.Context, s *Story) {
		registry := s.startRegistry(true)
		byTag, _ := s.pushBundle(ctx, registry, "private/sealed", samples.Operator{Package: "sealed", Version: "1.0.0"})
		registry.Require("robot", "first")
		source := corev1alpha2.ImageSource{Ref: byTag}

		s.By("pulling from a registry with an unknown CA")
		s.deployFrom(ctx, "sealed-untrusted", source)
		s.waitForUnpacked(ctx, "sealed-untrusted", "False UnpackFailed", "x509", "certificateData")

		s.By("naming its CA without credentials")
		source.CertificateData = registry.Authority()
		s.deployFrom(ctx, "sealed-anonymous", source)
		s.waitForUnpacked(ctx, "sealed-anonymous", "False UnpackFailed", "401", "pull secret")

		s.By("naming a pull secret before it exists")
		source.PullSecret = "sealed-robot"
		s.deployFrom(ctx, "sealed", source)
		s.waitForUnpacked(ctx, "sealed", "False UnpackFailed", `"openshift-platform-operators/sealed-robot" does not exist`)
		s.createPullSecret(ctx, types.NamespacedName{Namespace: environment.Namespace, Name: "sealed-robot"}, registry.Host(), "robot", "first")
		s.waitForUnpacked(ctx, "sealed", "True UnpackSuccessful")

		s.By("rotating the credentials")
		registry.Require("robot", "second")
		s.deployFrom(ctx, "sealed-rotated", source)
		s.waitForUnpacked(ctx, "sealed-rotated", "False UnpackFailed", "401")
		s.createPullSecret(ctx, types.NamespacedName{Namespace: environment.Namespace, Name: "sealed-robot"}, registry.Host(), "robot", "second")
		s.waitForUnpacked(ctx, "sealed-rotated", "True UnpackSuccessful")

		s.By("pulling from a loopback registry over plain HTTP, with credentials for a part of it")
		plain := s.startRegistry(false)
		byTag, _ = s.pushBundle(ctx, plain, "private/plain", samples.Operator{Package: "plainly", Version: "1.0.0"})
		plain.Require("robot", "third")
		s.createPullSecret(ctx, types.NamespacedName{Namespace: environment.Namespace, Name: "plain-robot"}, plain.Host()+"/private", "robot", "third")
		s.deployFrom(ctx, "plainly", corev1alpha2.ImageSource{Ref: byTag, PullSecret: "plain-robot", InsecureSkipTLSVerify: true})
		s.waitForUnpacked(ctx, "plainly", "True UnpackSuccessful")
	})

	runStory(t, "images are pulled with the cluster's global pull secret if the source names none", defaultOperators, func(ctx context.Context, s *Story) {
		registry := s.startRegistry(false)
		byTag, _ := s.pushBundle(ctx, registry, "bundles/global", samples.Operator{Package: "globally", Version: "1.0.0"})
		registry.Require("robot", "global")
		s.deployFrom(ctx, "globally", corev1alpha2.ImageSource{Ref: byTag})
		s.waitForUnpacked(ctx, "globally", "False UnpackFailed", "401")
		s.createPullSecret(ctx, types.NamespacedName{Namespace: "openshift-config", Name: "pull-secret"}, registry.Host(), "robot", "global")
		s.waitForUnpacked(ctx, "globally", "True UnpackSuccessful")
	})

	// Promise ENG-S3: When a pull fails (401, 404, 500, a reset connection, a wrong digest, silence for a minute), `Unpacked` names the
	// cause and the manager retries with growing delays. Other BundleDeployments unpack meanwhile.
	runStory(t, "ENG-S3 a failed pull has a reason, is retried, and delays no other pull", defaultOperators, func(ctx context.Context, s *Story) {
		const minute = 60 * time.Second
		answer := func(status int) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
		}
		faults := map[string]struct {
			what   string
			answer http.HandlerFunc
			words  []string
		}{
			"gone":    {"manifests", answer(http.StatusNotFound), []string{"404", "correct the reference"}},
			"private": {"manifests", answer(http.StatusUnauthorized), []string{"401", "pull secret"}},
			"failing": {"blobs", answer(http.StatusInternalServerError), []string{"500 Internal Server Error", "the manager retries"}},
			"reset": {"blobs", func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", "100000")
				_, _ = w.Write([]byte("half"))
				_ = http.NewResponseController(w).Flush() // otherwise nothing is sent
				panic(http.ErrAbortHandler)
			}, []string{"unexpected EOF", "the manager retries"}},
			"mismatch": {"blobs", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("something else")) },
				[]string{"sha256", "the registry's storage"}},
		}
		slow, faulty := s.startRegistry(false), s.startRegistry(false)
		s.By("pulling more images at once than there are workers, from a registry that does not answer")
		slow.Hold(true)
		held := time.Now()
		slowTag, _ := s.pushBundle(ctx, slow, "bundles/slow", samples.Operator{Package: "slow", Version: "1.0.0"})
		for i := range 6 {
			s.deployFrom(ctx, fmt.Sprintf("slow-%d", i), corev1alpha2.ImageSource{Ref: slowTag})
		}
		s.waitForUnpacked(ctx, "slow-5", "Unknown Unpacking", slowTag)

		s.By("pulling from a registry with other faults")
		var tries attempts
		for name, answer := range map[string]http.HandlerFunc{
			"stubborn": func(w http.ResponseWriter, _ *http.Request) { tries.note(); w.WriteHeader(http.StatusBadGateway) },
			"hanging":  func(_ http.ResponseWriter, request *http.Request) { <-request.Context().Done() },
		} {
			byTag, _ := s.pushBundle(ctx, faulty, "bundles/"+name, samples.Operator{Package: "fault-" + name, Version: "1.0.0"})
			faulty.Handle("bundles/"+name+"/manifests", answer)
			s.deployFrom(ctx, "fault-"+name, corev1alpha2.ImageSource{Ref: byTag})
		}
		s.waitForUnpacked(ctx, "fault-hanging", "Unknown Unpacking")
		for name, fault := range faults {
			byTag, _ := s.pushBundle(ctx, faulty, "bundles/"+name, samples.Operator{Package: "fault-" + name, Version: "1.0.0"})
			faulty.Handle("bundles/"+name+"/"+fault.what, fault.answer)
			s.deployFrom(ctx, "fault-"+name, corev1alpha2.ImageSource{Ref: byTag})
		}
		for name, fault := range faults {
			s.waitForUnpacked(ctx, "fault-"+name, "False UnpackFailed", fault.words...)
			faulty.Handle("bundles/"+name+"/"+fault.what, nil)
		}
		for name := range faults {
			s.waitForUnpacked(ctx, "fault-"+name, "True UnpackSuccessful")
		}
		s.Expect(time.Since(held)).To(BeNumerically("<", minute), "the slow registry must have been slow all the time")
		s.Expect(s.conditionOf(ctx, "fault-hanging", corev1alpha2.ConditionUnpacked)).To(HavePrefix("Unknown Unpacking"), "and the image of the faulty one")

		s.By("waiting a minute for the slow registry")
		s.Eventually(s.conditionOf).WithContext(ctx).WithTimeout(2*minute).WithArguments("slow-0", corev1alpha2.ConditionUnpacked).
			Should(And(HavePrefix("False UnpackFailed: "), ContainSubstring("sent nothing for 1m0s")))
		slow.Hold(false)
		s.waitForUnpacked(ctx, "fault-stubborn", "False UnpackFailed", "502 Bad Gateway", "the manager retries")
		waits := tries.waits()
		s.Expect(len(waits)).To(BeNumerically(">=", 2), "attempts to pull an image that always fails")
		for i, wait := range waits {
			s.Expect(wait).To(BeNumerically(">", 4*time.Second<<i), "wait %d of %v: each is twice as long as the one before", i+1, waits)
		}
		for i := range 6 {
			s.Eventually(s.conditionOf).WithContext(ctx).WithTimeout(2*minute).WithArguments(fmt.Sprintf("slow-%d", i), corev1alpha2.ConditionUnpacked).
				Should(ContainSubstring("True UnpackSuccessful"))
		}
	})

	// Promise ENG-S9: The manager refuses an image with a path or link out of its root, a device, a sparse or oversized file, a
	// decompression bomb, or too many or duplicate entries. The error names the entry, and nothing stays on disk.
	runStory(t, "ENG-S9 a hostile image is refused with the entry named, leaves nothing on disk, and can be replaced", defaultOperators, func(ctx context.Context, s *Story) {
		registry := s.startRegistry(false)
		hostile := map[string]struct {
			entry tar.Header
			words []string
		}{
			"hostile-climbing": {tar.Header{Name: "../../../evil", Typeflag: tar.TypeReg, Mode: 0o644}, []string{`entry "../../../evil" leaves the image's content`}},
			"hostile-linking":  {tar.Header{Name: "manifests", Typeflag: tar.TypeSymlink, Linkname: "../../../manager.log"}, []string{`entry "manifests" is a link to "../../../manager.log"`}},
			"hostile-large":    {tar.Header{Name: "manifests/large.yaml", Typeflag: tar.TypeReg, Mode: 0o644, Size: 10 << 30}, []string{`entry "manifests/large.yaml" has 10737418240 bytes`}},
		}
		process := s.Manager
		for name, image := range hostile {
			s.deployFrom(ctx, name, corev1alpha2.ImageSource{Ref: s.pushLayer(ctx, registry, "bundles/"+name, image.entry)})
		}
		for name, image := range hostile {
			s.waitForUnpacked(ctx, name, "False UnpackFailed", append(image.words, "publish it under a new reference")...)
			s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False Blocked")
		}
		s.Expect(s.Manager).To(BeIdenticalTo(process), "the manager was not started again")
		s.Expect(process.IsRunning()).To(BeTrue(), "the manager runs")
		for _, place := range []string{s.Environment.Dir, filepath.Join(s.Environment.Dir, "content"), filepath.Join(s.Environment.Dir, "content", "*"), filepath.Join(s.Environment.Dir, "content", "*", "*")} {
			s.Expect(filepath.Glob(filepath.Join(place, "evil"))).To(BeEmpty())
			s.Expect(filepath.Glob(filepath.Join(place, ".unfinished-*"))).To(BeEmpty(), "unfinished content")
		}

		s.By("correcting one of the images")
		good, _ := s.pushBundle(ctx, registry, "bundles/hostile-no-more", samples.Operator{Package: "hostile-climbing", Version: "1.0.0"})
		s.setImage(ctx, "hostile-climbing", good)
		s.waitForCondition(ctx, "hostile-climbing", corev1alpha2.ConditionProgressing, "False AsExpected")
	})

	// Promise ENG-S10: The manager pulls and stores an image digest once for 50 BundleDeployments, whether they need it at the same time
	// or one after the other.
	runStory(t, "ENG-S10 an image of one digest is pulled once and stored once, for concurrent and later requests", defaultOperators, func(ctx context.Context, s *Story) {
		const half = 25
		registry := s.startRegistry(false)
		_, byDigest := s.pushBundle(ctx, registry, "bundles/popular", samples.Operator{Package: "popular", Version: "1.0.0"})
		registry.Hold(true)
		for i := range half {
			s.deployFrom(ctx, fmt.Sprintf("popular-%d", i), corev1alpha2.ImageSource{Ref: byDigest})
		}
		s.waitForUnpacked(ctx, fmt.Sprintf("popular-%d", half-1), "Unknown Unpacking")
		registry.Hold(false)
		for i := range half {
			s.waitForUnpacked(ctx, fmt.Sprintf("popular-%d", i), "True UnpackSuccessful")
		}
		for i := half; i < 2*half; i++ {
			s.deployFrom(ctx, fmt.Sprintf("popular-%d", i), corev1alpha2.ImageSource{Ref: byDigest})
		}
		for i := half; i < 2*half; i++ {
			s.waitForUnpacked(ctx, fmt.Sprintf("popular-%d", i), "True UnpackSuccessful")
		}
		s.Expect(registry.Requests("bundles/popular", "manifests")).To(Equal(1))
		s.Expect(registry.Requests("bundles/popular", "blobs")).To(Equal(2), "a bundle image has two layers")
		_, digest, _ := strings.Cut(byDigest, "@")
		stored, err := filepath.Glob(filepath.Join(s.Environment.Dir, "content", "*"))
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(stored).To(ContainElement(HaveSuffix(strings.Replace(digest, ":", "-", 1))))
		for _, each := range stored {
			s.Expect(filepath.Base(each)).To(HavePrefix("sha256-"), "half-written content is left behind")
		}
	})

	// Promise ENG-S11: An installed BundleDeployment does not need its registry. When the tag moves or the registry is gone, and the
	// manager restarts with an empty disk, drift repair works and `Unpacked` and `Installed` do not change.
	runStory(t, "ENG-S11 an installed image is not needed again after the tag moves, the registry ends or the manager restarts", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "orphaned"
		registry := s.startRegistry(false)
		byTag, _ := s.pushBundle(ctx, registry, "bundles/"+name, samples.Operator{Package: name, Version: "1.0.0", ExtraConfigMap: name + "-settings"})
		s.deployFrom(ctx, name, corev1alpha2.ImageSource{Ref: byTag})
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		was := s.statusOf(ctx, name)
		asked := registry.Requests("bundles/"+name, "manifests") + registry.Requests("bundles/"+name, "blobs")
		statuses := s.collectStatuses(ctx, name)
		repaired := func() {
			s.Helper()
			s.Expect(s.Admin.Kubernetes.CoreV1().ConfigMaps(name).Delete(ctx, name+"-settings", metav1.DeleteOptions{})).To(Succeed())
			if s.Manager == nil {
				s.StartManager()
			}
			s.Eventually(s.configMapExists).WithContext(ctx).WithArguments(name, name+"-settings").Should(Succeed())
		}

		for _, what := range []string{"moving the tag", "closing the registry"} {
			s.By(what + ", and restarting the manager without its content directory")
			if what == "moving the tag" {
				s.pushBundle(ctx, registry, "bundles/"+name, samples.Operator{Package: name, Version: "1.0.0", ExtraConfigMap: name + "-other"})
			} else {
				registry.Close()
			}
			s.KillManager()
			s.Expect(os.RemoveAll(filepath.Join(s.Environment.Dir, "content"))).To(Succeed())
			repaired()
			repaired()
			s.Consistently(s.configMapExists).WithContext(ctx).WithArguments(name, name+"-other").Should(beNotFound())
			s.Expect(registry.Requests("bundles/"+name, "manifests")+registry.Requests("bundles/"+name, "blobs")).To(Equal(asked), "the registry gets no request")
		}

		seen := statuses()
		s.Expect(len(seen)).To(BeNumerically(">", 2), "repairs are reported in status, so it was written")
		for i, status := range seen {
			at := fmt.Sprintf("status %d of %d: %+v", i+1, len(seen), status)
			s.Expect(status.ActiveRevision).To(Equal(was.ActiveRevision), at)
			s.Expect(status.ResolvedSource).To(Equal(was.ResolvedSource), at)
			s.Expect(meta.FindStatusCondition(status.Conditions, corev1alpha2.ConditionUnpacked)).To(Equal(meta.FindStatusCondition(was.Conditions, corev1alpha2.ConditionUnpacked)), at)
			s.Expect(meta.IsStatusConditionTrue(status.Conditions, corev1alpha2.ConditionInstalled)).To(BeTrue(), at)
		}
	})
}

func TestBundle(t *testing.T) {
	t.Parallel()
	bundleOf := func(name, class string, source corev1alpha2.ImageSource) *corev1alpha2.Bundle {
		return &corev1alpha2.Bundle{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: corev1alpha2.BundleSpec{
				ProvisionerClassName: class,
				Source:               corev1alpha2.BundleSource{Type: corev1alpha2.SourceTypeImage, Image: &source},
			},
		}
	}
	create := func(ctx context.Context, s *Story, bundle *corev1alpha2.Bundle) {
		s.Helper()
		client := s.Admin.Platform.CoreV1alpha2().Bundles()
		_, err := client.Create(ctx, bundle, metav1.CreateOptions{})
		s.Expect(err).NotTo(HaveOccurred())
	}
	status := func(ctx context.Context, s *Story, name string) (corev1alpha2.BundleStatus, error) {
		live, err := s.Admin.Platform.CoreV1alpha2().Bundles().Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return corev1alpha2.BundleStatus{}, err
		}
		return live.Status, nil
	}
	reason := func(ctx context.Context, s *Story, name string) (string, error) {
		found, err := status(ctx, s, name)
		condition := meta.FindStatusCondition(found.Conditions, corev1alpha2.ConditionUnpacked)
		if err != nil || condition == nil {
			return "", err
		}
		return fmt.Sprintf("%s %s %s: %s", found.Phase, condition.Status, condition.Reason, condition.Message), nil
	}

	runStory(t, "a Bundle reports the content of its image, which a BundleDeployment does not pull again", defaultOperators, func(ctx context.Context, s *Story) {
		registry := s.startRegistry(false)
		byTag, byDigest := s.pushBundle(ctx, registry, "bundles/staged", samples.Operator{Package: "staged", Version: "1.2.3"})
		create(ctx, s, bundleOf("staged", corev1alpha2.ProvisionerClassRegistry, corev1alpha2.ImageSource{Ref: byTag}))
		s.Eventually(reason).WithContext(ctx).WithArguments(s, "staged").Should(HavePrefix("Unpacked True UnpackSuccessful"))
		found, err := status(ctx, s, "staged")
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(found.ResolvedSource.Image.Ref).To(Equal(byDigest))
		s.Expect(byDigest).To(HaveSuffix(found.Digest))
		s.Expect([]string{found.Format, found.Package, found.Version}).To(Equal([]string{"registry+v1", "staged", "1.2.3"}))
		s.Expect(found.Objects).To(BeNumerically(">", 1))
		s.Expect(found.Bytes).To(BeNumerically(">", 100))

		blobs := registry.Requests("bundles/staged", "blobs")
		s.Expect(blobs).To(Equal(2))
		s.deployFrom(ctx, "staged", corev1alpha2.ImageSource{Ref: byDigest})
		s.waitForUnpacked(ctx, "staged", "True UnpackSuccessful")
		s.Expect(registry.Requests("bundles/staged", "blobs")).To(Equal(blobs))
	})

	runStory(t, "a Bundle waits for its class, and reports why its content cannot be read", defaultOperators, func(ctx context.Context, s *Story) {
		registry := s.startRegistry(false)
		byTag, _ := s.pushBundle(ctx, registry, "bundles/waiting", samples.Operator{Package: "waiting", Version: "1.0.0"})
		create(ctx, s, bundleOf("waiting", "later", corev1alpha2.ImageSource{Ref: byTag}))
		s.Eventually(reason).WithContext(ctx).WithArguments(s, "waiting").Should(HavePrefix(`Pending Unknown ProvisionerNotFound: No provisioner class "later"`))
		registry.Handle("bundles/waiting/manifests", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) })
		client := s.Admin.Platform.CoreV1alpha2().ProvisionerClasses()
		_, err := client.Create(ctx, &corev1alpha2.ProvisionerClass{
			ObjectMeta: metav1.ObjectMeta{Name: "later"},
			Spec:       corev1alpha2.ProvisionerClassSpec{Provisioner: corev1alpha2.ProvisionerRegistry},
		}, metav1.CreateOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Eventually(reason).WithContext(ctx).WithArguments(s, "waiting").Should(And(HavePrefix("Failing False UnpackFailed"), ContainSubstring("404")))
		registry.Handle("bundles/waiting/manifests", nil)
		s.Eventually(reason).WithContext(ctx).WithArguments(s, "waiting").Should(HavePrefix("Unpacked True UnpackSuccessful"))
	})
}
