package scenarios

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/test/samples"
)

// customKind returns a CustomResourceDefinition of a kind of group keys.example.com, and a custom resource "first".
func customKind(kind, plural string) string {
	return fmt.Sprintf(`apiVersion: keys.example.com/v1
kind: %[1]s
metadata: {name: first}
spec: {size: 3}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %[2]s.keys.example.com}
spec:
  group: keys.example.com
  names: {kind: %[1]s, listKind: %[1]sList, plural: %[2]s, singular: %[3]s}
  scope: Namespaced
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
`, kind, plural, strings.ToLower(kind))
}

// writeManifests returns a change for pushChanged that adds manifests, by the names of their files.
func (s *Story) writeManifests(files map[string]string) func(manifests string) {
	return func(manifests string) {
		for name, text := range files {
			s.Expect(os.WriteFile(filepath.Join(manifests, name), []byte(text), 0o600)).To(Succeed())
		}
	}
}

// sizeOf returns spec.size of the custom resource "first" of a BundleDeployment.
func (s *Story) sizeOf(ctx context.Context, name, plural string) (int64, error) {
	live, err := s.Admin.Dynamic.Resource(customKeys(plural)).Namespace(name).Get(ctx, "first", metav1.GetOptions{})
	if err != nil {
		return 0, err
	}
	size, _, err := unstructured.NestedInt64(live.Object, "spec", "size")
	return size, err
}

func customKeys(plural string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "keys.example.com", Version: "v1", Resource: plural}
}

// ownRoles returns the number of ClusterRoles of a BundleDeployment's bundle that grant permissions to the manager.
func (s *Story) ownRoles(ctx context.Context, name string) (int, error) {
	roles, err := s.Admin.Kubernetes.RbacV1().ClusterRoles().List(ctx, metav1.ListOptions{
		LabelSelector: corev1alpha2.LabelAggregateToBundles + "=true," + corev1alpha2.LabelOwnerName + "=" + name,
	})
	if err != nil {
		return 0, err
	}
	count := 0
	for _, role := range roles.Items {
		if !strings.HasPrefix(role.Name, "platform-operators:") {
			count++
		}
	}
	return count, nil
}

func TestCustomResourcesOfRegistryBundles(t *testing.T) {
	t.Parallel()
	runStory(t, "HRD-F1 a Secret and a Role of the operator's own group are installed, repaired, pruned and removed", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "locksmith"
		registry := s.startRegistry(false)
		secret, role := customKind("Secret", "secrets"), customKind("Role", "roles")
		first := s.pushChanged(ctx, registry, samples.Operator{Package: name, Version: "1.0.0"}, s.writeManifests(map[string]string{"0-secret.yaml": secret, "0-role.yaml": role}))
		_, definition, _ := strings.Cut(role, "---\n")
		second := s.pushChanged(ctx, registry, samples.Operator{Package: name, Version: "1.1.0"}, s.writeManifests(map[string]string{
			"0-secret.yaml": strings.Replace(secret, "size: 3", "size: 4", 1), "0-role.yaml": definition,
		}))
		s.deploy(ctx, name, first)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		s.Expect(s.missingPermissions(ctx, name)).To(BeEmpty())
		for _, plural := range []string{"secrets", "roles"} {
			s.Expect(s.sizeOf(ctx, name, plural)).To(BeEquivalentTo(3))
		}
		s.Expect(s.ownRoles(ctx, name)).To(Equal(2))

		s.By("changing one, and restarting the manager")
		_, err := s.Admin.Dynamic.Resource(customKeys("secrets")).Namespace(name).Patch(ctx, "first", types.MergePatchType, []byte(`{"spec":{"size":7}}`), metav1.PatchOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Eventually(s.sizeOf).WithContext(ctx).WithArguments(name, "secrets").Should(BeEquivalentTo(3))
		s.KillManager()
		s.Expect(s.Admin.Dynamic.Resource(customKeys("roles")).Namespace(name).Delete(ctx, "first", metav1.DeleteOptions{})).To(Succeed())
		s.StartManager()
		s.Eventually(s.sizeOf).WithContext(ctx).WithArguments(name, "roles").Should(BeEquivalentTo(3))

		s.By("upgrading to a version that has only one of them, which prunes the other with its permissions")
		s.setImage(ctx, name, second)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected", "version 1.1.0")
		s.Expect(s.sizeOf(ctx, name, "secrets")).To(BeEquivalentTo(4))
		_, err = s.sizeOf(ctx, name, "roles")
		s.Expect(err).To(beNotFound())
		s.Expect(s.ownRoles(ctx, name)).To(Equal(1))

		s.By("removing it")
		from := len(s.Requests())
		s.undeploy(ctx, name)
		s.assertDeletedInOrder(s.managerWrites(from, "/"), "/secrets/first", "/deployments/"+name, "/clusterroles/platform-operators:"+name+":custom-resources")
		s.Expect(s.ownRoles(ctx, name)).To(BeZero())
		s.Eventually(s.namespaceIs).WithContext(ctx).WithArguments(name).Should(beNotFound())
	})

	runStory(t, "HRD-F1 an upgrade to a bundle without the permissions of the former one asks for them before it starts", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "ledgers"
		// The custom resource follows the Deployment, when the ClusterRole is aggregated.
		ledger := customKind("Ledger", name) + `---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: ledgers}, spec: {selector: {matchLabels: {app: ledgers}},
  template: {metadata: {labels: {app: ledgers}}, spec: {containers: [{name: a, image: local.invalid/a}]}}}}
`
		first := s.publishPlain(ctx, name, ledger, `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole,
			metadata: {name: ledgers-of-bundle, labels: {platform.openshift.io/aggregate-to-bundles: "true"}},
			rules: [{apiGroups: [keys.example.com], resources: [ledgers], verbs: [create, delete, get, list, patch, update, watch]}]}`)
		second := s.publishPlain(ctx, "ledgers-next", strings.Replace(ledger, "size: 3", "size: 4", 1))
		s.deployWithClass(ctx, corev1alpha2.ProvisionerClassPlain, name, first)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		s.Expect(s.sizeOf(ctx, name, name)).To(BeEquivalentTo(3))

		s.By("upgrading, which is blocked, because the former ClusterRole would be pruned")
		s.setImage(ctx, name, second)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionInstalled, "True UpgradeFailed", "ledgers.keys.example.com")
		s.Expect(s.missingPermissions(ctx, name)).To(Equal([]corev1alpha2.MissingPermission{
			{Group: "keys.example.com", Resource: name, Verbs: []string{"list", "watch"}},
			{Group: "keys.example.com", Resource: name, Namespace: name, Verbs: []string{"create", "delete", "get", "patch", "update"}},
		}))
		s.Expect(s.sizeOf(ctx, name, name)).To(BeEquivalentTo(3))
		s.Expect(s.ownRoles(ctx, name)).To(Equal(1))

		s.By("granting them")
		s.grantResource(ctx, name, "keys.example.com", name)
		s.Eventually(s.sizeOf).WithContext(ctx).WithArguments(name, name).Should(BeEquivalentTo(4))
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		s.Eventually(s.ownRoles).WithContext(ctx).WithArguments(name).Should(BeZero())
		s.Expect(s.missingPermissions(ctx, name)).To(BeEmpty())
		_, err := s.Admin.Dynamic.Resource(customKeys(name)).Namespace(name).Patch(ctx, "first", types.MergePatchType, []byte(`{"spec":{"size":7}}`), metav1.PatchOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Eventually(s.sizeOf).WithContext(ctx).WithArguments(name, name).Should(BeEquivalentTo(4))
		s.undeploy(ctx, name)
		_, err = s.sizeOf(ctx, name, name)
		s.Expect(err).To(beNotFound())
	})

	runStory(t, "HRD-F2 a manifest that was read as another version is a warning in status and an Event", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "notary"
		registry := s.startRegistry(false)
		ref := s.pushChanged(ctx, registry, samples.Operator{Package: name, Version: "1.0.0"}, func(manifests string) {
			s.replaceInFile(filepath.Join(manifests, name+".clusterserviceversion.yaml"), "apiVersion: operators.coreos.com/v1alpha1", "apiVersion: operators.coreos.com/v1")
		})
		warning := `manifests/notary.clusterserviceversion.yaml: ClusterServiceVersion "notary.v1.0.0" has apiVersion "operators.coreos.com/v1" and was read as operators.coreos.com/v1alpha1; set that apiVersion`
		s.deploy(ctx, name, ref)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		s.Expect(s.statusOf(ctx, name).Warnings).To(Equal([]string{warning}))
		s.Expect(s.statusOf(ctx, name).Plan.Warnings).To(Equal([]string{warning}))
		once := map[string]int32{warning: 1}
		s.Eventually(s.eventCounts).WithContext(ctx).WithArguments(name, "BundleWarning").Should(Equal(once))

		s.By("restarting the manager, which keeps the warning")
		s.KillManager()
		s.StartManager()
		s.Consistently(func(ctx context.Context) ([]string, error) {
			live, err := s.Admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
			return live.Status.Warnings, err
		}, "30s").WithContext(ctx).Should(Equal([]string{warning}))
		s.Expect(s.eventCounts(ctx, name, "BundleWarning")).To(Equal(once))
	})
}
