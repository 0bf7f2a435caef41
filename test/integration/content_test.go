package integration

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/test/localcatalog"
	"github.com/openshift/platform-operators/test/samples"
)

// pushLargeBundle pushes the bundle of a sample operator with this many additional manifests of 200 KiB each. It returns the image
// reference by digest.
func pushLargeBundle(ctx context.Context, registry *localcatalog.Registry, name string, manifests int) (byDigest string) {
	GinkgoHelper()
	return pushModified(ctx, registry, samples.Operator{Package: name, Version: "1.0.0", ExtraConfigMap: name + "-settings"}, func(folder string) {
		for i := range manifests {
			text := fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: %s-%d}, data: {filler: %s}}", name, i, strings.Repeat("x", 200<<10))
			Expect(os.WriteFile(filepath.Join(folder, fmt.Sprintf("filler-%d.yaml", i)), []byte(text), 0o600)).To(Succeed())
		}
	})
}

// diskUse returns the number of bytes that a folder occupies on disk. It ignores files that are removed meanwhile.
func diskUse(folder string) (bytes int64) {
	_ = filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil // removed meanwhile
		}
		if info, err := entry.Info(); err == nil {
			if stat, ok := info.Sys().(*syscall.Stat_t); ok {
				bytes += stat.Blocks * 512
			}
		}
		return nil
	})
	return bytes
}

// measurePeakDiskUse measures a folder every 10 ms until the returned function is called, which returns the peak in bytes.
func measurePeakDiskUse(folder string) func() int64 {
	var most int64
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(10 * time.Millisecond)
		defer ticker.Stop()
		for {
			select {
			case <-end:
				return
			case <-ticker.C:
				most = max(most, diskUse(folder))
			}
		}
	}()
	return func() int64 {
		close(end)
		<-ended
		return most
	}
}

var _ = Describe("the manager's disk", func() {
	It("never holds more content than its budget, and operators whose content was evicted are repaired all the same", func(ctx context.Context) {
		const budget = 1 << 20
		folder := filepath.Join(env.Dir, "small-content")
		small := env.Manager.With("--content-dir="+folder, fmt.Sprintf("--content-budget=%d", budget))
		Expect(env.Manager.Kill()).To(Succeed())
		Expect(small.Start()).To(Succeed())
		DeferCleanup(func() {
			Expect(small.Kill()).To(Succeed())
			Expect(env.Manager.Start()).To(Succeed())
		})
		most := measurePeakDiskUse(folder)
		registry := startRegistry(false)
		stored := func(byDigest string) []string {
			GinkgoHelper()
			_, digest, _ := strings.Cut(byDigest, "@sha256:")
			found, err := filepath.Glob(filepath.Join(folder, "sha256-"+digest))
			Expect(err).NotTo(HaveOccurred())
			return found
		}
		install := func(name string, manifests int) (byDigest string) {
			GinkgoHelper()
			byDigest = pushLargeBundle(ctx, registry, name, manifests)
			createDeploymentWith(ctx, name, func(spec *corev1alpha2.BundleDeploymentSpec) { spec.Source = fromImage(byDigest) })
			return byDigest
		}

		By("pulling three images, of which two fit into the budget")
		oldest := install("heavy-first", 2)
		expectDeploymentCondition(ctx, "heavy-first", corev1alpha2.ConditionProgressing, "AsExpected")
		Expect(stored(oldest)).To(HaveLen(1))
		for _, name := range []string{"heavy-second", "heavy-third"} {
			newer := install(name, 2)
			expectDeploymentCondition(ctx, name, corev1alpha2.ConditionProgressing, "AsExpected")
			Expect(stored(newer)).To(HaveLen(1))
		}
		Expect(stored(oldest)).To(BeEmpty(), "what was not used for the longest time makes room")

		By("repairing the operator whose content was evicted, also after a restart")
		asked := registry.Requests("bundles/heavy-first", "manifests")
		for range 2 {
			Expect(admin.Kubernetes.CoreV1().ConfigMaps("heavy-first").Delete(ctx, "heavy-first-settings", metav1.DeleteOptions{})).To(Succeed())
			Eventually(getConfigMap).WithContext(ctx).WithArguments("heavy-first", "heavy-first-settings").Should(Succeed())
			Expect(small.Kill()).To(Succeed())
			Expect(small.Start()).To(Succeed())
		}
		Expect(registry.Requests("bundles/heavy-first", "manifests")).To(Equal(asked))
		Expect(stored(oldest)).To(BeEmpty())

		By("pulling an image that is larger than the whole budget, and replacing it")
		install("heavy-beyond", 6)
		expectUnpacked(ctx, "heavy-beyond", "False UnpackFailed", fmt.Sprintf("the content directory is limited to %d bytes", budget), "raise the manager's --content-budget")
		Expect(conditionOf(ctx, "heavy-third", corev1alpha2.ConditionProgressing)).To(ContainSubstring("AsExpected"), "the others do not care")
		setImage(ctx, "heavy-beyond", pushLargeBundle(ctx, registry, "heavy-beyond", 1))
		expectDeploymentCondition(ctx, "heavy-beyond", corev1alpha2.ConditionProgressing, "AsExpected")
		Expect(most()).To(And(BeNumerically("<=", budget), BeNumerically(">", budget/2)))
	})
})
