package integration

import (
	"context"
	"errors"
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/health"
	"github.com/openshift/platform-operators/test/samples"
)

func beNotFound() OmegaMatcher { return Satisfy(apierrors.IsNotFound) }

// crdResource is the resource of a sample operator's own kind.
func crdResource(plural string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "samples.platform.openshift.io", Version: "v1", Resource: plural}
}

func ignoreNotFound(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// versionsOf reads the resourceVersion of everything that the manager may write for an operator.
func versionsOf(ctx context.Context, pkg string) (string, error) {
	operator, errA := admin.Operator(ctx, pkg)
	bundle, errB := admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, pkg, metav1.GetOptions{})
	service, errC := admin.Kubernetes.CoreV1().Services(pkg).Get(ctx, pkg+"-metrics", metav1.GetOptions{})
	workload, errD := admin.Kubernetes.AppsV1().Deployments(pkg).Get(ctx, pkg, metav1.GetOptions{})
	manager, errE := admin.Platform.OperatorV1alpha1().PlatformOperatorManagers().Get(ctx, "cluster", metav1.GetOptions{})
	clusterOperator, errF := admin.Config.ConfigV1().ClusterOperators().Get(ctx, "platform-operators-aggregated", metav1.GetOptions{})
	if err := errors.Join(errA, errB, errC, errD, errE, errF); err != nil {
		return "", err
	}
	return fmt.Sprint(operator.ResourceVersion, bundle.ResourceVersion, service.ResourceVersion, workload.ResourceVersion,
		manager.ResourceVersion, clusterOperator.ResourceVersion), nil
}

var _ = Describe("an installed operator", Ordered, func() {
	const pkg = "drifter"
	BeforeAll(func(ctx context.Context) { installed(ctx, pkg, "1.0.0") })

	It("is left alone while nothing changes: not one write", func(ctx context.Context) {
		var before string
		Eventually(func(g Gomega, ctx context.Context) { // the last writes of the installation may still wait for their pause
			first, err := versionsOf(ctx, pkg)
			g.Expect(err).NotTo(HaveOccurred())
			g.Consistently(versionsOf, health.StatusPause+time.Second).WithContext(ctx).WithArguments(pkg).Should(Equal(first))
			before = first
		}).WithContext(ctx).Should(Succeed())
		Consistently(versionsOf).WithContext(ctx).WithArguments(pkg).Should(Equal(before))
	})

	It("gets a deleted object back", func(ctx context.Context) {
		client := admin.Kubernetes.CoreV1().ConfigMaps(pkg)
		Expect(client.Delete(ctx, "drifter-settings", metav1.DeleteOptions{})).To(Succeed())
		Eventually(func(ctx context.Context) error {
			_, err := client.Get(ctx, "drifter-settings", metav1.GetOptions{})
			return err
		}).WithContext(ctx).Should(Succeed())
	})

	It("gets an edited field back, and keeps what it does not declare", func(ctx context.Context) {
		client := admin.Kubernetes.CoreV1().ConfigMaps(pkg)
		patch := []byte(`{"metadata":{"labels":{"mine":"yes"}},"data":{"version":"edited","extra":"mine"}}`)
		_, err := client.Patch(ctx, "drifter-settings", types.MergePatchType, patch, metav1.PatchOptions{})
		Expect(err).NotTo(HaveOccurred())
		Eventually(func(g Gomega, ctx context.Context) {
			live, err := client.Get(ctx, "drifter-settings", metav1.GetOptions{})
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(live.Data).To(HaveKeyWithValue("version", "1.0.0"))
			g.Expect(live.Data).To(HaveKeyWithValue("extra", "mine"))
			g.Expect(live.Labels).To(HaveKeyWithValue("mine", "yes"))
		}).WithContext(ctx).Should(Succeed())
	})

	It("is repaired without its catalogs and without its image's registry", func(ctx context.Context) {
		env.Catalog.Unavailable(true)
		DeferCleanup(func() { env.Catalog.Unavailable(false) })
		ref, found := env.Catalog.Bundle(pkg, "1.0.0")
		Expect(found).To(BeTrue())
		Expect(env.Catalog.Fail(ref, 503)).To(Succeed())
		DeferCleanup(func() error { return env.Catalog.Fail(ref, 0) })
		Expect(env.Manager.Kill()).To(Succeed())
		Expect(env.Manager.Start()).To(Succeed())

		Expect(admin.Kubernetes.AppsV1().Deployments(pkg).Delete(ctx, pkg, metav1.DeleteOptions{})).To(Succeed())
		Eventually(func(ctx context.Context) error {
			_, err := admin.Kubernetes.AppsV1().Deployments(pkg).Get(ctx, pkg, metav1.GetOptions{})
			return err
		}).WithContext(ctx).Should(Succeed())
		Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, "1.0.0").Should(Succeed())
	})

	It("has its BundleDeployment put back when that is edited by hand", func(ctx context.Context) {
		client := admin.Platform.CoreV1alpha2().BundleDeployments()
		before, err := client.Get(ctx, pkg, metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
		patch := []byte(`{"spec":{"source":{"image":{"ref":"127.0.0.1:1/intruder:1"}}}}`)
		_, err = client.Patch(ctx, pkg, types.MergePatchType, patch, metav1.PatchOptions{})
		Expect(err).NotTo(HaveOccurred())
		Eventually(func(ctx context.Context) (string, error) {
			live, err := client.Get(ctx, pkg, metav1.GetOptions{})
			if err != nil {
				return "", err
			}
			return live.Spec.Source.Image.Ref, nil
		}).WithContext(ctx).Should(Equal(before.Spec.Source.Image.Ref))
		Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, "1.0.0").Should(Succeed())
	})
})

var _ = Describe("an upgrade", Ordered, func() {
	const pkg = "climber"

	It("moves to the newer version, removes what only the old one had, and survives the manager's death in the middle", func(ctx context.Context) {
		installed(ctx, pkg, "1.0.0")
		Expect(admin.Publish(ctx,
			samples.Operator{Package: pkg, Version: "1.0.0", ExtraConfigMap: "climber-first"},
			samples.Operator{Package: pkg, Version: "1.1.0", ExtraConfigMap: "climber-second"})).To(Succeed())
		Eventually(func(ctx context.Context) (string, error) {
			live, err := admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, pkg, metav1.GetOptions{})
			return live.Labels[platformv1alpha1.LabelVersion], err
		}).WithContext(ctx).Should(Equal("1.1.0"))
		Expect(env.Manager.Kill()).To(Succeed())
		Expect(env.Manager.Start()).To(Succeed())

		Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, "1.1.0").Should(Succeed())
		client := admin.Kubernetes.CoreV1().ConfigMaps(pkg)
		_, err := client.Get(ctx, "climber-second", metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
		Eventually(func(ctx context.Context) error {
			_, err := client.Get(ctx, "climber-first", metav1.GetOptions{})
			return err
		}).WithContext(ctx).Should(beNotFound())
	})
})

var _ = Describe("a paused operator", func() {
	It("is not repaired until it goes on", func(ctx context.Context) {
		const pkg = "sleeper"
		installed(ctx, pkg, "1.0.0")
		pause := func(on bool) {
			patch := fmt.Appendf(nil, `{"spec":{"paused":%t}}`, on)
			_, err := admin.Platform.PlatformV1alpha1().PlatformOperators().Patch(ctx, pkg, types.MergePatchType, patch, metav1.PatchOptions{})
			Expect(err).NotTo(HaveOccurred())
		}
		pause(true)
		Eventually(admin.OperatorHas).WithContext(ctx).WithArguments(pkg, platformv1alpha1.ConditionProgressing, metav1.ConditionFalse, platformv1alpha1.ReasonPaused).Should(Succeed())
		Eventually(func(ctx context.Context) (bool, error) {
			live, err := admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, pkg, metav1.GetOptions{})
			return live.Status.ObservedGeneration == live.Generation, err
		}).WithContext(ctx).Should(BeTrue())

		service := admin.Kubernetes.CoreV1().Services(pkg)
		Expect(service.Delete(ctx, pkg+"-metrics", metav1.DeleteOptions{})).To(Succeed())
		get := func(ctx context.Context) error {
			_, err := service.Get(ctx, pkg+"-metrics", metav1.GetOptions{})
			return err
		}
		Consistently(get, "3s").WithContext(ctx).Should(beNotFound())
		pause(false)
		Eventually(get).WithContext(ctx).Should(Succeed())
	})
})

var _ = Describe("removal", func() {
	It("takes everything away but the CRDs and their objects, and a new installation finds them again", func(ctx context.Context) {
		const pkg = "leaver"
		installed(ctx, pkg, "1.0.0")
		resources := admin.Dynamic.Resource(crdResource("leavers"))
		object := parse(crdResource("leavers"), "Leaver", "{metadata: {name: precious}, spec: {size: 3}}")
		_, err := resources.Namespace("default").Create(ctx, object, metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())

		remove(ctx, pkg)
		Eventually(func(ctx context.Context) error { // Kubernetes empties a namespace after it was deleted, and nobody waits for that
			_, err := admin.Kubernetes.CoreV1().Namespaces().Get(ctx, pkg, metav1.GetOptions{})
			return err
		}).WithContext(ctx).Should(beNotFound())
		_, err = resources.Namespace("default").Get(ctx, "precious", metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())

		By("installing it again")
		installed(ctx, pkg, "1.0.0")
		_, err = resources.Namespace("default").Get(ctx, "precious", metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
	})
})
