package scenarios

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/scenario"
)

// gaugeDefinition returns the CustomResourceDefinition of a kind Gauge whose objects have a spec with these properties.
func gaugeDefinition(plural, properties string) string {
	return fmt.Sprintf(`{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: %[1]s.safety.example.com}, spec: {group: safety.example.com, scope: Namespaced,
names: {kind: Gauge%[1]s, listKind: Gauge%[1]sList, plural: %[1]s, singular: %[1]s-one}, versions: [{name: v1, served: true, storage: true,
schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {%[2]s}}}}}}]}}`, plural, properties)
}

// gauges returns the resource of a kind that gaugeDefinition defines.
func gauges(plural string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "safety.example.com", Version: "v1", Resource: plural}
}

func TestCRDSafety(t *testing.T) {
	t.Parallel()
	// Promise ENG-P3: An unsafe change of a CustomResourceDefinition blocks a revision. A waiver for its rule permits it, and a waiver that
	// permits nothing is reported.
	runStory(t, "ENG-P3 an unsafe change of a CustomResourceDefinition is refused with rule and path until a waiver permits it", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "narrowing"
		s.deployWithClass(ctx, plainClass, name, s.publishPlain(ctx, name, gaugeDefinition(name, "size: {type: integer}, color: {type: string}")))
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		s.setImage(ctx, name, s.publishPlain(ctx, name, gaugeDefinition(name, "size: {type: integer}")))
		s.waitForCondition(ctx, name, corev1alpha2.ConditionInstalled, "True UpgradeFailed", "CustomResourceDefinition narrowing.safety.example.com: the change is unsafe by rule existingFieldRemoval: v1: .spec.color")
		s.Expect(s.statusOf(ctx, name).Plan.CRDFindings).To(ConsistOf(And(HaveField("Rule", "existingFieldRemoval"), HaveField("Outcome", corev1alpha2.CRDFindingBlocking))))

		s.By("waiving it, and something that does not occur")
		s.patchDeployment(ctx, name, `{"spec":{"preflight":{"crdUpgradeSafety":{"waivers":[
			{"crd":"narrowing.safety.example.com","rule":"existingFieldRemoval","reason":"nobody has set it"},
			{"crd":"narrowing.safety.example.com","rule":"enum","reason":"it may come"}]}}}}`)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected", "Revision 2")
		s.Expect(s.statusOf(ctx, name).Plan.CRDFindings).To(ConsistOf(
			And(HaveField("Rule", "existingFieldRemoval"), HaveField("Outcome", corev1alpha2.CRDFindingWaived)),
			And(HaveField("Rule", "enum"), HaveField("Outcome", corev1alpha2.CRDFindingUnused)),
		))
	})

	// Promise ENG-P4: Custom resources that a changed CustomResourceDefinition would make invalid block a revision. The first five are named.
	runStory(t, "ENG-P4 custom resources that a change would make invalid are named", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "tightening"
		s.deployWithClass(ctx, plainClass, name, s.publishPlain(ctx, name, gaugeDefinition(name, "size: {type: integer}")))
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		client := s.Admin.Dynamic.Resource(gauges(name)).Namespace(name)
		for i := range 8 {
			_, err := client.Create(ctx, &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "safety.example.com/v1", "kind": "Gauge" + name, "metadata": map[string]any{"name": fmt.Sprintf("g%d", i)}, "spec": map[string]any{"size": int64(i)},
			}}, metav1.CreateOptions{})
			s.Expect(err).NotTo(HaveOccurred())
		}
		s.setImage(ctx, name, s.publishPlain(ctx, name, gaugeDefinition(name, "size: {type: integer, maximum: 1}")))
		s.waitForCondition(ctx, name, corev1alpha2.ConditionInstalled, "True UpgradeFailed", "by rule maximum: v1: .spec.size")
		s.patchDeployment(ctx, name, `{"spec":{"preflight":{"crdUpgradeSafety":{"waivers":[{"crd":"tightening.safety.example.com","rule":"maximum","reason":"no gauge is larger"}]}}}}`)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionInstalled, "True UpgradeFailed", "by rule storedObjects: tightening/g2: spec.size", "and 4 more unsafe changes")

		s.By("correcting the objects")
		for i := 2; i < 8; i++ {
			s.Expect(client.Delete(ctx, fmt.Sprintf("g%d", i), metav1.DeleteOptions{})).To(Succeed())
		}
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected", "Revision 2")
		s.undeploy(ctx, name)
	})

	runStory(t, "ENG-P4 many custom resources are checked in pages while other deployments continue, a removal ends the check, and a failed one is not repeated at once", defaultOperators, func(ctx context.Context, s *Story) {
		const name, other, objects = "populous", "unhurried", 850
		s.deployWithClass(ctx, plainClass, name, s.publishPlain(ctx, name, gaugeDefinition(name, "size: {type: integer, maximum: 9}")))
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		client := s.Admin.Dynamic.Resource(gauges(name)).Namespace(name)
		for i := range objects {
			_, err := client.Create(ctx, &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "safety.example.com/v1", "kind": "Gauge" + name, "metadata": map[string]any{"name": fmt.Sprintf("g%03d", i)}, "spec": map[string]any{"size": int64(i / (objects - 1) * 9)},
			}}, metav1.CreateOptions{})
			s.Expect(err).NotTo(HaveOccurred())
		}

		s.By("asking for a definition that the last object does not fit, while each page takes half a minute")
		const pageTime = 30 * time.Second
		pages := s.Inject(scenario.Fault{Times: scenario.Always, Effect: scenario.Delay(pageTime), Match: func(r scenario.Request) bool {
			return r.User == managerUser && r.Verb == "list" && r.Resource == gauges(name).GroupResource() && strings.Contains(r.Options, "limit")
		}})
		waive := func(rules string) {
			s.patchDeployment(ctx, name, `{"spec":{"preflight":{"crdUpgradeSafety":{"waivers":[`+rules+`]}}}}`)
		}
		waive(`{"crd":"populous.safety.example.com","rule":"maximum","reason":"no gauge is larger"}`)
		s.setImage(ctx, name, s.publishPlain(ctx, name, gaugeDefinition(name, "size: {type: integer, maximum: 8}")))
		const checking = "checking whether the stored custom resources fit the changed CustomResourceDefinitions"
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "True RollingOut", checking)
		begin := time.Now()
		s.deployWithClass(ctx, plainClass, other, s.publishPlain(ctx, other))
		s.waitForCondition(ctx, other, corev1alpha2.ConditionProgressing, "False AsExpected")
		s.Expect(time.Since(begin)).To(BeNumerically("<", pageTime), "another BundleDeployment waits for the check")
		s.Eventually(s.conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionInstalled).WithTimeout(10 * pageTime).
			Should(And(HavePrefix("True UpgradeFailed"), ContainSubstring("by rule storedObjects: populous/g849: spec.size")))
		s.Expect(pages.Applied()).To(HaveLen(4), "pages of 100, 200, 400 and up to 500 objects")

		s.By("removing the BundleDeployment during the next check")
		s.setImage(ctx, name, s.publishPlain(ctx, name, gaugeDefinition(name, "size: {type: integer, maximum: 7}")))
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "True RollingOut", checking)
		s.undeploy(ctx, name)
		sent := len(pages.Applied())
		s.Consistently(pages.Applied, 3*pageTime).Should(HaveLen(sent), "the check continues after the removal")

		s.By("checking custom resources that a ServiceAccount may not list")
		s.upgradeUnlisted(ctx)

		s.By("installing over a kept definition whose custom resources the manager may not list yet")
		s.reinstallUnlisted(ctx)
	})

	// Promise ENG-P5: An upgrade may bring a new CustomResourceDefinition. One that another BundleDeployment owns is refused, and the other one is
	// named.
	runStory(t, "ENG-P5 an upgrade brings a new CustomResourceDefinition, and one that belongs to another deployment names it", defaultOperators, func(ctx context.Context, s *Story) {
		const name, other = "bringing", "borrowing"
		s.deployWithClass(ctx, plainClass, name, s.publishPlain(ctx, name))
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		s.setImage(ctx, name, s.publishPlain(ctx, name, gaugeDefinition(name, "size: {type: integer}")))
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected", "Revision 2")
		s.waitUntilOlder(ctx, name)
		s.deployWithClass(ctx, plainClass, other, s.publishPlain(ctx, other, gaugeDefinition(name, "size: {type: integer}")))
		s.waitForCondition(ctx, other, corev1alpha2.ConditionInstalled, "False InstallFailed", `belongs to BundleDeployment "bringing", which is older and keeps it`)
		s.undeploy(ctx, other) // by rounds it counts in the gate, because a round does not see that the API server refuses its mutations
	})

	runStory(t, "ENG-P3 enforcement None applies an unsafe change, as rukpak's disabled does", defaultOperators, func(ctx context.Context, s *Story) {
		for name, spec := range map[string]string{"unchecked": `{"enforcement":"None"}`, "disabled": `{"disabled":true}`} {
			s.deployWithClass(ctx, plainClass, name, s.publishPlain(ctx, name, gaugeDefinition(name, "size: {type: integer}, color: {type: string}")))
			s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
			s.patchDeployment(ctx, name, `{"spec":{"preflight":{"crdUpgradeSafety":`+spec+`}}}`)
			s.setImage(ctx, name, s.publishPlain(ctx, name, gaugeDefinition(name, "size: {type: string}")))
			s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected", "Revision 2")
		}
	})
}

// upgradeUnlisted changes a definition whose custom resources the ServiceAccount may not list: the check is not repeated at once, and the
// permission is named.
func (s *Story) upgradeUnlisted(ctx context.Context) {
	s.Helper()
	const name = "unlisted"
	s.createNamespace(ctx, name)
	s.createDeployer(ctx, name)
	_, err := s.Admin.Kubernetes.RbacV1().ClusterRoles().Create(ctx, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{"apiextensions.k8s.io"}, Resources: []string{"customresourcedefinitions"}, Verbs: []string{"create", "delete", "get", "patch", "update"}},
	}}, metav1.CreateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	_, err = s.Admin.Kubernetes.RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: name, Name: deployer}},
	}, metav1.CreateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	s.deployScoped(ctx, name, s.publishPlain(ctx, name, gaugeDefinition(name, "size: {type: integer}")))
	s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
	s.patchDeployment(ctx, name, `{"spec":{"preflight":{"crdUpgradeSafety":{"waivers":[{"crd":"unlisted.safety.example.com","rule":"maximum","reason":"no gauge is larger"}]}}}}`)
	s.setImage(ctx, name, s.publishPlain(ctx, name, gaugeDefinition(name, "size: {type: integer, maximum: 1}")))
	s.waitForCondition(ctx, name, corev1alpha2.ConditionInstalled, "True UpgradeFailed", "unlisted.safety.example.com", "grant the permission to list the custom resources")
	s.Expect(s.statusOf(ctx, name).Plan.PermissionsMissing).To(ConsistOf(corev1alpha2.MissingPermission{
		Verbs: []string{"list"}, Group: "safety.example.com", Resource: name, ServiceAccountName: deployer,
	}))
	lists := func() (count int) {
		for _, each := range s.Requests() {
			if each.Verb == "list" && each.Resource.Resource == name && each.Impersonated != "" {
				count++
			}
		}
		return count
	}
	before := lists()
	time.Sleep(5 * time.Minute) // virtual time
	s.Expect(lists()-before).To(BeNumerically("<=", 11), "one in 30 seconds")

	s.By("applying what the plan prints")
	s.applyMissingPermissions(ctx, name)
	s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected", "Revision 2")
}

// reinstallUnlisted installs a bundle over a definition that was kept, and whose custom resources the manager may not list yet: they are not
// checked, and the plan says so.
func (s *Story) reinstallUnlisted(ctx context.Context) {
	s.Helper()
	const name = "returning"
	s.deployWithClass(ctx, plainClass, name, s.publishPlain(ctx, name, gaugeDefinition(name, "size: {type: integer}")))
	s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
	s.undeploy(ctx, name)
	s.deployWithClass(ctx, plainClass, name, s.publishPlain(ctx, name, gaugeDefinition(name, "size: {type: integer, maximum: 0}")))
	s.waitForCondition(ctx, name, corev1alpha2.ConditionInstalled, "False InstallFailed", "by rule maximum: v1: .spec.size")
	s.patchDeployment(ctx, name, `{"spec":{"preflight":{"crdUpgradeSafety":{"waivers":[{"crd":"returning.safety.example.com","rule":"maximum","reason":"they are corrected later"}]}}}}`)
	s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
	s.Expect(s.statusOf(ctx, name).Plan.CRDFindings).To(ConsistOf(
		And(HaveField("Rule", "maximum"), HaveField("Outcome", corev1alpha2.CRDFindingWaived)),
		And(HaveField("Rule", "storedObjects"), HaveField("Outcome", corev1alpha2.CRDFindingUnchecked), HaveField("Message", ContainSubstring("grant the manager permission to list them"))),
	))
}
