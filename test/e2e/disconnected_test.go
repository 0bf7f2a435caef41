package e2e

import (
	"context"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1 "github.com/openshift/api/config/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/localcatalog"
	"github.com/openshift/platform-operators/test/pages"
	"github.com/openshift/platform-operators/test/samples"
	"github.com/openshift/platform-operators/test/signing"
	"github.com/openshift/platform-operators/test/story"
)

// lantern is the name of the package that the disconnected cluster installs.
const lantern = "lantern"

// mirrorUser and mirrorPassword are credentials for the mirror, and sourcePassword is what connects a host to the source registry.
const mirrorUser, mirrorPassword, sourcePassword = "cluster", "mirror-secret", "connected-host"

// disconnectedCluster is a cluster that cannot reach the registry in the references of its bundles. An admin runs the commands of
// docs/disconnected.md in folder dir.
type disconnectedCluster struct {
	*story.Admin
	dir    string
	mirror *localcatalog.Registry
	signer signing.Signer
	values map[string]string
}

// sign signs a version in the source registry, from a connected host.
func (d *disconnectedCluster) sign(version string) {
	GinkgoHelper()
	ref, found := d.Environment.Catalog.Bundle(lantern, version)
	Expect(found).To(BeTrue())
	image, err := name.NewDigest(ref)
	Expect(err).NotTo(HaveOccurred())
	signature, err := d.signer.Sign(image.Context().Name(), image.DigestStr())
	Expect(err).NotTo(HaveOccurred())
	connected := remote.WithTransport(&authenticated{"connected", sourcePassword, http.DefaultTransport})
	Expect(signing.Attach(image, signing.ByTag, []signing.Signature{signature}, connected)).To(Succeed())
}

// runCommands runs the scripts [first:end] of a section of the page, and returns their output; end 0 means all.
func (d *disconnectedCluster) runCommands(ctx context.Context, section string, first, end int) string {
	GinkgoHelper()
	scripts, err := pages.Commands(filepath.Join(d.Environment.Root, "docs", "disconnected.md"), section)
	Expect(err).NotTo(HaveOccurred())
	if end == 0 {
		end = len(scripts)
	}
	var bundles []string
	for _, version := range []string{"1.0.0", "1.1.0", "1.2.0"} {
		if ref, found := d.Environment.Catalog.Bundle(lantern, version); found {
			bundles = append(bundles, ref)
		}
	}
	functions, err := ocMirror{
		Bundles: bundles, SourcePassword: sourcePassword, MirrorUser: mirrorUser, MirrorPassword: mirrorPassword, Authority: d.mirror.Authority(),
	}.shell()
	Expect(err).NotTo(HaveOccurred())
	var all strings.Builder
	for _, script := range scripts[first:end] {
		script = pages.Fill(script, d.values)
		shell := exec.CommandContext(ctx, "bash", "-c", "set -e -o pipefail\nkubectl() { "+d.Environment.Kubectl+" \"$@\"; }\n"+functions+script)
		shell.Dir = d.dir
		shell.Env = append(os.Environ(), "KUBECONFIG="+d.Environment.Kubeconfig)
		output, err := shell.CombinedOutput()
		Expect(err).NotTo(HaveOccurred(), "%s\n%s", script, output)
		all.Write(output)
	}
	return all.String()
}

// getConfigMap returns an error unless the ConfigMap of the operator exists in the cluster.
func (d *disconnectedCluster) getConfigMap(ctx context.Context) error {
	_, err := d.Kubernetes.CoreV1().ConfigMaps(lantern).Get(ctx, lantern+"-settings", metav1.GetOptions{})
	return err
}

var _ = Describe("a cluster that cannot reach the registries of its images [ENG-S13]", Ordered, func() {
	var d *disconnectedCluster
	BeforeAll(func(ctx context.Context) {
		d = &disconnectedCluster{dir: GinkgoT().TempDir(), mirror: localcatalog.StartRegistry(true)}
		DeferCleanup(d.mirror.Close)
		d.mirror.Require(mirrorUser, mirrorPassword)
		d.Admin = start(ctx, environment.Options{
			OpenShiftVersion: story.ClusterVersion, WithoutManager: true,
			Samples: []samples.Operator{{Package: lantern, Version: "1.0.0", ExtraConfigMap: lantern + "-settings"}},
		})
		d.Environment.Catalog.Disconnect(sourcePassword)
		var err error
		d.signer.Key, err = signing.NewKey()
		Expect(err).NotTo(HaveOccurred())
		public, err := d.signer.Key.Public()
		Expect(err).NotTo(HaveOccurred())
		ref, found := d.Environment.Catalog.Bundle(lantern, "1.0.0")
		Expect(found).To(BeTrue())
		source, _, _ := strings.Cut(ref, "/"+lantern)
		host, port, err := net.SplitHostPort(d.mirror.Host())
		Expect(err).NotTo(HaveOccurred())
		d.values = map[string]string{
			"CATALOG": "registry.example.com/catalog:v1", "PACKAGE": lantern, "MIRROR": d.mirror.Host(), "HOST": host, "PORT": port,
			"SCOPE": source, "POLICY": lantern + "-signed", "KEY": base64.StdEncoding.EncodeToString(public),
		}

		// Objects that every OpenShift cluster has.
		_, err = d.Config.ConfigV1().Images().Create(ctx, &configv1.Image{ObjectMeta: metav1.ObjectMeta{Name: "cluster"}}, metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		_, err = d.Kubernetes.CoreV1().Secrets("openshift-config").Create(ctx, &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Name: "pull-secret"}, Type: corev1.SecretTypeDockerConfigJson,
			Data: map[string][]byte{corev1.DockerConfigJsonKey: []byte(`{"auths": {"cloud.example.com": {"auth": "YTpi"}}}`)},
		}, metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(os.WriteFile(filepath.Join(d.dir, "ca.crt"), []byte(d.mirror.Authority()), 0o600)).To(Succeed())
	})

	It("is prepared with the commands of the page", func(ctx context.Context) {
		d.sign("1.0.0")
		d.runCommands(ctx, "Mirror the operator", 0, 0)
		d.runCommands(ctx, "Prepare the cluster", 0, 2)
		file := filepath.Join(d.dir, "pull-secret.json")
		secret, err := os.ReadFile(file)
		Expect(err).NotTo(HaveOccurred())
		auth := base64.StdEncoding.EncodeToString([]byte(mirrorUser + ":" + mirrorPassword))
		added := strings.Replace(string(secret), `{"auths": {`, fmt.Sprintf(`{"auths": {%q: {"auth": %q}, `, d.mirror.Host(), auth), 1)
		Expect(os.WriteFile(file, []byte(added), 0o600)).To(Succeed())
		d.runCommands(ctx, "Prepare the cluster", 2, 0)
		d.runCommands(ctx, "Require signatures", 0, 0)
	})

	It("installs an operator from the mirror, and verifies its signature", func(ctx context.Context) {
		Expect(d.Environment.Manager.Start()).To(Succeed())
		Expect(d.runCommands(ctx, "Install the operator", 0, 0)).To(ContainSubstring(d.mirror.Host() + "/bundles/lantern@sha256:"))
		Eventually(d.Installed).WithContext(ctx).WithArguments(lantern, "1.0.0").WithTimeout(time.Minute).Should(Succeed())
		Expect(d.mirror.Requests("bundles/lantern", "blobs")).To(BeNumerically(">", 0))
	})

	It("upgrades it when the new version is mirrored", func(ctx context.Context) {
		Expect(samples.Write(d.Environment.SamplesDir, samples.Operator{Package: lantern, Version: "1.0.0", ExtraConfigMap: lantern + "-settings"},
			samples.Operator{Package: lantern, Version: "1.1.0", ExtraConfigMap: lantern + "-settings"})).To(Succeed())
		Expect(d.Environment.Catalog.Update(ctx)).To(Succeed())
		d.sign("1.1.0")
		d.runCommands(ctx, "Mirror the operator", 0, 0)
		d.runCommands(ctx, "Prepare the cluster", 3, 0)
		Expect(d.Environment.Announce(ctx, environment.CatalogName, d.Environment.Catalog)).To(Succeed())
		Eventually(d.Installed).WithContext(ctx).WithArguments(lantern, "1.1.0").WithTimeout(2 * time.Minute).Should(Succeed())
	})

	It("repairs it after a restart", func(ctx context.Context) {
		Expect(d.Environment.Manager.Kill()).To(Succeed())
		Expect(d.Kubernetes.CoreV1().ConfigMaps(lantern).Delete(ctx, lantern+"-settings", metav1.DeleteOptions{})).To(Succeed())
		Expect(d.Environment.Manager.Start()).To(Succeed())
		Eventually(d.getConfigMap).WithContext(ctx).WithTimeout(time.Minute).Should(Succeed())
		Expect(d.runCommands(ctx, "If an image cannot be pulled", 0, 0)).To(ContainSubstring("The content was read from " + d.mirror.Host()))
	})

	It("removes it", func(ctx context.Context) {
		Expect(d.Platform.PlatformV1alpha1().PlatformOperators().Delete(ctx, lantern, metav1.DeleteOptions{})).To(Succeed())
		Eventually(func(ctx context.Context) error {
			_, err := d.Operator(ctx, lantern)
			return err
		}).WithContext(ctx).WithTimeout(time.Minute).Should(Satisfy(apierrors.IsNotFound))
		Expect(d.getConfigMap(ctx)).To(Satisfy(apierrors.IsNotFound))
	})

	It("never asks the registry of the images", func() {
		Expect(d.Environment.Catalog.RefusedRequests()).To(BeZero())
	})

	It("refuses a version without a signature", func(ctx context.Context) {
		Expect(samples.Write(d.Environment.SamplesDir, samples.Operator{Package: lantern, Version: "1.2.0"})).To(Succeed())
		Expect(d.Environment.Catalog.Update(ctx)).To(Succeed())
		d.runCommands(ctx, "Mirror the operator", 0, 0)
		Expect(d.Environment.Announce(ctx, environment.CatalogName, d.Environment.Catalog)).To(Succeed())
		Expect(d.Create(ctx, lantern, "")).To(Succeed())
		Eventually(func(ctx context.Context) (string, error) {
			deployment, err := d.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, lantern, metav1.GetOptions{})
			if apierrors.IsNotFound(err) {
				return "", nil
			}
			if err != nil {
				return "", err
			}
			condition := meta.FindStatusCondition(deployment.Status.Conditions, corev1alpha2.ConditionUnpacked)
			if condition == nil {
				return "", nil
			}
			return condition.Message, nil
		}).WithContext(ctx).WithTimeout(time.Minute).Should(ContainSubstring(`the image does not satisfy ClusterImagePolicy "lantern-signed": it has no signature`))
	})
})
