package integration

import (
	"context"
	"fmt"
	"math/rand"
	"os"
	"strconv"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/test/samples"
)

// largePeak and largeSteady are the limits of the manager's memory with a bundle of 50 MiB, in bytes. largePeak is for the peak of resident
// memory, and largeSteady for anonymous memory after the installation.
const (
	largePeak   = 1 << 30
	largeSteady = 256 << 20
)

// memoryOf returns a field of the manager's /proc/PID/status, in bytes.
func memoryOf(figure string) int64 {
	GinkgoHelper()
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", env.Manager.PID()))
	Expect(err).NotTo(HaveOccurred())
	for _, line := range strings.Split(string(content), "\n") {
		if value, ok := strings.CutPrefix(line, figure+":"); ok {
			kilobytes, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
			Expect(err).NotTo(HaveOccurred())
			return kilobytes << 10
		}
	}
	Fail("the kernel does not tell " + figure)
	return 0
}

// largeManifests returns 5,000 manifests of 50 MiB in total: 120 CustomResourceDefinitions, a ConfigMap of 900 KiB, and smaller ConfigMaps.
func largeManifests(name string) []string {
	random := rand.New(rand.NewSource(1))
	text := func(size int) string { // compresses to about half, as manifests with certificates and dashboards do
		words := make([]byte, size)
		for i := range words {
			words[i] = "abcdefghijklmnop"[random.Intn(16)]
		}
		return string(words)
	}
	var manifests []string
	for i := range 120 {
		manifests = append(manifests, fmt.Sprintf(`{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: larges%[1]d.%[2]s.example.com},
			spec: {group: %[2]s.example.com, scope: Namespaced, names: {kind: Large%[1]d, listKind: Large%[1]dList, plural: larges%[1]d, singular: large%[1]d},
			versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}}`, i, name))
	}
	manifests = append(manifests, configMapText("largest", text(900<<10)))
	const objects, bytes = 5000, 50 << 20
	each := (bytes - 900<<10) / (objects - len(manifests))
	for i := len(manifests); i < objects; i++ {
		manifests = append(manifests, configMapText(fmt.Sprintf("piece-%04d", i), text(each)))
	}
	return manifests
}

var _ = Describe("a large bundle", func() {
	// Promise ENG-D2: A bundle of 120 CRDs, 5,000 objects and 50 MiB, one object of 900 KiB, is installed and removed. The manager stays
	// below 1 GiB of resident memory, and settles below 256 MiB of anonymous memory.
	It("[ENG-D2] of 120 CustomResourceDefinitions, 5,000 objects, 50 MiB and one object of 900 KiB is installed within a bound of memory", startEarly, func(ctx context.Context) {
		const name = "colossus"
		Expect(env.Manager.Kill()).To(Succeed()) // so that the peak is that of a process that did nothing else
		ref := publishBundle(ctx, samples.Operator{Package: name, Version: "1.0.0"}, largeManifests(name)...)
		Expect(env.Manager.Start()).To(Succeed())
		createDeploymentIn(ctx, name, name, ref, "deletion: {crds: Delete}")
		start := time.Now()
		Eventually(conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionProgressing).
			WithTimeout(5 * time.Minute).WithPolling(time.Second).Should(ContainSubstring("AsExpected"))
		peak := memoryOf("VmHWM")
		live, err := admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(live.Status.Objects.Total).To(BeNumerically(">", 5000))
		Expect(live.Status.Objects.Ready).To(Equal(live.Status.Objects.Total))
		AddReportEntry("installed", fmt.Sprintf("in %s, at most %d MiB resident", time.Since(start).Round(time.Second), peak>>20))
		Expect(peak).To(BeNumerically("<", largePeak))

		By("waiting until the memory is released")
		Eventually(func() int64 { return memoryOf("RssAnon") }).WithContext(ctx).WithTimeout(3 * time.Minute).WithPolling(time.Second).Should(BeNumerically("<", largeSteady))
		AddReportEntry("settled", fmt.Sprintf("%d MiB of anonymous memory", memoryOf("RssAnon")>>20))

		By("removing the operator")
		start = time.Now()
		deleteDeployment(ctx, name)
		Eventually(func(ctx context.Context) error {
			_, err := admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
			return err
		}).WithContext(ctx).WithTimeout(5 * time.Minute).WithPolling(time.Second).Should(beNotFound())
		AddReportEntry("removed", fmt.Sprintf("in %s", time.Since(start).Round(time.Second)))
	}, NodeTimeout(12*time.Minute))
})
