package integration

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
	"time"

	ggcr "github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	imagemutate "github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	. "github.com/onsi/ginkgo/v2"
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

// registryOfItsOwn starts a registry for one spec.
func registryOfItsOwn(withTLS bool) *localcatalog.Registry {
	registry := localcatalog.StartRegistry(withTLS)
	DeferCleanup(registry.Close)
	return registry
}

// pushed writes the bundle of a sample operator and pushes it.
func pushed(ctx context.Context, registry *localcatalog.Registry, repository string, operator samples.Operator) (byTag, byDigest string) {
	GinkgoHelper()
	dir := GinkgoT().TempDir()
	Expect(samples.Write(dir, operator)).To(Succeed())
	byTag, byDigest, err := registry.Push(ctx, repository, operator.Version, filepath.Join(dir, "bundles", operator.Package, operator.Version))
	Expect(err).NotTo(HaveOccurred())
	return byTag, byDigest
}

// sourced creates a BundleDeployment with a source, and removes it after the spec.
func sourced(ctx context.Context, name string, source corev1alpha2.ImageSource) {
	GinkgoHelper()
	_, err := admin.Platform.CoreV1alpha2().BundleDeployments().Create(ctx, &corev1alpha2.BundleDeployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1alpha2.BundleDeploymentSpec{
			InstallNamespace: name, ProvisionerClassName: corev1alpha2.ProvisionerClassRegistry,
			Source: corev1alpha2.BundleSource{Type: corev1alpha2.SourceTypeImage, Image: &source},
		},
	}, metav1.CreateOptions{})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(undeploy, name)
}

// unpackedSays waits until the Unpacked condition has all these words.
func unpackedSays(ctx context.Context, name string, words ...string) {
	GinkgoHelper()
	var all []OmegaMatcher
	for _, word := range words {
		all = append(all, ContainSubstring(word))
	}
	Eventually(conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionUnpacked).Should(And(all...))
}

// credentials puts a pull secret for a registry in its place.
func credentials(ctx context.Context, secret types.NamespacedName, host, user, password string) {
	GinkgoHelper()
	login := base64.StdEncoding.EncodeToString([]byte(user + ":" + password))
	config, err := json.Marshal(map[string]any{"auths": map[string]any{host: map[string]any{"auth": login}}})
	Expect(err).NotTo(HaveOccurred())
	client := admin.Kubernetes.CoreV1().Secrets(secret.Namespace)
	Expect(ignoreNotFound(client.Delete(ctx, secret.Name, metav1.DeleteOptions{}))).To(Succeed())
	_, err = client.Create(ctx, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: secret.Name}, Type: corev1.SecretTypeDockerConfigJson,
		Data: map[string][]byte{corev1.DockerConfigJsonKey: config},
	}, metav1.CreateOptions{})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func(ctx context.Context) {
		Expect(ignoreNotFound(client.Delete(ctx, secret.Name, metav1.DeleteOptions{}))).To(Succeed())
	})
}

// attempts is when something was tried.
type attempts struct {
	lock  sync.Mutex
	times []time.Time
}

func (a *attempts) note() {
	a.lock.Lock()
	defer a.lock.Unlock()
	a.times = append(a.times, time.Now())
}

// waits is how long nothing was tried in between.
func (a *attempts) waits() (waits []time.Duration) {
	a.lock.Lock()
	defer a.lock.Unlock()
	for i := 1; i < len(a.times); i++ {
		waits = append(waits, a.times[i].Sub(a.times[i-1]))
	}
	return waits
}

// layered pushes an image of one layer with one entry, whose content is not there.
func layered(ctx context.Context, registry *localcatalog.Registry, repository string, entry tar.Header) (byDigest string) {
	GinkgoHelper()
	var content bytes.Buffer
	Expect(tar.NewWriter(&content).WriteHeader(&entry)).To(Succeed())
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content.Bytes())), nil })
	Expect(err).NotTo(HaveOccurred())
	image, err := imagemutate.AppendLayers(empty.Image, layer)
	Expect(err).NotTo(HaveOccurred())
	tag, err := ggcr.NewTag(registry.Host() + "/" + repository + ":hostile")
	Expect(err).NotTo(HaveOccurred())
	Expect(remote.Write(tag, image, remote.WithContext(ctx))).To(Succeed())
	digest, err := image.Digest()
	Expect(err).NotTo(HaveOccurred())
	return tag.Context().Digest(digest.String()).Name()
}

// statusesOf collects every status that a BundleDeployment has from now on, until they are asked for.
func statusesOf(ctx context.Context, name string) func() []corev1alpha2.BundleDeploymentStatus {
	GinkgoHelper()
	watcher, err := admin.Platform.CoreV1alpha2().BundleDeployments().Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + name})
	Expect(err).NotTo(HaveOccurred())
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

func exited(manager *environment.Manager) bool {
	select {
	case <-manager.Exited():
		return true
	default:
		return false
	}
}

var _ = Describe("images", func() {
	It("ENG-S2 are pulled from a private registry with a pull secret, a custom authority or plain HTTP, and a rotated secret needs no restart", func(ctx context.Context) {
		registry := registryOfItsOwn(true)
		byTag, _ := pushed(ctx, registry, "private/sealed", samples.Operator{Package: "sealed", Version: "1.0.0"})
		registry.Require("robot", "first")
		source := corev1alpha2.ImageSource{Ref: byTag}

		By("nobody vouching for the registry")
		sourced(ctx, "sealed-untrusted", source)
		unpackedSays(ctx, "sealed-untrusted", "UnpackFailed", "x509", "certificateData")

		By("its authority being given, and no credentials")
		source.CertificateData = registry.Authority()
		sourced(ctx, "sealed-anonymous", source)
		unpackedSays(ctx, "sealed-anonymous", "UnpackFailed", "401", "pull secret")

		By("a pull secret that is not there, and then is")
		source.PullSecret = "sealed-robot"
		sourced(ctx, "sealed", source)
		unpackedSays(ctx, "sealed", "UnpackFailed", `"openshift-platform-operators/sealed-robot" is not there`)
		credentials(ctx, types.NamespacedName{Namespace: environment.Namespace, Name: "sealed-robot"}, registry.Host(), "robot", "first")
		unpackedSays(ctx, "sealed", "True UnpackSuccessful")

		By("rotating the credentials")
		registry.Require("robot", "second")
		sourced(ctx, "sealed-rotated", source)
		unpackedSays(ctx, "sealed-rotated", "UnpackFailed", "401")
		credentials(ctx, types.NamespacedName{Namespace: environment.Namespace, Name: "sealed-robot"}, registry.Host(), "robot", "second")
		unpackedSays(ctx, "sealed-rotated", "True UnpackSuccessful")

		By("a registry in plain HTTP, which loopback may always speak, with credentials for a part of it")
		plain := registryOfItsOwn(false)
		byTag, _ = pushed(ctx, plain, "private/plain", samples.Operator{Package: "plainly", Version: "1.0.0"})
		plain.Require("robot", "third")
		credentials(ctx, types.NamespacedName{Namespace: environment.Namespace, Name: "plain-robot"}, plain.Host()+"/private", "robot", "third")
		sourced(ctx, "plainly", corev1alpha2.ImageSource{Ref: byTag, PullSecret: "plain-robot", InsecureSkipTLSVerify: true})
		unpackedSays(ctx, "plainly", "True UnpackSuccessful")
	})

	It("are pulled with the cluster's global pull secret where the source names none", func(ctx context.Context) {
		registry := registryOfItsOwn(false)
		byTag, _ := pushed(ctx, registry, "bundles/global", samples.Operator{Package: "globally", Version: "1.0.0"})
		registry.Require("robot", "global")
		sourced(ctx, "globally", corev1alpha2.ImageSource{Ref: byTag})
		unpackedSays(ctx, "globally", "UnpackFailed", "401")
		credentials(ctx, types.NamespacedName{Namespace: "openshift-config", Name: "pull-secret"}, registry.Host(), "robot", "global")
		unpackedSays(ctx, "globally", "True UnpackSuccessful")
	})

	It("ENG-S3 that cannot be pulled have a reason, are tried again, and hold nobody else up", startEarly, func(ctx context.Context) {
		const minute = 60 * time.Second
		answer := func(status int) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
		}
		faults := map[string]struct {
			what   string
			answer http.HandlerFunc
			words  []string
		}{
			"gone":    {"manifests", answer(http.StatusNotFound), []string{"404", "check the reference"}},
			"private": {"manifests", answer(http.StatusUnauthorized), []string{"401", "pull secret"}},
			"failing": {"blobs", answer(http.StatusInternalServerError), []string{"500 Internal Server Error", "tried again"}},
			"reset": {"blobs", func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", "100000")
				_, _ = w.Write([]byte("half"))
				_ = http.NewResponseController(w).Flush() // else nothing of it is sent
				panic(http.ErrAbortHandler)
			}, []string{"unexpected EOF", "tried again"}},
			"mismatch": {"blobs", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("something else")) },
				[]string{"sha256", "the registry's storage"}},
		}
		slow, faulty := registryOfItsOwn(false), registryOfItsOwn(false)
		By("more deployments than are fetched at once waiting for a registry that does not answer")
		slow.Hold(true)
		held := time.Now()
		slowTag, _ := pushed(ctx, slow, "bundles/slow", samples.Operator{Package: "slow", Version: "1.0.0"})
		for i := range 6 {
			sourced(ctx, fmt.Sprintf("slow-%d", i), corev1alpha2.ImageSource{Ref: slowTag})
		}
		unpackedSays(ctx, "slow-5", "Unknown Unpacking", slowTag)

		By("a registry with every other fault, one image that fails on, and one that never comes")
		var tries attempts
		for name, answer := range map[string]http.HandlerFunc{
			"stubborn": func(w http.ResponseWriter, _ *http.Request) { tries.note(); w.WriteHeader(http.StatusBadGateway) },
			"hanging":  func(_ http.ResponseWriter, request *http.Request) { <-request.Context().Done() },
		} {
			byTag, _ := pushed(ctx, faulty, "bundles/"+name, samples.Operator{Package: "fault-" + name, Version: "1.0.0"})
			faulty.Instead("bundles/"+name+"/manifests", answer)
			sourced(ctx, "fault-"+name, corev1alpha2.ImageSource{Ref: byTag})
		}
		unpackedSays(ctx, "fault-hanging", "Unknown Unpacking")
		for name, fault := range faults {
			byTag, _ := pushed(ctx, faulty, "bundles/"+name, samples.Operator{Package: "fault-" + name, Version: "1.0.0"})
			faulty.Instead("bundles/"+name+"/"+fault.what, fault.answer)
			sourced(ctx, "fault-"+name, corev1alpha2.ImageSource{Ref: byTag})
		}
		for name, fault := range faults {
			unpackedSays(ctx, "fault-"+name, append(fault.words, "False UnpackFailed")...)
			faulty.Instead("bundles/"+name+"/"+fault.what, nil)
		}
		for name := range faults {
			unpackedSays(ctx, "fault-"+name, "True UnpackSuccessful")
		}
		Expect(time.Since(held)).To(BeNumerically("<", minute), "the slow registry must have been slow all the time")
		Expect(conditionOf(ctx, "fault-hanging", corev1alpha2.ConditionUnpacked)).To(HavePrefix("Unknown Unpacking"), "and the image of the faulty one")

		By("the slow registry having been slow for a minute")
		Eventually(conditionOf).WithContext(ctx).WithTimeout(2*minute).WithArguments("slow-0", corev1alpha2.ConditionUnpacked).
			Should(And(ContainSubstring("UnpackFailed"), ContainSubstring("sent nothing for 1m0s")))
		slow.Hold(false)
		unpackedSays(ctx, "fault-stubborn", "False UnpackFailed", "502 Bad Gateway", "tried again")
		waits := tries.waits()
		Expect(len(waits)).To(BeNumerically(">=", 2), "tries of an image that fails on")
		for i, wait := range waits {
			Expect(wait).To(BeNumerically(">", 4*time.Second<<i), "wait %d of %v: each is twice as long as the one before", i+1, waits)
		}
		for i := range 6 {
			Eventually(conditionOf).WithContext(ctx).WithTimeout(2*minute).WithArguments(fmt.Sprintf("slow-%d", i), corev1alpha2.ConditionUnpacked).
				Should(ContainSubstring("True UnpackSuccessful"))
		}
	})

	It("ENG-S9 that are hostile are refused with the entry named, leave nothing on disk, and are replaced by good ones", func(ctx context.Context) {
		registry := registryOfItsOwn(false)
		hostile := map[string]struct {
			entry tar.Header
			words []string
		}{
			"hostile-climbing": {tar.Header{Name: "../../../evil", Typeflag: tar.TypeReg, Mode: 0o644}, []string{`entry "../../../evil" leaves the image's content`}},
			"hostile-linking":  {tar.Header{Name: "manifests", Typeflag: tar.TypeSymlink, Linkname: "../../../manager.log"}, []string{`entry "manifests" is a link to "../../../manager.log"`}},
			"hostile-large":    {tar.Header{Name: "manifests/large.yaml", Typeflag: tar.TypeReg, Mode: 0o644, Size: 10 << 30}, []string{`entry "manifests/large.yaml" has 10737418240 bytes`}},
		}
		process := env.Manager.PID()
		for name, image := range hostile {
			sourced(ctx, name, corev1alpha2.ImageSource{Ref: layered(ctx, registry, "bundles/"+name, image.entry)})
		}
		for name, image := range hostile {
			unpackedSays(ctx, name, append(image.words, "False UnpackFailed", "rebuild the image")...)
			says(ctx, name, corev1alpha2.ConditionProgressing, "False Blocked")
		}
		Expect(env.Manager.PID()).To(Equal(process))
		for _, place := range []string{env.Dir, filepath.Join(env.Dir, "content"), filepath.Join(env.Dir, "content", "*"), filepath.Join(env.Dir, "content", "*", "*")} {
			Expect(filepath.Glob(filepath.Join(place, "evil"))).To(BeEmpty())
			Expect(filepath.Glob(filepath.Join(place, ".unfinished-*"))).To(BeEmpty(), "what was unpacked by then")
		}

		By("giving one of them a good image")
		good, _ := pushed(ctx, registry, "bundles/hostile-no-more", samples.Operator{Package: "hostile-climbing", Version: "1.0.0"})
		movedTo(ctx, "hostile-climbing", good)
		says(ctx, "hostile-climbing", corev1alpha2.ConditionProgressing, "AsExpected")
	})

	It("ENG-S10 of one digest are pulled once and stored once, whether they are wanted at once or one after the other", func(ctx context.Context) {
		const half = 25
		registry := registryOfItsOwn(false)
		_, byDigest := pushed(ctx, registry, "bundles/popular", samples.Operator{Package: "popular", Version: "1.0.0"})
		registry.Hold(true)
		var names []string
		for i := range half {
			names = append(names, fmt.Sprintf("popular-%d", i), fmt.Sprintf("popular-%d", half+i))
			sourced(ctx, fmt.Sprintf("popular-%d", i), corev1alpha2.ImageSource{Ref: byDigest})
		}
		unpackedSays(ctx, fmt.Sprintf("popular-%d", half-1), "Unpacking")
		registry.Hold(false)
		for i := range half {
			unpackedSays(ctx, fmt.Sprintf("popular-%d", i), "True UnpackSuccessful")
		}
		for i := half; i < 2*half; i++ {
			sourced(ctx, fmt.Sprintf("popular-%d", i), corev1alpha2.ImageSource{Ref: byDigest})
		}
		goTogether(names, admin.Platform.CoreV1alpha2().BundleDeployments().Delete)
		for i := half; i < 2*half; i++ {
			unpackedSays(ctx, fmt.Sprintf("popular-%d", i), "True UnpackSuccessful")
		}
		Expect(registry.Requests("bundles/popular", "manifests")).To(Equal(1))
		Expect(registry.Requests("bundles/popular", "blobs")).To(Equal(2), "a bundle image has two layers")
		_, digest, _ := strings.Cut(byDigest, "@")
		stored, err := filepath.Glob(filepath.Join(env.Dir, "content", "*"))
		Expect(err).NotTo(HaveOccurred())
		Expect(stored).To(ContainElement(HaveSuffix(strings.Replace(digest, ":", "-", 1))))
		for _, each := range stored {
			Expect(filepath.Base(each)).To(HavePrefix("sha256-"), "half-written content is left behind")
		}
	})

	It("ENG-S11 are not needed any more once they are installed: the source goes, the manager restarts, and drift is repaired", func(ctx context.Context) {
		const name = "orphaned"
		registry := registryOfItsOwn(false)
		byTag, _ := pushed(ctx, registry, "bundles/"+name, samples.Operator{Package: name, Version: "1.0.0", ExtraConfigMap: name + "-settings"})
		sourced(ctx, name, corev1alpha2.ImageSource{Ref: byTag})
		says(ctx, name, corev1alpha2.ConditionProgressing, "AsExpected")
		was := statusOf(ctx, name)
		asked := registry.Requests("bundles/"+name, "manifests") + registry.Requests("bundles/"+name, "blobs")
		statuses := statusesOf(ctx, name)
		repaired := func() {
			GinkgoHelper()
			Expect(admin.Kubernetes.CoreV1().ConfigMaps(name).Delete(ctx, name+"-settings", metav1.DeleteOptions{})).To(Succeed())
			if exited(env.Manager) {
				Expect(env.Manager.Start()).To(Succeed())
			}
			Eventually(configMapExists).WithContext(ctx).WithArguments(name, name+"-settings").Should(Succeed())
		}

		for _, what := range []string{"the tag moving", "the registry going down"} {
			By(what + ", and the manager starting without its disk")
			if what == "the tag moving" {
				pushed(ctx, registry, "bundles/"+name, samples.Operator{Package: name, Version: "1.0.0", ExtraConfigMap: name + "-other"})
			} else {
				registry.Close()
			}
			Expect(env.Manager.Kill()).To(Succeed())
			Expect(os.RemoveAll(filepath.Join(env.Dir, "content"))).To(Succeed())
			repaired()
			repaired()
			Consistently(configMapExists).WithContext(ctx).WithArguments(name, name+"-other").Should(beNotFound())
			Expect(registry.Requests("bundles/"+name, "manifests")+registry.Requests("bundles/"+name, "blobs")).To(Equal(asked), "nobody asks the registry")
		}

		seen := statuses()
		Expect(len(seen)).To(BeNumerically(">", 2), "repairs are told in the status, so that it must have been written")
		for i, status := range seen {
			at := fmt.Sprintf("status %d of %d: %+v", i+1, len(seen), status)
			Expect(status.ActiveRevision).To(Equal(was.ActiveRevision), at)
			Expect(status.ResolvedSource).To(Equal(was.ResolvedSource), at)
			Expect(meta.FindStatusCondition(status.Conditions, corev1alpha2.ConditionUnpacked)).To(Equal(meta.FindStatusCondition(was.Conditions, corev1alpha2.ConditionUnpacked)), at)
			Expect(meta.IsStatusConditionTrue(status.Conditions, corev1alpha2.ConditionInstalled)).To(BeTrue(), at)
		}
	})
})

var _ = Describe("a Bundle", func() {
	bundleOf := func(name, class string, source corev1alpha2.ImageSource) *corev1alpha2.Bundle {
		return &corev1alpha2.Bundle{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: corev1alpha2.BundleSpec{
				ProvisionerClassName: class,
				Source:               corev1alpha2.BundleSource{Type: corev1alpha2.SourceTypeImage, Image: &source},
			},
		}
	}
	create := func(ctx context.Context, bundle *corev1alpha2.Bundle) {
		GinkgoHelper()
		client := admin.Platform.CoreV1alpha2().Bundles()
		_, err := client.Create(ctx, bundle, metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func(ctx context.Context) {
			Expect(client.Delete(ctx, bundle.Name, metav1.DeleteOptions{})).To(Succeed())
			_, err := client.Get(ctx, bundle.Name, metav1.GetOptions{})
			Expect(err).To(beNotFound(), "nothing holds it up")
		})
	}
	status := func(ctx context.Context, name string) (corev1alpha2.BundleStatus, error) {
		live, err := admin.Platform.CoreV1alpha2().Bundles().Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return corev1alpha2.BundleStatus{}, err
		}
		return live.Status, nil
	}
	reason := func(ctx context.Context, name string) (string, error) {
		found, err := status(ctx, name)
		condition := meta.FindStatusCondition(found.Conditions, corev1alpha2.ConditionUnpacked)
		if err != nil || condition == nil {
			return "", err
		}
		return fmt.Sprintf("%s %s %s: %s", found.Phase, condition.Status, condition.Reason, condition.Message), nil
	}

	It("says what is in an image, which a BundleDeployment of the same digest then does not pull again", func(ctx context.Context) {
		registry := registryOfItsOwn(false)
		byTag, byDigest := pushed(ctx, registry, "bundles/staged", samples.Operator{Package: "staged", Version: "1.2.3"})
		create(ctx, bundleOf("staged", corev1alpha2.ProvisionerClassRegistry, corev1alpha2.ImageSource{Ref: byTag}))
		Eventually(reason).WithContext(ctx).WithArguments("staged").Should(HavePrefix("Unpacked True UnpackSuccessful"))
		found, err := status(ctx, "staged")
		Expect(err).NotTo(HaveOccurred())
		Expect(found.ResolvedSource.Image.Ref).To(Equal(byDigest))
		Expect(byDigest).To(HaveSuffix(found.Digest))
		Expect([]string{found.Format, found.Package, found.Version}).To(Equal([]string{"registry+v1", "staged", "1.2.3"}))
		Expect(found.Objects).To(BeNumerically(">", 1))
		Expect(found.Bytes).To(BeNumerically(">", 100))

		blobs := registry.Requests("bundles/staged", "blobs")
		Expect(blobs).To(Equal(2))
		sourced(ctx, "staged", corev1alpha2.ImageSource{Ref: byDigest})
		unpackedSays(ctx, "staged", "True UnpackSuccessful")
		Expect(registry.Requests("bundles/staged", "blobs")).To(Equal(blobs))
	})

	It("waits for its class, and says why its content cannot be read", func(ctx context.Context) {
		registry := registryOfItsOwn(false)
		byTag, _ := pushed(ctx, registry, "bundles/waiting", samples.Operator{Package: "waiting", Version: "1.0.0"})
		create(ctx, bundleOf("waiting", "later", corev1alpha2.ImageSource{Ref: byTag}))
		Eventually(reason).WithContext(ctx).WithArguments("waiting").Should(HavePrefix(`Pending Unknown ProvisionerNotFound: No provisioner class "later"`))
		registry.Instead("bundles/waiting/manifests", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) })
		client := admin.Platform.CoreV1alpha2().ProvisionerClasses()
		_, err := client.Create(ctx, &corev1alpha2.ProvisionerClass{
			ObjectMeta: metav1.ObjectMeta{Name: "later"},
			Spec:       corev1alpha2.ProvisionerClassSpec{Provisioner: corev1alpha2.ProvisionerRegistry},
		}, metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func(ctx context.Context) { Expect(client.Delete(ctx, "later", metav1.DeleteOptions{})).To(Succeed()) })
		Eventually(reason).WithContext(ctx).WithArguments("waiting").Should(And(HavePrefix("Failing False UnpackFailed"), ContainSubstring("404")))
		registry.Instead("bundles/waiting/manifests", nil)
		Eventually(reason).WithContext(ctx).WithArguments("waiting").Should(HavePrefix("Unpacked True UnpackSuccessful"))
	})
})
