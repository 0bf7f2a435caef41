package integration

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apitypes "k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

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

// record matches what status.drift tells of the ConfigMap.
func record(change corev1alpha2.DriftChange, outcome corev1alpha2.DriftOutcome, manager string, paths ...string) types.GomegaMatcher {
	told := HaveField("Paths", BeEmpty())
	if len(paths) > 0 {
		told = HaveField("Paths", Equal(paths))
	}
	return And(HaveField("Change", change), HaveField("Outcome", outcome), HaveField("Manager", manager), told,
		HaveField("Time.Time", BeTemporally("~", time.Now(), time.Hour)))
}

// logEnd is where the API server's audit log ends now.
func logEnd() int64 {
	GinkgoHelper()
	info, err := os.Stat(env.AuditLog)
	Expect(err).NotTo(HaveOccurred())
	return info.Size()
}

// managerWrites lists what the manager has written below a path since then, dry runs aside.
func managerWrites(from int64, path string) []string {
	GinkgoHelper()
	log, err := os.Open(env.AuditLog)
	Expect(err).NotTo(HaveOccurred())
	defer log.Close()
	_, err = log.Seek(from, 0)
	Expect(err).NotTo(HaveOccurred())
	var writes []string
	lines := bufio.NewReader(log)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return writes
		}
		var event struct {
			Verb, RequestURI string
			User             struct{ Username string }
		}
		if json.Unmarshal(line, &event) != nil {
			continue // the rest of a line
		}
		if strings.HasSuffix(event.User.Username, ":platform-operators") && strings.HasPrefix(event.RequestURI, path) && !strings.Contains(event.RequestURI, "dryRun=") &&
			slices.Contains([]string{"create", "update", "patch", "delete", "deletecollection"}, event.Verb) {
			writes = append(writes, event.Verb+" "+event.RequestURI)
		}
	}
}

// repairsOf reads, from the manager's metrics, how many objects of a deployment it has put back.
func repairsOf(ctx context.Context, name string) (float64, error) {
	content, err := metricsText(ctx)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(content) {
		if value, found := strings.CutPrefix(line, fmt.Sprintf("platform_operators_drift_repairs_total{bundledeployment=%q} ", name)); found {
			return strconv.ParseFloat(strings.TrimSpace(value), 64)
		}
	}
	return 0, nil
}

// metricsText is what the manager serves as its metrics.
func metricsText(ctx context.Context) (string, error) {
	config := rest.AnonymousClientConfig(env.Admin)
	config.TLSClientConfig = rest.TLSClientConfig{Insecure: true, CertData: env.Admin.CertData, KeyData: env.Admin.KeyData, CertFile: env.Admin.CertFile, KeyFile: env.Admin.KeyFile}
	config.BearerToken = env.Admin.BearerToken
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return "", err
	}
	defer client.CloseIdleConnections()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+env.Manager.Address+"/metrics", nil)
	if err != nil {
		return "", err
	}
	answer, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(io.LimitReader(answer.Body, 16<<20))
	if err != nil || answer.StatusCode != http.StatusOK {
		return "", fmt.Errorf("asking for the manager's metrics: %s: %.200s %w", answer.Status, content, err)
	}
	return string(content), nil
}

// atOnce is within which a repair has come that follows a watch event: nothing looks at a settled deployment that often.
const atOnce = 2 * time.Second

var _ = Describe("drift", func() {
	It("ENG-D3 of what is declared is put back from the watch event, additions follow the policy, and all of it is told", func(ctx context.Context) {
		const name = "tinkered"
		drifting(ctx, name, "{}")
		counted, err := repairsOf(ctx, name)
		Expect(err).NotTo(HaveOccurred())

		By("editing a declared field")
		patched(ctx, name, "tinkerer", `{"data":{"a":"edited"}}`)
		Eventually(settingsOf).WithContext(ctx).WithArguments(name).WithTimeout(atOnce).Should(HaveKeyWithValue("a", "1"))
		Eventually(driftOf).WithContext(ctx).WithArguments(name).Should(ContainElement(record("Edited", "Repaired", "tinkerer", "/data/a")))

		By("removing a declared label")
		patched(ctx, name, "tinkerer", `{"metadata":{"labels":{"declared":null}}}`)
		Eventually(settingsOf).WithContext(ctx).WithArguments(name).WithTimeout(atOnce).Should(HaveKeyWithValue("label declared", "label"))
		Eventually(driftOf).WithContext(ctx).WithArguments(name).Should(ContainElement(record("Edited", "Repaired", "", "/metadata/labels/declared")))

		By("removing the label that it is watched by")
		patched(ctx, name, "tinkerer", `{"metadata":{"labels":{"core.rukpak.io/owner-kind":null}}}`)
		Eventually(settingsOf).WithContext(ctx).WithArguments(name).WithTimeout(atOnce).Should(HaveKeyWithValue("label core.rukpak.io/owner-kind", "BundleDeployment"))
		Eventually(driftOf).WithContext(ctx).WithArguments(name).Should(ContainElement(record("Edited", "Repaired", "", "/metadata/labels/core.rukpak.io~1owner-kind")))

		By("deleting an object")
		Expect(admin.Kubernetes.CoreV1().ConfigMaps(name).Delete(ctx, "settings", metav1.DeleteOptions{})).To(Succeed())
		Eventually(settingsOf).WithContext(ctx).WithArguments(name).WithTimeout(atOnce).Should(HaveKeyWithValue("a", "1"))
		Eventually(driftOf).WithContext(ctx).WithArguments(name).Should(ContainElement(record("Deleted", "Repaired", "")))

		By("reading of the four repairs in Events and metrics")
		Eventually(eventsOf).WithContext(ctx).WithArguments(name).Should(ContainElements(
			`Normal DriftRepaired: ConfigMap tinkered/settings was edited by "tinkerer" (/data/a); put back as declared`,
			"Normal DriftRepaired: ConfigMap tinkered/settings was edited (/metadata/labels/declared); put back as declared",
			"Normal DriftRepaired: ConfigMap tinkered/settings was edited (/metadata/labels/core.rukpak.io~1owner-kind); put back as declared",
			"Normal DriftRepaired: ConfigMap tinkered/settings was deleted; put back as declared",
		))
		Eventually(repairsOf).WithContext(ctx).WithArguments(name).Should(Equal(counted + 4))

		By("adding a map entry, a label, a list item and a field")
		patched(ctx, name, "adder", `{"metadata":{"labels":{"users":"own"}},"data":{"extra":"mine"}}`)
		Eventually(driftOf).WithContext(ctx).WithArguments(name).Should(ContainElement(record("Added", "Reported", "adder", "/data/extra", "/metadata/labels/users")))
		_, err = admin.Kubernetes.AppsV1().Deployments(name).Patch(ctx, name, apitypes.StrategicMergePatchType,
			[]byte(`{"spec":{"minReadySeconds":3,"template":{"spec":{"containers":[{"name":"sidecar","image":"samples.invalid/sidecar"}]}}}}`), metav1.PatchOptions{FieldManager: "adder"})
		Expect(err).NotTo(HaveOccurred())
		Eventually(driftOf).WithContext(ctx).WithArguments(name).Should(ContainElement(
			And(record("Added", "Reported", "adder", "/spec/minReadySeconds", `/spec/template/spec/containers/[name="sidecar"]`), HaveField("Object.Kind", "Deployment"))))
		Consistently(settingsOf).WithContext(ctx).WithArguments(name).Should(And(HaveKeyWithValue("extra", "mine"), HaveKeyWithValue("label users", "own")))
		Expect(conditionOf(ctx, name, corev1alpha2.ConditionDrifted)).To(HavePrefix("False"))

		By("removing an addition, whose record goes with it")
		patched(ctx, name, "adder", `{"metadata":{"labels":{"users":null}},"data":{"extra":null}}`)
		Eventually(driftOf).WithContext(ctx).WithArguments(name).ShouldNot(ContainElement(And(HaveField("Change", corev1alpha2.DriftAdded), HaveField("Object.Kind", "ConfigMap"))))

		By("having additions ignored: those of before are told no more, and new ones neither told nor taken away")
		patchDeployment(ctx, name, `{"spec":{"drift":{"additions":"Ignore"}}}`)
		added := HaveField("Change", corev1alpha2.DriftAdded)
		Eventually(driftOf).WithContext(ctx).WithArguments(name).ShouldNot(ContainElement(added))
		patched(ctx, name, "adder", `{"metadata":{"labels":{"users":"own"}},"data":{"extra":"mine"}}`)
		Consistently(driftOf).WithContext(ctx).WithArguments(name).ShouldNot(ContainElement(added))
		Expect(settingsOf(ctx, name)).To(And(HaveKeyWithValue("extra", "mine"), HaveKeyWithValue("label users", "own")))

		By("having additions taken away")
		patchDeployment(ctx, name, `{"spec":{"drift":{"additions":"Remove"}}}`)
		Eventually(settingsOf).WithContext(ctx).WithArguments(name).Should(And(Not(HaveKey("extra")), Not(HaveKey("label users")), HaveKeyWithValue("a", "1"), HaveKey("label declared")))
		Eventually(driftOf).WithContext(ctx).WithArguments(name).Should(ContainElement(record("Added", "Repaired", "adder", "/data/extra", "/metadata/labels/users")))
		Eventually(func(ctx context.Context) (*appsv1.Deployment, error) {
			return admin.Kubernetes.AppsV1().Deployments(name).Get(ctx, name, metav1.GetOptions{})
		}).WithContext(ctx).Should(And(HaveField("Spec.MinReadySeconds", BeEquivalentTo(0)), HaveField("Spec.Template.Spec.Containers", HaveLen(1))))
	})

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

	It("ENG-D6 is only told under policy Report, is silent under Ignore and in ignored fields, and is put back once the policy says so", func(ctx context.Context) {
		const reported, silent = "reported", "silent"
		drifting(ctx, reported, "{policy: Report}")
		drifting(ctx, silent, `{policy: Ignore}`)
		from := logEnd()
		for _, name := range []string{reported, silent} {
			patched(ctx, name, "tinkerer", `{"data":{"a":"edited"}}`)
			Expect(admin.Kubernetes.CoreV1().Services(name).Delete(ctx, name+"-metrics", metav1.DeleteOptions{})).To(Succeed())
		}
		Eventually(conditionOf).WithContext(ctx).WithArguments(reported, corev1alpha2.ConditionDrifted).Should(HavePrefix("True " + corev1alpha2.ReasonDriftReported))
		Eventually(driftOf).WithContext(ctx).WithArguments(reported).Should(ConsistOf(
			record("Edited", "Reported", "tinkerer", "/data/a"), And(record("Deleted", "Reported", ""), HaveField("Object.Kind", "Service"))))

		By("restarting the manager, which knows no more what it wrote")
		before, err := driftOf(ctx, reported)
		Expect(err).NotTo(HaveOccurred())
		Expect(env.Manager.Kill()).To(Succeed())
		Expect(env.Manager.Start()).To(Succeed())
		Consistently(driftOf, "10s").WithContext(ctx).WithArguments(reported).Should(HaveLen(len(before)))
		for _, name := range []string{reported, silent} {
			Expect(managerWrites(from, "/api/v1/namespaces/"+name+"/")).To(BeEmpty())
			Expect(managerWrites(from, "/apis/apps/v1/namespaces/"+name+"/")).To(BeEmpty())
			Expect(settingsOf(ctx, name)).To(HaveKeyWithValue("a", "edited"))
		}
		Expect(conditionOf(ctx, reported, corev1alpha2.ConditionDrifted)).To(And(ContainSubstring("spec.drift.policy"), ContainSubstring("reported")))
		Expect(eventsOf(ctx, silent)).NotTo(ContainElement(ContainSubstring("Drift")))
		Expect(driftOf(ctx, silent)).To(BeEmpty())
		Expect(conditionOf(ctx, silent, corev1alpha2.ConditionDrifted)).NotTo(HavePrefix("True"))

		By("enforcing all but one field")
		for _, name := range []string{reported, silent} {
			_, err := admin.Platform.CoreV1alpha2().BundleDeployments().Patch(ctx, name, apitypes.MergePatchType,
				[]byte(`{"spec":{"drift":{"policy":"Enforce","ignore":[{"target":{"kind":"ConfigMap"},"jsonPointers":["/data/a"]}]}}}`), metav1.PatchOptions{})
			Expect(err).NotTo(HaveOccurred())
			patched(ctx, name, "tinkerer", `{"data":{"b":"edited"}}`)
			Eventually(settingsOf).WithContext(ctx).WithArguments(name).Should(HaveKeyWithValue("b", "2"))
			Eventually(func(ctx context.Context) error {
				_, err := admin.Kubernetes.CoreV1().Services(name).Get(ctx, name+"-metrics", metav1.GetOptions{})
				return err
			}).WithContext(ctx).Should(Succeed())
			Consistently(settingsOf).WithContext(ctx).WithArguments(name).Should(HaveKeyWithValue("a", "edited"))
			Eventually(conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionDrifted).Should(HavePrefix("False"))
		}
	})

	It("is repaired after a restart, and nothing else is written", func(ctx context.Context) {
		const name = "stranded"
		drifting(ctx, name, "{}")
		Expect(env.Manager.Kill()).To(Succeed())
		patched(ctx, name, "tinkerer", `{"data":{"a":"edited"}}`)
		Expect(admin.Kubernetes.CoreV1().Services(name).Delete(ctx, name+"-metrics", metav1.DeleteOptions{})).To(Succeed())
		from := logEnd()
		Expect(env.Manager.Start()).To(Succeed())
		Eventually(settingsOf).WithContext(ctx).WithArguments(name).Should(HaveKeyWithValue("a", "1"))
		Eventually(driftOf).WithContext(ctx).WithArguments(name).Should(ContainElements(
			record("Edited", "Repaired", "tinkerer", "/data/a"), And(record("Deleted", "Repaired", ""), HaveField("Object.Kind", "Service"))))
		Expect(managerWrites(from, "/apis/apps/v1/namespaces/"+name+"/")).To(BeEmpty())
		Expect(managerWrites(from, "/apis/rbac.authorization.k8s.io/v1/")).To(BeEmpty())
		Expect(managerWrites(from, "/apis/apiextensions.k8s.io/v1/")).To(BeEmpty())
	})

	It("ENG-D18 is none in a spec that is applied again every second: nothing is written", func(ctx context.Context) {
		const name = "reapplied"
		drifting(ctx, name, "{}")
		client := admin.Dynamic.Resource(bundleDeployments)
		live, err := client.Get(ctx, name, metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
		wanted := parse(bundleDeployments, "BundleDeployment", "{metadata: {name: "+name+"}}")
		wanted.Object["spec"] = live.Object["spec"]
		apply := func(ctx context.Context) (string, error) {
			after, err := client.Apply(ctx, name, wanted, metav1.ApplyOptions{FieldManager: "gitops", Force: true})
			if err != nil {
				return "", err
			}
			return after.GetResourceVersion(), nil
		}
		first, err := apply(ctx)
		Expect(err).NotTo(HaveOccurred())
		from := logEnd()
		Consistently(apply, "6s", "1s").WithContext(ctx).Should(Equal(first))
		Expect(managerWrites(from, "/apis/core.rukpak.io/")).To(BeEmpty())
		Expect(managerWrites(from, "/api/v1/namespaces/"+name+"/")).To(BeEmpty())
		Expect(managerWrites(from, "/apis/apps/v1/namespaces/"+name+"/")).To(BeEmpty())
	})
})
