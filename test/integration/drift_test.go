package integration

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apitypes "k8s.io/apimachinery/pkg/types"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/test/samples"
)

// drifting deploys a sample with a ConfigMap "settings" of its own under some drift policy, and waits until all of it is
// there. The bundle does not say how many replicas its Deployment has.
func drifting(ctx context.Context, name, drift string) {
	GinkgoHelper()
	Expect(samples.Write(env.SamplesDir, samples.Operator{Package: name, Version: "1.0.0"})).To(Succeed())
	manifests := filepath.Join(env.SamplesDir, "bundles", name, "1.0.0", "manifests")
	settings := `{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, labels: {declared: label}}, data: {a: "1", b: "2"}}`
	Expect(os.WriteFile(filepath.Join(manifests, "settings.yaml"), []byte(settings), 0o644)).To(Succeed())
	files, err := filepath.Glob(filepath.Join(manifests, "*"))
	Expect(err).NotTo(HaveOccurred())
	unset := false
	for _, file := range files {
		content, err := os.ReadFile(file)
		Expect(err).NotTo(HaveOccurred())
		if strings.Contains(string(content), "          replicas: 1\n") {
			unset = true
			Expect(os.WriteFile(file, []byte(strings.Replace(string(content), "          replicas: 1\n", "", 1)), 0o644)).To(Succeed())
		}
	}
	Expect(unset).To(BeTrue(), "no file of the sample sets replicas")
	Expect(env.Publish(ctx)).To(Succeed())
	ref, found := env.Catalog.Bundle(name, "1.0.0")
	Expect(found).To(BeTrue())
	manifest := deployment(name, fmt.Sprintf("{installNamespace: %s, provisionerClassName: core-rukpak-io-registry, drift: %s, source: {type: image, image: {ref: %q}}}", name, drift, ref))
	_, err = admin.Dynamic.Resource(bundleDeployments).Create(ctx, parse(bundleDeployments, "BundleDeployment", manifest), metav1.CreateOptions{})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(undeploy, name)
	Eventually(conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionProgressing).Should(ContainSubstring("AsExpected"))
}

// settingsOf gives the labels and data of a deployment's ConfigMap.
func settingsOf(ctx context.Context, name string) (map[string]string, error) {
	live, err := admin.Kubernetes.CoreV1().ConfigMaps(name).Get(ctx, "settings", metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for key, value := range live.Labels {
		all["label "+key] = value
	}
	for key, value := range live.Data {
		all[key] = value
	}
	return all, nil
}

// patched changes a deployment's ConfigMap as some field manager.
func patched(ctx context.Context, name, manager, patch string) {
	GinkgoHelper()
	_, err := admin.Kubernetes.CoreV1().ConfigMaps(name).Patch(ctx, "settings", apitypes.MergePatchType, []byte(patch), metav1.PatchOptions{FieldManager: manager})
	Expect(err).NotTo(HaveOccurred())
}

func driftOf(ctx context.Context, name string) ([]corev1alpha2.DriftRecord, error) {
	live, err := admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	return live.Status.Drift, nil
}

var _ = Describe("drift", func() {

	It("ENG-D4 is none in replicas, restarts and labels of users, nor in what controllers inject, and a repair keeps them", func(ctx context.Context) {
		const name = "lodger"
		drifting(ctx, name, "{}")
		kubectl(ctx, "scale", "deployment", name, "-n", name, "--replicas=3")
		kubectl(ctx, "rollout", "restart", "deployment", name, "-n", name)
		kubectl(ctx, "label", "deployment", name, "-n", name, "users=own")
		deployments := admin.Kubernetes.AppsV1().Deployments(name)
		accounts := admin.Kubernetes.CoreV1().ServiceAccounts(name)
		_, err := accounts.Patch(ctx, name, apitypes.MergePatchType, []byte(`{"secrets":[{"name":"token"}],"imagePullSecrets":[{"name":"pull"}]}`), metav1.PatchOptions{FieldManager: "openshift-controller-manager"})
		Expect(err).NotTo(HaveOccurred())
		patched(ctx, name, "service-ca-operator", `{"data":{"service-ca.crt":"injected"}}`)

		By("editing the same objects, so that they are applied again")
		_, err = deployments.Patch(ctx, name, apitypes.StrategicMergePatchType, []byte(`{"spec":{"template":{"spec":{"containers":[{"name":"manager","image":"samples.invalid/evil"}]}}}}`), metav1.PatchOptions{FieldManager: "tinkerer"})
		Expect(err).NotTo(HaveOccurred())
		patched(ctx, name, "tinkerer", `{"data":{"a":"edited"}}`)
		Eventually(settingsOf).WithContext(ctx).WithArguments(name).Should(And(HaveKeyWithValue("a", "1"), HaveKeyWithValue("service-ca.crt", "injected")))
		live := func(ctx context.Context) (*appsv1.Deployment, error) {
			return deployments.Get(ctx, name, metav1.GetOptions{})
		}
		Eventually(live).WithContext(ctx).Should(HaveField("Spec.Template.Spec.Containers", ContainElement(HaveField("Image", "samples.invalid/"+name+":1.0.0"))))
		Consistently(live).WithContext(ctx).Should(And(
			HaveField("Spec.Replicas", HaveValue(BeEquivalentTo(3))),
			HaveField("Spec.Template.Annotations", HaveKey("kubectl.kubernetes.io/restartedAt")),
			HaveField("Labels", HaveKeyWithValue("users", "own")),
		))
		account, err := accounts.Get(ctx, name, metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(account.Secrets).To(ContainElement(HaveField("Name", "token")))
		Expect(account.ImagePullSecrets).To(ContainElement(HaveField("Name", "pull")))
		Expect(conditionOf(ctx, name, corev1alpha2.ConditionDrifted)).To(HavePrefix("False"))
		told, err := driftOf(ctx, name)
		Expect(err).NotTo(HaveOccurred())
		Expect(told).To(ContainElement(HaveField("Paths", ContainElement("/metadata/labels/users"))))
		Expect(told).NotTo(ContainElement(HaveField("Manager", BeElementOf("service-ca-operator", "openshift-controller-manager", "kube-controller-manager"))))
		Expect(told).NotTo(ContainElement(HaveField("Paths", ContainElement("/spec/replicas"))))
	})

})
