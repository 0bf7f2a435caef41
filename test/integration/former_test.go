package integration

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/test/cvo"
	"github.com/openshift/platform-operators/test/decisions"
	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/samples"
)

// formerCommit is the commit whose manager wrote test/scenarios/testdata/c02a7af.
const formerCommit = "c02a7af75657ad3299b831b7a034473d351e2ec5"

// formerOperators maps the name of each PlatformOperator to its spec fields, without the package name, in the format of patchSpec. The last
// word of a name is the state of the operator.
var formerOperators = map[string]string{
	"former-installing": ``,
	"former-rolledback": `"install": {"progressDeadlineSeconds": 15, "onFailure": "Rollback"}`,
	"former-held":       `"install": {"progressDeadlineSeconds": 15, "onFailure": "Hold"}`,
	"former-removing":   `"deletion": {"crds": "Delete"}`,
	"former-awaiting":   `"package": {"version": "1.0.0"}, "upgrades": {"approval": "Manual"}`,
	"former-overridden": `"compatibilityOverrides": [{"openShiftVersion": "4.22", "reason": "Ada, ticket 7", "expires": "2199-01-01T00:00:00Z"}]`,
}

// formerSamples returns the first versions of the operators. If later is set, it also returns the upgrades that never become ready.
func formerSamples(later bool) []samples.Operator {
	offers := []samples.Operator{
		{Package: "former-installing", Version: "1.0.0", NeverReady: true},
		{Package: "former-rolledback", Version: "1.0.0", ExtraConfigMap: "former-rolledback-good"},
		{Package: "former-held", Version: "1.0.0", ExtraConfigMap: "former-held-good"},
		{Package: "former-removing", Version: "1.0.0"},
		{Package: "former-awaiting", Version: "1.0.0"},
		{Package: "former-awaiting", Version: "1.1.0"},
		{Package: "former-overridden", Version: "1.0.0", MaxOpenShiftVersion: `"4.21"`},
	}
	if later {
		offers = append(offers,
			samples.Operator{Package: "former-rolledback", Version: "1.1.0", NeverReady: true, ExtraConfigMap: "former-rolledback-bad"},
			samples.Operator{Package: "former-held", Version: "1.1.0", NeverReady: true, ExtraConfigMap: "former-held-bad"})
	}
	return offers
}

// blockingResources returns a client for the custom resources of former-removing. The removal waits while such a resource exists.
func blockingResources() dynamic.ResourceInterface {
	removing := samples.Operator{Package: "former-removing"}
	return admin.Dynamic.Resource(schema.GroupVersionResource{Group: samples.Group, Version: "v1", Resource: removing.Plural()}).Namespace("default")
}

// createFormerOperators installs formerOperators and waits until each has the state in its name.
func createFormerOperators(ctx context.Context) {
	GinkgoHelper()
	Expect(admin.Publish(ctx, formerSamples(false)...)).To(Succeed())
	for name, spec := range formerOperators {
		createWithSpec(ctx, name, spec)
	}
	for name := range formerOperators {
		if name != "former-installing" {
			Eventually(admin.Installed).WithContext(ctx).WithArguments(name, "1.0.0").Should(Succeed())
		}
	}
	Expect(admin.Publish(ctx, formerSamples(true)...)).To(Succeed())
	Expect(admin.Limit(ctx, "former-awaiting", "1.x")).To(Succeed())
	removing := samples.Operator{Package: "former-removing"}
	_, err := blockingResources().Create(ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": samples.Group + "/v1", "kind": removing.Kind(), "metadata": map[string]any{"name": "users"},
	}}, metav1.CreateOptions{})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func(ctx context.Context) { // otherwise the removal never ends
		Expect(ignoreNotFound(blockingResources().Delete(ctx, "users", metav1.DeleteOptions{}))).To(Succeed())
	})
	Expect(admin.Platform.PlatformV1alpha1().PlatformOperators().Delete(ctx, "former-removing", metav1.DeleteOptions{})).To(Succeed())
	expectDeploymentCondition(ctx, "former-rolledback", corev1alpha2.ConditionProgressing, "False DeadlineExceeded")
	expectDeploymentCondition(ctx, "former-held", corev1alpha2.ConditionProgressing, "False DeadlineExceeded")
	expectDeploymentCondition(ctx, "former-installing", corev1alpha2.ConditionProgressing, "True RollingOut")
	expectDeploymentCondition(ctx, "former-removing", corev1alpha2.ConditionProgressing, "True Removing")
	expectProgressing(ctx, "former-awaiting", metav1.ConditionFalse, platformv1alpha1.ReasonAwaitingApproval)
}

// formerOperands returns every object that the manager applied for formerOperators, by "kind namespace/name".
func formerOperands(ctx context.Context) (map[string]any, error) {
	client, err := discovery.NewDiscoveryClientForConfig(env.Admin)
	if err != nil {
		return nil, err
	}
	lists, err := client.ServerPreferredResources()
	if err != nil {
		return nil, err
	}
	owners := strings.Join(slices.Collect(maps.Keys(formerOperators)), ",")
	operands := map[string]any{}
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, err
		}
		for _, resource := range list.APIResources {
			if !slices.Contains(resource.Verbs, "list") {
				continue
			}
			found, err := admin.Dynamic.Resource(version.WithResource(resource.Name)).List(ctx, metav1.ListOptions{
				LabelSelector: corev1alpha2.LabelOwnerName + " in (" + owners + ")",
			})
			if err != nil {
				return nil, err
			}
			for i := range found.Items {
				operand := &found.Items[i]
				isApplied := slices.ContainsFunc(operand.GetManagedFields(), func(entry metav1.ManagedFieldsEntry) bool {
					return strings.HasPrefix(entry.Manager, corev1alpha2.FieldManagerPrefix)
				})
				if !isApplied {
					continue // the endpoints controllers copy a Service's labels to its Endpoints and EndpointSlices, some time later
				}
				operands[operand.GetKind()+" "+operand.GetNamespace()+"/"+operand.GetName()] = decisions.WithoutServerFields(operand)
			}
		}
	}
	return operands, nil
}

var _ = Describe("a downgrade of the manager", func() {
	It("[HRD-C9] to the former one, and the upgrade back, change no operand and no decision", func(ctx context.Context) {
		binary, manifests, err := environment.BuildFormer(ctx, env.Root, formerCommit)
		if errors.Is(err, environment.ErrNotInHistory) {
			Skip(err.Error())
		}
		Expect(err).NotTo(HaveOccurred())
		createFormerOperators(ctx)
		decided := func(ctx context.Context) (string, error) {
			return decisions.DescribeCluster(ctx, admin.Platform, admin.Config)
		}
		// The ClusterOperator is updated a few seconds after the operators, so that before is read until it does not change.
		var before string
		Eventually(func(ctx context.Context) (bool, error) {
			last := before
			before, err = decided(ctx)
			return before == last, err
		}).WithContext(ctx).WithPolling(3 * time.Second).Should(BeTrue())
		operands, err := formerOperands(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(len(operands)).To(BeNumerically(">", 40))

		DeferCleanup(func(ctx context.Context) { // this manager again, for later specs
			Expect(env.Manager.Stop()).To(Succeed())
			_, err := cvo.Apply(ctx, env.Admin, filepath.Join(env.Root, "manifests"))
			Expect(err).NotTo(HaveOccurred())
			Expect(env.Manager.Start()).To(Succeed())
			Eventually(readVersionStatus).WithContext(ctx).Should(HaveField("Version", "0.0.1-snapshot"))
		})
		// replace stops one manager, applies the manifests of the next one as the CVO does, starts it, and waits until it reports its
		// version. By then the next manager has tried every object.
		replace := func(old, next *environment.Manager, manifests, version string) {
			GinkgoHelper()
			Expect(old.Stop()).To(Succeed())
			_, err := cvo.Apply(ctx, env.Admin, manifests)
			Expect(err).NotTo(HaveOccurred())
			GinkgoT().Setenv("OPERATOR_IMAGE_VERSION", version)
			Expect(next.Start()).To(Succeed())
			DeferCleanup(next.Kill)
			Eventually(readVersionStatus).WithContext(ctx).Should(HaveField("Version", version))
		}
		expectUnchanged := func() {
			GinkgoHelper()
			Eventually(decided).WithContext(ctx).Should(Equal(before))
			Consistently(decided).WithContext(ctx).Should(Equal(before))
			now, err := formerOperands(ctx)
			Expect(err).NotTo(HaveOccurred())
			Expect(cmp.Diff(operands, now)).To(BeEmpty(), "the operands changed (-before +now)")
			expectRepair(ctx, "former-overridden") // a manager that hangs would change nothing either
			operands, err = formerOperands(ctx)    // with the Service that was created again
			Expect(err).NotTo(HaveOccurred())
		}

		By("starting the former manager with its CRDs and roles")
		former := env.Manager.Of(binary)
		replace(env.Manager, former, manifests, "4.97.3")
		expectUnchanged()

		By("starting this manager again")
		again := env.Manager.With()
		replace(former, again, filepath.Join(env.Root, "manifests"), "4.97.4")
		expectUnchanged()

		By("deleting the custom resource that blocks the removal")
		Expect(blockingResources().Delete(ctx, "users", metav1.DeleteOptions{})).To(Succeed())
		Eventually(func() error {
			_, err := admin.Operator(ctx, "former-removing")
			return err
		}).WithContext(ctx).Should(beNotFound())
	}, NodeTimeout(6*time.Minute), startEarly)
})
