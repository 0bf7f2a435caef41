package scenarios

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apitypes "k8s.io/apimachinery/pkg/types"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/test/samples"
)

// deployWithDriftPolicy deploys a sample with a ConfigMap "settings" and this drift policy, and waits until it is installed. The bundle
// does not set the replicas of its Deployment.
func (s *Story) deployWithDriftPolicy(ctx context.Context, name, drift string) {
	s.Helper()
	s.Expect(samples.Write(s.Environment.SamplesDir, samples.Operator{Package: name, Version: "1.0.0"})).To(Succeed())
	manifests := filepath.Join(s.Environment.SamplesDir, "bundles", name, "1.0.0", "manifests")
	settings := `{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, labels: {declared: label}}, data: {a: "1", b: "2"}}`
	s.Expect(os.WriteFile(filepath.Join(manifests, "settings.yaml"), []byte(settings), 0o644)).To(Succeed())
	files, err := filepath.Glob(filepath.Join(manifests, "*"))
	s.Expect(err).NotTo(HaveOccurred())
	unset := false
	for _, file := range files {
		content, err := os.ReadFile(file)
		s.Expect(err).NotTo(HaveOccurred())
		if strings.Contains(string(content), "          replicas: 1\n") {
			unset = true
			s.Expect(os.WriteFile(file, []byte(strings.Replace(string(content), "          replicas: 1\n", "", 1)), 0o644)).To(Succeed())
		}
	}
	s.Expect(unset).To(BeTrue(), "no file of the sample sets replicas")
	s.Expect(s.Environment.Publish(ctx)).To(Succeed())
	ref, found := s.Environment.Catalog.Bundle(name, "1.0.0")
	s.Expect(found).To(BeTrue())
	manifest := bundleDeploymentManifest(name, fmt.Sprintf("{installNamespace: %s, provisionerClassName: core-rukpak-io-registry, drift: %s, source: {type: image, image: {ref: %q}}}", name, drift, ref))
	_, err = s.Admin.Dynamic.Resource(bundleDeployments).Create(ctx, s.parse(bundleDeployments, "BundleDeployment", manifest), metav1.CreateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
}

// settingsOf returns the data and the labels of the ConfigMap "settings". The key of a label has the prefix "label ".
func (s *Story) settingsOf(ctx context.Context, name string) (map[string]string, error) {
	live, err := s.Admin.Kubernetes.CoreV1().ConfigMaps(name).Get(ctx, "settings", metav1.GetOptions{})
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

// patchSettings merges a patch into the ConfigMap "settings" as a field manager.
func (s *Story) patchSettings(ctx context.Context, name, manager, patch string) {
	s.Helper()
	_, err := s.Admin.Kubernetes.CoreV1().ConfigMaps(name).Patch(ctx, "settings", apitypes.MergePatchType, []byte(patch), metav1.PatchOptions{FieldManager: manager})
	s.Expect(err).NotTo(HaveOccurred())
}

func (s *Story) driftOf(ctx context.Context, name string) ([]corev1alpha2.DriftRecord, error) {
	live, err := s.Admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	return live.Status.Drift, nil
}

// record returns a matcher of a record of status.drift. Without paths, it matches a record without paths.
func record(change corev1alpha2.DriftChange, outcome corev1alpha2.DriftOutcome, manager string, paths ...string) types.GomegaMatcher {
	matchPaths := HaveField("Paths", BeEmpty())
	if len(paths) > 0 {
		matchPaths = HaveField("Paths", Equal(paths))
	}
	return And(HaveField("Change", change), HaveField("Outcome", outcome), HaveField("Manager", manager), matchPaths,
		HaveField("Time.Time", BeTemporally("~", time.Now(), time.Hour)))
}

// managerWrites returns the manager's writes below a path after the first from requests, each as "VERB PATH". It omits writes of probes.
func (s *Story) managerWrites(from int, path string) (writes []string) {
	for _, each := range s.Requests()[from:] {
		if each.User == managerUser && each.IsWrite() && strings.HasPrefix(each.Path, path) && !strings.Contains(each.Path, "/"+probePrefix) {
			writes = append(writes, each.Verb+" "+each.Path)
		}
	}
	return writes
}

// repairsOf returns the number of repaired objects of a BundleDeployment, from the manager's metrics.
func (s *Story) repairsOf(_ context.Context, name string) (float64, error) {
	return s.Manager.metric("platform_operators_drift_repairs_total", name)
}

// atOnce is the maximum time for a repair after a watch event. It is shorter than the interval of resyncs of a BundleDeployment.
const atOnce = 2 * time.Second

func TestDrift(t *testing.T) {
	t.Parallel()
	// Promise ENG-D3: The manager reverts an edited field, a removed label and a deleted object upon the watch event, and reports each
	// repair. `spec.drift.additions` decides whether additions are reported, ignored or removed.
	runStory(t, "ENG-D3 declared fields are restored upon the watch event, additions follow the policy, and all repairs are reported", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "tinkered"
		s.deployWithDriftPolicy(ctx, name, "{}")
		counted, err := s.repairsOf(ctx, name)
		s.Expect(err).NotTo(HaveOccurred())

		s.By("editing a declared field")
		s.patchSettings(ctx, name, "tinkerer", `{"data":{"a":"edited"}}`)
		s.Eventually(s.settingsOf).WithContext(ctx).WithArguments(name).WithTimeout(atOnce).Should(HaveKeyWithValue("a", "1"))
		s.Eventually(s.driftOf).WithContext(ctx).WithArguments(name).Should(ContainElement(record("Edited", "Repaired", "tinkerer", "/data/a")))

		s.By("removing a declared label")
		s.patchSettings(ctx, name, "tinkerer", `{"metadata":{"labels":{"declared":null}}}`)
		s.Eventually(s.settingsOf).WithContext(ctx).WithArguments(name).WithTimeout(atOnce).Should(HaveKeyWithValue("label declared", "label"))
		s.Eventually(s.driftOf).WithContext(ctx).WithArguments(name).Should(ContainElement(record("Edited", "Repaired", "", "/metadata/labels/declared")))

		s.By("removing the label that the manager's watch selects")
		s.patchSettings(ctx, name, "tinkerer", `{"metadata":{"labels":{"core.rukpak.io/owner-kind":null}}}`)
		s.Eventually(s.settingsOf).WithContext(ctx).WithArguments(name).WithTimeout(atOnce).Should(HaveKeyWithValue("label core.rukpak.io/owner-kind", "BundleDeployment"))
		s.Eventually(s.driftOf).WithContext(ctx).WithArguments(name).Should(ContainElement(record("Edited", "Repaired", "", "/metadata/labels/core.rukpak.io~1owner-kind")))

		s.By("deleting an object")
		s.Expect(s.Admin.Kubernetes.CoreV1().ConfigMaps(name).Delete(ctx, "settings", metav1.DeleteOptions{})).To(Succeed())
		s.Eventually(s.settingsOf).WithContext(ctx).WithArguments(name).WithTimeout(atOnce).Should(HaveKeyWithValue("a", "1"))
		s.Eventually(s.driftOf).WithContext(ctx).WithArguments(name).Should(ContainElement(record("Deleted", "Repaired", "")))

		s.By("checking the Events and metrics of the four repairs")
		s.Eventually(s.eventsOf).WithContext(ctx).WithArguments(name).Should(ContainElements(
			`Normal DriftRepaired: ConfigMap tinkered/settings was edited by field manager "tinkerer" (/data/a); restored as declared`,
			"Normal DriftRepaired: ConfigMap tinkered/settings was edited (/metadata/labels/declared); restored as declared",
			"Normal DriftRepaired: ConfigMap tinkered/settings was edited (/metadata/labels/core.rukpak.io~1owner-kind); restored as declared",
			"Normal DriftRepaired: ConfigMap tinkered/settings was deleted; restored as declared",
		))
		s.Eventually(s.repairsOf).WithContext(ctx).WithArguments(name).Should(Equal(counted + 4))

		s.By("adding a map entry, a label, a list item and a field")
		s.patchSettings(ctx, name, "adder", `{"metadata":{"labels":{"users":"own"}},"data":{"extra":"mine"}}`)
		s.Eventually(s.driftOf).WithContext(ctx).WithArguments(name).Should(ContainElement(record("Added", "Reported", "adder", "/data/extra", "/metadata/labels/users")))
		_, err = s.Admin.Kubernetes.AppsV1().Deployments(name).Patch(ctx, name, apitypes.StrategicMergePatchType,
			[]byte(`{"spec":{"minReadySeconds":3,"template":{"spec":{"containers":[{"name":"sidecar","image":"samples.invalid/sidecar"}]}}}}`), metav1.PatchOptions{FieldManager: "adder"})
		s.Expect(err).NotTo(HaveOccurred())
		s.Eventually(s.driftOf).WithContext(ctx).WithArguments(name).Should(ContainElement(
			And(record("Added", "Reported", "adder", "/spec/minReadySeconds", `/spec/template/spec/containers/[name="sidecar"]`), HaveField("Object.Kind", "Deployment"))))
		s.Consistently(s.settingsOf).WithContext(ctx).WithArguments(name).Should(And(HaveKeyWithValue("extra", "mine"), HaveKeyWithValue("label users", "own")))
		s.Expect(s.conditionOf(ctx, name, corev1alpha2.ConditionDrifted)).To(HavePrefix("False"))

		s.By("removing an addition, which removes its record")
		s.patchSettings(ctx, name, "adder", `{"metadata":{"labels":{"users":null}},"data":{"extra":null}}`)
		s.Eventually(s.driftOf).WithContext(ctx).WithArguments(name).ShouldNot(ContainElement(And(HaveField("Change", corev1alpha2.DriftAdded), HaveField("Object.Kind", "ConfigMap"))))

		s.By("ignoring additions, which removes the records of earlier ones")
		s.patchDeployment(ctx, name, `{"spec":{"drift":{"additions":"Ignore"}}}`)
		added := HaveField("Change", corev1alpha2.DriftAdded)
		s.Eventually(s.driftOf).WithContext(ctx).WithArguments(name).ShouldNot(ContainElement(added))
		s.patchSettings(ctx, name, "adder", `{"metadata":{"labels":{"users":"own"}},"data":{"extra":"mine"}}`)
		s.Consistently(s.driftOf).WithContext(ctx).WithArguments(name).ShouldNot(ContainElement(added))
		s.Expect(s.settingsOf(ctx, name)).To(And(HaveKeyWithValue("extra", "mine"), HaveKeyWithValue("label users", "own")))

		s.By("removing additions")
		s.patchDeployment(ctx, name, `{"spec":{"drift":{"additions":"Remove"}}}`)
		s.Eventually(s.settingsOf).WithContext(ctx).WithArguments(name).Should(And(Not(HaveKey("extra")), Not(HaveKey("label users")), HaveKeyWithValue("a", "1"), HaveKey("label declared")))
		s.Eventually(s.driftOf).WithContext(ctx).WithArguments(name).Should(ContainElement(record("Added", "Repaired", "adder", "/data/extra", "/metadata/labels/users")))
		s.Eventually(func(ctx context.Context) (*appsv1.Deployment, error) {
			return s.Admin.Kubernetes.AppsV1().Deployments(name).Get(ctx, name, metav1.GetOptions{})
		}).WithContext(ctx).Should(And(HaveField("Spec.MinReadySeconds", BeEquivalentTo(0)), HaveField("Spec.Template.Spec.Containers", HaveLen(1))))
	})

	// Promise ENG-D6: With the drift policy Report, `Drifted` is True with each change listed, and the manager writes nothing. With
	// Ignore, and for ignored fields, it neither writes nor reports.
	runStory(t, "ENG-D6 policy Report only reports, Ignore and ignored fields do not, and Enforce repairs", defaultOperators, func(ctx context.Context, s *Story) {
		const reported, silent = "reported", "silent"
		s.deployWithDriftPolicy(ctx, reported, "{policy: Report}")
		s.deployWithDriftPolicy(ctx, silent, `{policy: Ignore}`)
		from := len(s.Requests())
		for _, name := range []string{reported, silent} {
			s.patchSettings(ctx, name, "tinkerer", `{"data":{"a":"edited"}}`)
			s.Expect(s.Admin.Kubernetes.CoreV1().Services(name).Delete(ctx, name+"-metrics", metav1.DeleteOptions{})).To(Succeed())
		}
		s.Eventually(s.conditionOf).WithContext(ctx).WithArguments(reported, corev1alpha2.ConditionDrifted).Should(HavePrefix("True " + corev1alpha2.ReasonDriftReported))
		s.Eventually(s.driftOf).WithContext(ctx).WithArguments(reported).Should(ConsistOf(
			record("Edited", "Reported", "tinkerer", "/data/a"), And(record("Deleted", "Reported", ""), HaveField("Object.Kind", "Service"))))

		s.By("restarting the manager")
		before, err := s.driftOf(ctx, reported)
		s.Expect(err).NotTo(HaveOccurred())
		s.KillManager()
		s.StartManager()
		s.Consistently(s.driftOf, "10s").WithContext(ctx).WithArguments(reported).Should(HaveLen(len(before)))
		for _, name := range []string{reported, silent} {
			s.Expect(s.managerWrites(from, "/api/v1/namespaces/"+name+"/")).To(BeEmpty())
			s.Expect(s.managerWrites(from, "/apis/apps/v1/namespaces/"+name+"/")).To(BeEmpty())
			s.Expect(s.settingsOf(ctx, name)).To(HaveKeyWithValue("a", "edited"))
		}
		s.Expect(s.conditionOf(ctx, reported, corev1alpha2.ConditionDrifted)).To(And(ContainSubstring("spec.drift.policy"), ContainSubstring("reported")))
		s.Expect(s.eventsOf(ctx, silent)).NotTo(ContainElement(ContainSubstring("Drift")))
		s.Expect(s.driftOf(ctx, silent)).To(BeEmpty())
		s.Expect(s.conditionOf(ctx, silent, corev1alpha2.ConditionDrifted)).NotTo(HavePrefix("True"))

		s.By("enforcing all but one field")
		for _, name := range []string{reported, silent} {
			_, err := s.Admin.Platform.CoreV1alpha2().BundleDeployments().Patch(ctx, name, apitypes.MergePatchType,
				[]byte(`{"spec":{"drift":{"policy":"Enforce","ignore":[{"target":{"kind":"ConfigMap"},"jsonPointers":["/data/a"]}]}}}`), metav1.PatchOptions{})
			s.Expect(err).NotTo(HaveOccurred())
			s.patchSettings(ctx, name, "tinkerer", `{"data":{"b":"edited"}}`)
			s.Eventually(s.settingsOf).WithContext(ctx).WithArguments(name).Should(HaveKeyWithValue("b", "2"))
			s.Eventually(func(ctx context.Context) error {
				_, err := s.Admin.Kubernetes.CoreV1().Services(name).Get(ctx, name+"-metrics", metav1.GetOptions{})
				return err
			}).WithContext(ctx).Should(Succeed())
			s.Consistently(s.settingsOf).WithContext(ctx).WithArguments(name).Should(HaveKeyWithValue("a", "edited"))
			s.Eventually(s.conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionDrifted).Should(HavePrefix("False"))
		}
	})

	runStory(t, "drift is repaired after a restart, and nothing else is written", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "stranded"
		s.deployWithDriftPolicy(ctx, name, "{}")
		s.KillManager()
		s.patchSettings(ctx, name, "tinkerer", `{"data":{"a":"edited"}}`)
		s.Expect(s.Admin.Kubernetes.CoreV1().Services(name).Delete(ctx, name+"-metrics", metav1.DeleteOptions{})).To(Succeed())
		from := len(s.Requests())
		s.StartManager()
		s.Eventually(s.settingsOf).WithContext(ctx).WithArguments(name).Should(HaveKeyWithValue("a", "1"))
		s.Eventually(s.driftOf).WithContext(ctx).WithArguments(name).Should(ContainElements(
			record("Edited", "Repaired", "tinkerer", "/data/a"), And(record("Deleted", "Repaired", ""), HaveField("Object.Kind", "Service"))))
		s.Expect(s.managerWrites(from, "/apis/apps/v1/namespaces/"+name+"/")).To(BeEmpty())
		s.Expect(s.managerWrites(from, "/apis/rbac.authorization.k8s.io/v1/")).To(BeEmpty())
		s.Expect(s.managerWrites(from, "/apis/apiextensions.k8s.io/v1/")).To(BeEmpty())
	})

	// Promise ENG-D18: When a GitOps tool applies an unchanged BundleDeployment every second, nothing is written.
	runStory(t, "ENG-D18 a BundleDeployment that is applied unchanged every second causes no write", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "reapplied"
		s.deployWithDriftPolicy(ctx, name, "{}")
		client := s.Admin.Dynamic.Resource(bundleDeployments)
		live, err := client.Get(ctx, name, metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		wanted := s.parse(bundleDeployments, "BundleDeployment", "{metadata: {name: "+name+"}}")
		wanted.Object["spec"] = live.Object["spec"]
		apply := func(ctx context.Context) (string, error) {
			after, err := client.Apply(ctx, name, wanted, metav1.ApplyOptions{FieldManager: "gitops", Force: true})
			if err != nil {
				return "", err
			}
			return after.GetResourceVersion(), nil
		}
		first, err := apply(ctx)
		s.Expect(err).NotTo(HaveOccurred())
		from := len(s.Requests())
		s.Consistently(apply, "6s", "1s").WithContext(ctx).Should(Equal(first))
		s.Expect(s.managerWrites(from, "/apis/core.rukpak.io/")).To(BeEmpty())
		s.Expect(s.managerWrites(from, "/api/v1/namespaces/"+name+"/")).To(BeEmpty())
		s.Expect(s.managerWrites(from, "/apis/apps/v1/namespaces/"+name+"/")).To(BeEmpty())
	})
}
