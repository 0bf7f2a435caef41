package scenarios

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"

	configv1 "github.com/openshift/api/config/v1"

	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/pkg/scenario/harness"
	"github.com/openshift/platform-operators/test/environment"
)

// runOnTopologies and TestStories run the stories. This test shows what fails a story there.
//
// Promise OM-12: Stories on a hosted control plane have the same reports, and at the end the same objects, as on a standalone cluster, but
// for listed differences. A request of the manager to the management cluster, or a write that belongs there, fails the story.
func TestOM_12_ARequestToTheManagementClusterFailsTheStory(t *testing.T) {
	t.Parallel()
	RunFrom(t, Origin{Offer: sampleWriter(defaultOperators), Topology: hostedControlPlane}, func(s *Story) {
		ctx := s.Context()
		infrastructure, err := s.Config.ConfigV1().Infrastructures().Get(ctx, "cluster", metav1.GetOptions{})
		s.must(err)
		s.Expect(infrastructure.Status.ControlPlaneTopology).To(Equal(configv1.ExternalTopologyMode))
		admin, err := kubernetes.NewForConfig(s.management.cluster.StepClientConfig(scenario.AdminUser))
		s.must(err)
		pods, err := admin.CoreV1().Pods(hostedNamespace).List(ctx, metav1.ListOptions{})
		s.must(err)
		s.Expect(pods.Items).To(HaveLen(1), "the manager's Pod")
		s.install(ctx, "sleeper", "1.0.0")
		s.Expect(s.management.violations()).To(BeEmpty())

		s.By("sending a request to the API server that the Pod's environment would name")
		config := s.managerConfig(s.Manager.process)
		config.Host = managementURL
		client, err := kubernetes.NewForConfig(config)
		s.must(err)
		_, err = client.AppsV1().Deployments(hostedNamespace).Get(ctx, "platform-operators", metav1.GetOptions{})
		s.Expect(err).To(HaveOccurred())
		s.Expect(s.management.violations()).To(ConsistOf(MatchError(And(ContainSubstring("the manager sent a request to the management cluster"), ContainSubstring("get deployments.apps")))))

		s.By("changing the management cluster")
		created := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "stray"}}
		_, err = admin.CoreV1().ConfigMaps(hostedNamespace).Create(ctx, created, metav1.CreateOptions{})
		s.must(err)
		s.Expect(s.management.violations()).To(ConsistOf(MatchError(ContainSubstring("the management cluster has changed: ADDED configmaps clusters-guest/stray"))))
		s.removeAll(ctx)
	})
}

func TestWritesToTheGuestThatBelongToTheManagementClusterAreViolations(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		group, resource, namespace, name string
		isViolation                      bool
	}{
		{"apps", "deployments", environment.Namespace, "platform-operators", true},
		{"", "services", environment.Namespace, "metrics", true},
		{"", "secrets", environment.Namespace, "revision.memo", false},
		{"", "configmaps", environment.Namespace, "platformoperatormanager-limits", false},
		{"coordination.k8s.io", "leases", environment.Namespace, leaseName, false},
		{"", "events", environment.Namespace, "some", false},
		{"apps", "deployments", "memo", "memo", false},
		{"", "configmaps", hostedNamespace, "platform-operators-config", true},
		{"", "namespaces", "", hostedNamespace, true},
		{"", "namespaces", "", "memo", false},
	} {
		err := checkPlacement(scenario.Write{Request: scenario.Request{
			Verb: "create", Resource: schema.GroupResource{Group: test.group, Resource: test.resource}, Namespace: test.namespace, Name: test.name,
		}})
		if (err != nil) != test.isViolation {
			t.Errorf("%+v: got %v", test, err)
		}
	}
}

func TestDifferencesAreLinesOfObjects(t *testing.T) {
	t.Parallel()
	first := harness.State{
		"deployments.apps a b": {"{", ` "replicas": 1`, "}"}, "secrets a c": {"{", ` "x": [`, `  "1",`, `  "1"`, " ]", "}"}, "pods a d": {"{", "}"},
	}
	second := harness.State{
		"services a b": {"{", "}"}, "secrets a c": {"{", ` "x": [`, `  "1",`, `  "2"`, " ]", "}"}, "pods a d": {"{", "}"},
	}
	want := []string{"- deployments.apps a b", `- secrets a c: "1"`, `+ secrets a c: "2"`, "+ services a b"}
	if diff := cmp.Diff(want, differences(first, second)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
