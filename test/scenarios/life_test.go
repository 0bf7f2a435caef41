package scenarios

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/health"
	"github.com/openshift/platform-operators/test/samples"
)

// crdResource returns the resource of a sample operator's custom resources.
func crdResource(plural string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "samples.platform.openshift.io", Version: "v1", Resource: plural}
}

func ignoreNotFound(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// versionsOf returns the resourceVersions of an operator's PlatformOperator, BundleDeployment, Service and Deployment, of the
// PlatformOperatorManager and of the ClusterOperator, as one text.
func (s *Story) versionsOf(ctx context.Context, pkg string) (string, error) {
	operator, errA := s.Admin.Operator(ctx, pkg)
	bundle, errB := s.Admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, pkg, metav1.GetOptions{})
	service, errC := s.Admin.Kubernetes.CoreV1().Services(pkg).Get(ctx, pkg+"-metrics", metav1.GetOptions{})
	workload, errD := s.Admin.Kubernetes.AppsV1().Deployments(pkg).Get(ctx, pkg, metav1.GetOptions{})
	manager, errE := s.Admin.Platform.OperatorV1alpha1().PlatformOperatorManagers().Get(ctx, "cluster", metav1.GetOptions{})
	clusterOperator, errF := s.Admin.Config.ConfigV1().ClusterOperators().Get(ctx, "platform-operators-aggregated", metav1.GetOptions{})
	if err := errors.Join(errA, errB, errC, errD, errE, errF); err != nil {
		return "", err
	}
	return fmt.Sprint(operator.ResourceVersion, bundle.ResourceVersion, service.ResourceVersion, workload.ResourceVersion,
		manager.ResourceVersion, clusterOperator.ResourceVersion), nil
}

func TestInstalledOperator(t *testing.T) {
	t.Parallel()
	const pkg = "drifter"
	runStory(t, "nothing is written while nothing changes", defaultOperators, func(ctx context.Context, s *Story) {
		s.install(ctx, pkg, "1.0.0")
		var before string
		s.Eventually(func(g Gomega, ctx context.Context) { // the manager may delay the last writes of the installation
			first, err := s.versionsOf(ctx, pkg)
			g.Expect(err).NotTo(HaveOccurred())
			g.Consistently(s.versionsOf, health.StatusInterval+time.Second).WithContext(ctx).WithArguments(pkg).Should(Equal(first))
			before = first
		}).WithContext(ctx).Should(Succeed())
		s.Consistently(s.versionsOf).WithContext(ctx).WithArguments(pkg).Should(Equal(before))
	})

	runStory(t, "a deleted object is created again", defaultOperators, func(ctx context.Context, s *Story) {
		s.install(ctx, pkg, "1.0.0")
		client := s.Admin.Kubernetes.CoreV1().ConfigMaps(pkg)
		s.Expect(client.Delete(ctx, "drifter-settings", metav1.DeleteOptions{})).To(Succeed())
		s.Eventually(func(ctx context.Context) error {
			_, err := client.Get(ctx, "drifter-settings", metav1.GetOptions{})
			return err
		}).WithContext(ctx).Should(Succeed())
	})

	runStory(t, "an edited field is restored, and undeclared fields are kept", defaultOperators, func(ctx context.Context, s *Story) {
		s.install(ctx, pkg, "1.0.0")
		client := s.Admin.Kubernetes.CoreV1().ConfigMaps(pkg)
		patch := []byte(`{"metadata":{"labels":{"mine":"yes"}},"data":{"version":"edited","extra":"mine"}}`)
		_, err := client.Patch(ctx, "drifter-settings", types.MergePatchType, patch, metav1.PatchOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Eventually(func(g Gomega, ctx context.Context) {
			live, err := client.Get(ctx, "drifter-settings", metav1.GetOptions{})
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(live.Data).To(HaveKeyWithValue("version", "1.0.0"))
			g.Expect(live.Data).To(HaveKeyWithValue("extra", "mine"))
			g.Expect(live.Labels).To(HaveKeyWithValue("mine", "yes"))
		}).WithContext(ctx).Should(Succeed())
	})

	runStory(t, "drift is repaired without catalogs and without the image's registry", defaultOperators, func(ctx context.Context, s *Story) {
		s.install(ctx, pkg, "1.0.0")
		s.Environment.Catalog.Unavailable(true)
		ref, found := s.Environment.Catalog.Bundle(pkg, "1.0.0")
		s.Expect(found).To(BeTrue())
		s.Expect(s.Environment.Catalog.Fail(ref, 503)).To(Succeed())
		s.KillManager()
		s.StartManager()

		s.Expect(s.Admin.Kubernetes.AppsV1().Deployments(pkg).Delete(ctx, pkg, metav1.DeleteOptions{})).To(Succeed())
		s.Eventually(func(ctx context.Context) error {
			_, err := s.Admin.Kubernetes.AppsV1().Deployments(pkg).Get(ctx, pkg, metav1.GetOptions{})
			return err
		}).WithContext(ctx).Should(Succeed())
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(pkg, "1.0.0").Should(Succeed())
	})

	runStory(t, "an edited BundleDeployment is restored", defaultOperators, func(ctx context.Context, s *Story) {
		s.install(ctx, pkg, "1.0.0")
		client := s.Admin.Platform.CoreV1alpha2().BundleDeployments()
		before, err := client.Get(ctx, pkg, metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		patch := []byte(`{"spec":{"source":{"image":{"ref":"127.0.0.1:1/intruder:1"}}}}`)
		_, err = client.Patch(ctx, pkg, types.MergePatchType, patch, metav1.PatchOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Eventually(func(ctx context.Context) (string, error) {
			live, err := client.Get(ctx, pkg, metav1.GetOptions{})
			if err != nil {
				return "", err
			}
			return live.Spec.Source.Image.Ref, nil
		}).WithContext(ctx).Should(Equal(before.Spec.Source.Image.Ref))
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(pkg, "1.0.0").Should(Succeed())
	})
}

func TestUpgrade(t *testing.T) {
	t.Parallel()
	const pkg = "climber"

	runStory(t, "an upgrade removes what only the old version had, also when the manager is killed", defaultOperators, func(ctx context.Context, s *Story) {
		s.install(ctx, pkg, "1.0.0")
		s.Expect(s.Admin.Publish(ctx,
			samples.Operator{Package: pkg, Version: "1.0.0", ExtraConfigMap: "climber-first"},
			samples.Operator{Package: pkg, Version: "1.1.0", ExtraConfigMap: "climber-second"})).To(Succeed())
		s.Eventually(func(ctx context.Context) (string, error) {
			live, err := s.Admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, pkg, metav1.GetOptions{})
			return live.Labels[platformv1alpha1.LabelVersion], err
		}).WithContext(ctx).Should(Equal("1.1.0"))
		s.KillManager()
		s.StartManager()

		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(pkg, "1.1.0").Should(Succeed())
		client := s.Admin.Kubernetes.CoreV1().ConfigMaps(pkg)
		_, err := client.Get(ctx, "climber-second", metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Eventually(func(ctx context.Context) error {
			_, err := client.Get(ctx, "climber-first", metav1.GetOptions{})
			return err
		}).WithContext(ctx).Should(beNotFound())
	})
}

func TestAPausedOperator(t *testing.T) {
	t.Parallel()
	runStory(t, "is not repaired until the pause ends", defaultOperators, func(ctx context.Context, s *Story) {
		const pkg = "sleeper"
		s.install(ctx, pkg, "1.0.0")
		pause := func(on bool) {
			patch := fmt.Appendf(nil, `{"spec":{"paused":%t}}`, on)
			_, err := s.Admin.Platform.PlatformV1alpha1().PlatformOperators().Patch(ctx, pkg, types.MergePatchType, patch, metav1.PatchOptions{})
			s.Expect(err).NotTo(HaveOccurred())
		}
		pause(true)
		s.Eventually(s.Admin.OperatorHas).WithContext(ctx).WithArguments(pkg, platformv1alpha1.ConditionProgressing, metav1.ConditionFalse, platformv1alpha1.ReasonPaused).Should(Succeed())
		s.waitUntilObserved(ctx, pkg)

		service := s.Admin.Kubernetes.CoreV1().Services(pkg)
		s.Expect(service.Delete(ctx, pkg+"-metrics", metav1.DeleteOptions{})).To(Succeed())
		get := func(ctx context.Context) error {
			_, err := service.Get(ctx, pkg+"-metrics", metav1.GetOptions{})
			return err
		}
		s.Consistently(get, "3s").WithContext(ctx).Should(beNotFound())
		pause(false)
		s.Eventually(get).WithContext(ctx).Should(Succeed())
	})
}

func TestRemoval(t *testing.T) {
	t.Parallel()
	runStory(t, "a removal keeps CRDs and custom resources, and a new installation uses them again", defaultOperators, func(ctx context.Context, s *Story) {
		const pkg = "leaver"
		s.install(ctx, pkg, "1.0.0")
		resources := s.Admin.Dynamic.Resource(crdResource("leavers"))
		object := s.parse(crdResource("leavers"), "Leaver", "{metadata: {name: precious}, spec: {size: 3}}")
		_, err := resources.Namespace("default").Create(ctx, object, metav1.CreateOptions{})
		s.Expect(err).NotTo(HaveOccurred())

		s.remove(ctx, pkg)
		s.Eventually(func(ctx context.Context) error { // Kubernetes deletes the content of a namespace later
			_, err := s.Admin.Kubernetes.CoreV1().Namespaces().Get(ctx, pkg, metav1.GetOptions{})
			return err
		}).WithContext(ctx).Should(beNotFound())
		_, err = resources.Namespace("default").Get(ctx, "precious", metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())

		s.By("installing it again")
		s.install(ctx, pkg, "1.0.0")
		_, err = resources.Namespace("default").Get(ctx, "precious", metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
	})
}
