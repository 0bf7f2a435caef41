package scenarios

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/yaml"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/background"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/plan"
	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/test/samples"
)

// deployWith creates a BundleDeployment for the registry class. more has further fields of its spec as YAML, such as "paused: true".
func (s *Story) deployWith(ctx context.Context, name, namespace, ref, more string) {
	s.Helper()
	manifest := bundleDeploymentManifest(name, fmt.Sprintf("{installNamespace: %s, provisionerClassName: core-rukpak-io-registry, source: {type: image, image: {ref: %q}}, %s}", namespace, ref, more))
	_, err := s.Admin.Dynamic.Resource(bundleDeployments).Create(ctx, s.parse(bundleDeployments, "BundleDeployment", manifest), metav1.CreateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
}

func (s *Story) patchDeployment(ctx context.Context, name, patch string) {
	s.Helper()
	_, err := s.Admin.Platform.CoreV1alpha2().BundleDeployments().Patch(ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	s.Expect(err).NotTo(HaveOccurred())
}

// unreadyOf returns the entries of a BundleDeployment's status.unready, one per line.
func (s *Story) unreadyOf(ctx context.Context, name string) (string, error) {
	live, err := s.Admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	return strings.Join(live.Status.Unready, "\n"), nil
}

func (s *Story) createNamespace(ctx context.Context, name string) {
	s.Helper()
	_, err := s.Admin.Kubernetes.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
}

// consoleLinks is the definition of a kind that the cluster of most stories does not serve.
const consoleLinks = `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition,
	metadata: {name: consolelinks.console.openshift.io}, spec: {group: console.openshift.io, scope: Cluster,
	names: {kind: ConsoleLink, listKind: ConsoleLinkList, plural: consolelinks, singular: consolelink}, versions: [
	{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}}`

func configMapText(name, content string) string {
	return fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: %s}, data: {from: %s}}", name, content)
}

func TestApply(t *testing.T) {
	t.Parallel()
	// Promise ENG-D14: A BundleDeployment whose install namespace is being deleted says so and proceeds by itself afterwards. When the
	// namespace is deleted later, the operator is installed anew.
	runStory(t, "[ENG-D14] a rollout waits while its namespace is being deleted, and then continues", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "homeless"
		s.createNamespace(ctx, name)
		client := s.Admin.Kubernetes.CoreV1().ConfigMaps(name)
		_, err := client.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "anchor", Finalizers: []string{"example.com/anchor"}}}, metav1.CreateOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		removeFinalizer := func(ctx context.Context) {
			_, err := client.Patch(ctx, "anchor", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
			s.Expect(ignoreNotFound(err)).To(Succeed())
		}
		s.Expect(s.Admin.Kubernetes.CoreV1().Namespaces().Delete(ctx, name, metav1.DeleteOptions{})).To(Succeed())

		s.deploy(ctx, name, s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.0.0"}))
		s.Eventually(s.conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionProgressing).Should(And(ContainSubstring("homeless"), ContainSubstring("is being deleted")))
		removeFinalizer(ctx)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")

		s.By("deleting the namespace of the installed operator")
		installed, err := s.Admin.Kubernetes.AppsV1().Deployments(name).Get(ctx, name, metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(s.Admin.Kubernetes.CoreV1().Namespaces().Delete(ctx, name, metav1.DeleteOptions{})).To(Succeed())
		s.Eventually(func(ctx context.Context) error {
			live, err := s.Admin.Kubernetes.AppsV1().Deployments(name).Get(ctx, name, metav1.GetOptions{})
			switch {
			case err != nil:
				return err
			case live.UID == installed.UID:
				return fmt.Errorf("still the Deployment %q of before", name)
			case live.Status.AvailableReplicas == 0:
				return fmt.Errorf("no replica of Deployment %q is available", name)
			}
			return nil
		}).WithContext(ctx).Should(Succeed())
	})

	runStory(t, "[ENG-D14] a namespace that a user creates meanwhile is used and remains the user's", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "lodger"
		s.deployWith(ctx, name, name, s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.0.0"}), "paused: true")
		s.Eventually(s.conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionUnpacked).ShouldNot(BeEmpty())
		s.createNamespace(ctx, name)
		s.patchDeployment(ctx, name, `{"spec":{"paused":false}}`)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		s.undeploy(ctx, name)
		live, err := s.Admin.Kubernetes.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(live.DeletionTimestamp).To(BeNil())
	})

	// Promise ENG-D17: A BundleDeployment with an object of a kind that is not served waits and names the kind. It proceeds by itself
	// once another BundleDeployment installs the CRD.
	// Promise HRD-M1: A bundle with an object of a kind that the cluster does not serve is applied as far as its phases permit, and is then
	// `InstallFailed` with the kind named. It continues within five seconds after a CustomResourceDefinition appears.
	runStory(t, "[ENG-D17] HRD-M1 a rollout waits for a kind that another BundleDeployment provides, names it, and continues when it is served", defaultOperators, func(ctx context.Context, s *Story) {
		const needy, giver = "needy", "giver"
		s.deploy(ctx, needy, s.publishBundle(ctx, samples.Operator{Package: needy, Version: "1.0.0"},
			"{apiVersion: console.openshift.io/v1, kind: ConsoleLink, metadata: {name: needy}, spec: {text: needy}}"))
		s.Eventually(s.conditionOf).WithContext(ctx).WithArguments(needy, corev1alpha2.ConditionProgressing).Should(And(
			ContainSubstring("ConsoleLink needy waits for kind ConsoleLink of console.openshift.io/v1 to be served"),
			ContainSubstring("no CustomResourceDefinition")))
		s.waitForCondition(ctx, needy, corev1alpha2.ConditionInstalled, "False InstallFailed", "Revision 1 (version 1.0.0) is not applied: the cluster does not serve kind ConsoleLink of console.openshift.io/v1")
		s.waitForCondition(ctx, needy, corev1alpha2.ConditionProgressing, "False Blocked")
		s.Expect(s.statusOf(ctx, needy).Plan.KindsMissing).To(Equal([]corev1alpha2.MissingKind{{Group: "console.openshift.io", Version: "v1", Kind: "ConsoleLink"}}))
		s.Expect(s.deploymentExists(ctx, needy, needy)).To(Succeed(), "the phases before are applied")

		s.deploy(ctx, giver, s.publishBundle(ctx, samples.Operator{Package: giver, Version: "1.0.0"}, consoleLinks))
		s.waitForCondition(ctx, giver, corev1alpha2.ConditionProgressing, "False AsExpected")
		s.Eventually(s.conditionOf).WithContext(ctx).WithArguments(needy, corev1alpha2.ConditionProgressing).WithTimeout(5 * time.Second).Should(HavePrefix("False AsExpected: "))
		s.Expect(s.statusOf(ctx, needy).Plan.KindsMissing).To(BeEmpty())
	})

	runStory(t, "HRD-M1 a kind that a bundle has without declaring it is searched for in packages that nobody asks for", defaultOperators, func(ctx context.Context, s *Story) {
		const needy = "undeclared"
		gvk := catalog.GVK{Group: "console.openshift.io", Version: "v1", Kind: "ConsoleLink"}
		s.publishBundle(ctx, samples.Operator{Package: needy, Version: "1.0.0"},
			"{apiVersion: console.openshift.io/v1, kind: ConsoleLink, metadata: {name: undeclared}, spec: {text: undeclared}}")
		links := &provider{pkg: "linker", gvk: gvk}
		s.clusterCatalog(ctx, "links", s.Environment.Catalog.HandleCatalog("links", links))
		s.publishBundle(ctx, samples.Operator{Package: "sated", Version: "1.0.0"})
		s.create(ctx, "sated", "")
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments("sated", "1.0.0").Should(Succeed())
		s.Consistently(links.passes.Load, "1m").WithContext(ctx).Should(BeZero(), "nothing is missing")

		s.create(ctx, needy, "")
		s.waitForRefusal(ctx, needy, platformv1alpha1.ReasonInstallFailed, "the cluster does not serve kind ConsoleLink of console.openshift.io/v1",
			`Package "linker" provides kind ConsoleLink; create a PlatformOperator for it.`)
		s.Expect(s.statusOf(ctx, needy).Plan.KindsMissing).To(Equal([]corev1alpha2.MissingKind{corev1alpha2.MissingKind(gvk)}))
		s.Expect(links.passes.Load()).To(BeEquivalentTo(1), "one read for each content")
		s.Consistently(links.passes.Load, "5m").WithContext(ctx).Should(BeEquivalentTo(1))
	})
}

// recorder is an http.RoundTripper that records the created resources in order, and the largest number of concurrent create requests. It
// delays each create request by a millisecond, because otherwise concurrent requests would rarely overlap.
type recorder struct {
	next http.RoundTripper

	mu       sync.Mutex
	created  []string
	underWay atomic.Int32
	most     atomic.Int32
}

func (r *recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method == http.MethodPost {
		now := r.underWay.Add(1)
		defer r.underWay.Add(-1)
		for most := r.most.Load(); now > most && !r.most.CompareAndSwap(most, now); most = r.most.Load() {
			continue // another request has raised it meanwhile
		}
		path := strings.Split(request.URL.Path, "/")
		r.mu.Lock()
		r.created = append(r.created, path[len(path)-1])
		r.mu.Unlock()
		time.Sleep(time.Millisecond)
	}
	return r.next.RoundTrip(request)
}

// order returns the created resources, each once, in the order of the first creation.
func (r *recorder) order() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var order []string
	seen := map[string]bool{}
	for _, each := range r.created {
		if !seen[each] {
			seen[each] = true
			order = append(order, each)
		}
	}
	return order
}

func TestEngine(t *testing.T) {
	t.Parallel()
	// The story calls the engine without a bundle, because the bundle formats do not permit all of these kinds.
	//
	// Promise ENG-D1: A rollout applies a bundle phase by phase, each phase once the objects of the one before are ready, and the objects
	// of one phase in parallel. A phase whose Deployment is not available holds the next.
	runStory(t, "[ENG-D1] phases are applied in order, each when the one before is ready, and the objects of a phase in parallel", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "orderly"
		requests := &recorder{}
		engine := s.newEngine(ctx, requests)
		owner := apply.Owner{Name: name, Package: name}
		stuck, err := apply.NewSet(owner, name, plan.Phases(s.orderly(name, true)))
		s.Expect(err).NotTo(HaveOccurred())
		ready, err := apply.NewSet(owner, name, plan.Phases(s.orderly(name, false)))
		s.Expect(err).NotTo(HaveOccurred())

		s.By("applying a Deployment that never becomes ready")
		once := func(set *apply.Set) func(context.Context) (apply.Report, error) {
			return func(ctx context.Context) (apply.Report, error) {
				return engine.Apply(ctx, set, apply.Options{Gated: true})
			}
		}
		s.Eventually(once(stuck)).WithContext(ctx).Should(HaveField("Waiting", HavePrefix("Deployment orderly/worker")))
		s.Consistently(once(stuck)).WithContext(ctx).WithTimeout(time.Second).Should(HaveField("Complete", BeFalse()))
		before := []string{"namespaces", "customresourcedefinitions", "serviceaccounts", "roles", "configmaps", "services", "deployments"}
		s.Expect(requests.order()).To(ConsistOf(append(before, "clusterroles")))
		s.Expect(requests.most.Load()).To(BeNumerically(">", 1), "objects of one phase are created in parallel")

		s.By("making the Deployment ready")
		s.Eventually(once(ready)).WithContext(ctx).Should(And(HaveField("Complete", BeTrue()), HaveField("Unready", BeEmpty())))
		order := requests.order()
		s.Expect(order).To(HaveExactElements("clusterroles", "namespaces", "customresourcedefinitions", BeElementOf("serviceaccounts", "roles"), BeElementOf("serviceaccounts", "roles"),
			BeElementOf("configmaps", "services"), BeElementOf("configmaps", "services"), "deployments", "scores"))

		s.By("applying again, which writes nothing")
		written := len(requests.created)
		s.Expect(engine.Apply(ctx, ready, apply.Options{Gated: true})).To(HaveField("Writes", 0))
		s.Expect(requests.created).To(HaveLen(written))

		s.By("removing it in reverse order")
		removal := func(ctx context.Context) (apply.Removal, error) {
			return engine.Remove(ctx, ready, apply.RemoveOptions{CRDs: corev1alpha2.CRDsDelete})
		}
		s.Eventually(removal).WithContext(ctx).Should(HaveField("Done", BeTrue()))
		_, err = s.Admin.Dynamic.Resource(definitions).Get(ctx, "scores.orderly.example.com", metav1.GetOptions{})
		s.Expect(err).To(beNotFound())
	})
}

// newEngine returns an engine of the story, which sends its requests through a recorder. It acts as the manager's ServiceAccount, because
// nobody else may use the manager's field managers on namespaces. It has an admin's permissions, so that sets may have objects of any kind.
func (s *Story) newEngine(ctx context.Context, requests *recorder) *apply.Engine {
	s.Helper()
	return s.newNotifyingEngine(ctx, requests, func(string) {})
}

// newNotifyingEngine returns an engine as newEngine does. The engine calls changed with an owner's name when a watch reports a change.
func (s *Story) newNotifyingEngine(ctx context.Context, requests *recorder, changed func(owner string)) *apply.Engine {
	s.Helper()
	config := s.ClientConfig(scenario.AdminUser)
	config.Impersonate = rest.ImpersonationConfig{UserName: managerUser, Groups: []string{user.SystemPrivilegedGroup}}
	config.WarningHandlerWithContext = apply.WarningHandler()
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		requests.next = next
		return requests
	})
	client, err := dynamic.NewForConfig(config)
	s.Expect(err).NotTo(HaveOccurred())
	metadataClient, err := metadata.NewForConfig(config)
	s.Expect(err).NotTo(HaveOccurred())
	discoveryClient, err := discovery.NewDiscoveryClientForConfig(s.ClientConfig(scenario.AdminUser))
	s.Expect(err).NotTo(HaveOccurred())
	lifetime, end := context.WithCancel(context.WithoutCancel(ctx))
	s.Defer(end)
	engine, err := apply.New(lifetime, apply.Config{
		Dynamic: client, Metadata: metadataClient, Discovery: memory.NewMemCacheClient(discoveryClient), Clock: clock.RealClock{},
		Changed:  changed,
		Deployed: func(string) (time.Time, bool) { return time.Time{}, false },
		Tasks:    &background.Tasks{},
	})
	s.Expect(err).NotTo(HaveOccurred())
	return engine
}

// orderly returns the objects of a bundle, with objects of every phase. neverReady is whether its Deployment never becomes ready.
func (s *Story) orderly(name string, neverReady bool) []unstructured.Unstructured {
	s.Helper()
	labels := "{app: worker}"
	if neverReady {
		labels = fmt.Sprintf("{app: worker, %s: 'true'}", samples.NeverReadyLabel)
	}
	texts := []string{
		"{apiVersion: v1, kind: Namespace, metadata: {name: " + name + "-more}}",
		`{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: scores.orderly.example.com}, spec: {group: orderly.example.com,
			scope: Namespaced, names: {kind: Score, listKind: ScoreList, plural: scores, singular: score},
			versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}}`,
		"{apiVersion: v1, kind: ServiceAccount, metadata: {name: worker}}",
		"{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: worker}, rules: []}",
		"{apiVersion: v1, kind: Service, metadata: {name: worker}, spec: {selector: {app: worker}, ports: [{port: 80}]}}",
		`{apiVersion: apps/v1, kind: Deployment, metadata: {name: worker}, spec: {selector: {matchLabels: {app: worker}}, strategy: {type: Recreate},
			template: {metadata: {labels: ` + labels + `}, spec: {containers: [{name: main, image: samples.invalid/worker}]}}}}`,
		"{apiVersion: orderly.example.com/v1, kind: Score, metadata: {name: first}, spec: {size: 1}}",
	}
	for i := range 40 {
		texts = append(texts, configMapText(fmt.Sprintf("settings-%d", i), "us"))
	}
	var objects []unstructured.Unstructured
	for _, text := range texts {
		var object unstructured.Unstructured
		s.Expect(yaml.Unmarshal([]byte(text), &object.Object)).To(Succeed())
		if kind := object.GetKind(); kind != "Namespace" && kind != "CustomResourceDefinition" {
			object.SetNamespace(name)
		}
		objects = append(objects, object)
	}
	return objects
}
