package scenarios

import (
	"context"
	"fmt"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apitypes "k8s.io/apimachinery/pkg/types"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// scaleAsUser scales, restarts and labels an operator's Deployment with the patches of kubectl.
func (s *Story) scaleAsUser(ctx context.Context, name string, replicas int, label string) {
	s.Helper()
	deployments := s.Admin.Kubernetes.AppsV1().Deployments(name)
	_, err := deployments.Patch(ctx, name, apitypes.MergePatchType, fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, replicas), metav1.PatchOptions{FieldManager: "kubectl"}, "scale")
	s.Expect(err).NotTo(HaveOccurred())
	restart := fmt.Appendf(nil, `{"spec":{"template":{"metadata":{"annotations":{"kubectl.kubernetes.io/restartedAt":%q}}}}}`, time.Now().Format(time.RFC3339))
	_, err = deployments.Patch(ctx, name, apitypes.StrategicMergePatchType, restart, metav1.PatchOptions{FieldManager: "kubectl-rollout"})
	s.Expect(err).NotTo(HaveOccurred())
	_, err = deployments.Patch(ctx, name, apitypes.MergePatchType, fmt.Appendf(nil, `{"metadata":{"labels":{%q:"own"}}}`, label), metav1.PatchOptions{FieldManager: "kubectl-label"})
	s.Expect(err).NotTo(HaveOccurred())
}

func TestDriftOfOtherWriters(t *testing.T) {
	t.Parallel()
	// Promise ENG-D4: Replicas that the bundle does not set, rollout restarts, users' labels and what other controllers inject are no
	// drift. A repair of the same objects keeps them.
	runStory(t, "ENG-D4 replicas, restarts and labels of users and injected fields are no drift, and a repair keeps them", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "lodger"
		s.deployWithDriftPolicy(ctx, name, "{}")
		s.scaleAsUser(ctx, name, 3, "users")
		deployments := s.Admin.Kubernetes.AppsV1().Deployments(name)
		accounts := s.Admin.Kubernetes.CoreV1().ServiceAccounts(name)
		_, err := accounts.Patch(ctx, name, apitypes.MergePatchType, []byte(`{"secrets":[{"name":"token"}],"imagePullSecrets":[{"name":"pull"}]}`), metav1.PatchOptions{FieldManager: "openshift-controller-manager"})
		s.Expect(err).NotTo(HaveOccurred())
		s.patchSettings(ctx, name, "service-ca-operator", `{"data":{"service-ca.crt":"injected"}}`)

		s.By("editing the same objects, so that they are applied again")
		_, err = deployments.Patch(ctx, name, apitypes.StrategicMergePatchType, []byte(`{"spec":{"template":{"spec":{"containers":[{"name":"manager","image":"samples.invalid/evil"}]}}}}`), metav1.PatchOptions{FieldManager: "tinkerer"})
		s.Expect(err).NotTo(HaveOccurred())
		s.patchSettings(ctx, name, "tinkerer", `{"data":{"a":"edited"}}`)
		s.Eventually(s.settingsOf).WithContext(ctx).WithArguments(name).Should(And(HaveKeyWithValue("a", "1"), HaveKeyWithValue("service-ca.crt", "injected")))
		live := func(ctx context.Context) (*appsv1.Deployment, error) {
			return deployments.Get(ctx, name, metav1.GetOptions{})
		}
		s.Eventually(live).WithContext(ctx).Should(HaveField("Spec.Template.Spec.Containers", ContainElement(HaveField("Image", "samples.invalid/"+name+":1.0.0"))))
		s.Consistently(live, "30s").WithContext(ctx).Should(And(
			HaveField("Spec.Replicas", HaveValue(BeEquivalentTo(3))),
			HaveField("Spec.Template.Annotations", HaveKey("kubectl.kubernetes.io/restartedAt")),
			HaveField("Labels", HaveKeyWithValue("users", "own")),
		))
		account, err := accounts.Get(ctx, name, metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(account.Secrets).To(ContainElement(HaveField("Name", "token")))
		s.Expect(account.ImagePullSecrets).To(ContainElement(HaveField("Name", "pull")))
		s.Expect(s.conditionOf(ctx, name, corev1alpha2.ConditionDrifted)).To(HavePrefix("False"))
		drift, err := s.driftOf(ctx, name)
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(drift).To(ContainElement(HaveField("Paths", ContainElement("/metadata/labels/users"))))
		s.Expect(drift).NotTo(ContainElement(HaveField("Manager", BeElementOf("service-ca-operator", "openshift-controller-manager", "kube-controller-manager"))))
		s.Expect(drift).NotTo(ContainElement(HaveField("Paths", ContainElement("/spec/replicas"))))
	})
}
