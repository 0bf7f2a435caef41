package specs

import (
	"context"
	"slices"
	"strings"

	"github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/restmapper"

	configv1 "github.com/openshift/api/config/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"

	"github.com/openshift/platform-operators/cmd/platform-operators-tests-ext/spec"
)

// reporting returns specs about the ClusterOperator and conditions.
func reporting() []spec.Spec {
	return []spec.Spec{
		parallelSpec("the ClusterOperator is available, and each condition has a reason and a message", clusterOperatorReports),
		parallelSpec("the ClusterOperator reports its version", clusterOperatorVersion),
		parallelSpec("the ClusterOperator's related objects can be collected", relatedObjects),
		parallelSpec("each condition of each object has a reason without names and describes the current generation", reasons),
	}
}

func clusterOperatorReports(ctx context.Context, t *spec.T) {
	live, err := t.Config.ConfigV1().ClusterOperators().Get(ctx, clusterOperator, metav1.GetOptions{})
	t.Expect(err).To(succeed())
	statuses := statusesOf(live)
	t.Expect(statuses).To(gomega.HaveKeyWithValue(configv1.OperatorAvailable, configv1.ConditionTrue))
	for _, conditionType := range []configv1.ClusterStatusConditionType{configv1.OperatorProgressing, configv1.OperatorDegraded, configv1.OperatorUpgradeable} {
		t.Expect(statuses).To(gomega.HaveKey(conditionType))
	}
	for _, condition := range live.Status.Conditions {
		t.Logf("%s=%s/%s: %s", condition.Type, condition.Status, condition.Reason, condition.Message)
		if condition.Type == configv1.EvaluationConditionsDetected { // set by library-go, not by the manager
			continue
		}
		for _, reason := range strings.Split(condition.Reason, "::") { // library-go joins reasons with "::"
			for _, part := range strings.Split(reason, "_") {
				t.Expect(part).To(gomega.MatchRegexp(camelCase.String()), "reason of %s", condition.Type)
			}
		}
		t.Expect(condition.Message).To(gomega.MatchRegexp(`^[A-Z]`), "message of %s", condition.Type)
	}
}

func clusterOperatorVersion(ctx context.Context, t *spec.T) {
	live, err := t.Config.ConfigV1().ClusterOperators().Get(ctx, clusterOperator, metav1.GetOptions{})
	t.Expect(err).To(succeed())
	versions := map[string]string{}
	for _, each := range live.Status.Versions {
		versions[each.Name] = each.Version
	}
	t.Expect(versions).To(gomega.HaveKeyWithValue("operator", gomega.Not(gomega.BeEmpty())))
}

func relatedObjects(ctx context.Context, t *spec.T) {
	live, err := t.Config.ConfigV1().ClusterOperators().Get(ctx, clusterOperator, metav1.GetOptions{})
	t.Expect(err).To(succeed())
	t.Expect(live.Status.RelatedObjects).To(gomega.ContainElements(
		configv1.ObjectReference{Resource: "namespaces", Name: namespace},
		configv1.ObjectReference{Group: "platform.openshift.io", Resource: "platformoperators"}))
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(t.Discovery))
	for _, each := range live.Status.RelatedObjects {
		resource := schema.GroupVersionResource{Group: each.Group, Resource: each.Resource}
		found, err := mapper.ResourceFor(resource)
		t.Expect(meta.IsNoMatchError(err)).To(gomega.BeFalse(), "must-gather could not collect %+v", each)
		t.Expect(err).To(succeed())
		t.Expect(found.Resource).To(gomega.Equal(each.Resource), "it is the plural in lower case that must-gather can collect")
	}
}

func reasons(ctx context.Context, t *spec.T) {
	// Objects that others create at the same time may have no conditions yet. Existing conditions must follow the conventions.
	check := func(kind, name string, conditions []metav1.Condition, generation int64) {
		for _, condition := range conditions {
			t.Expect(condition.Reason).To(gomega.MatchRegexp(camelCase.String()), "%s %q, %s", kind, name, condition.Type)
			t.Expect(condition.Message).NotTo(gomega.BeEmpty(), "%s %q, %s", kind, name, condition.Type)
			t.Expect(condition.ObservedGeneration).To(gomega.And(gomega.BeNumerically(">", 0), gomega.BeNumerically("<=", generation)), "%s %q, %s", kind, name, condition.Type)
		}
	}
	const name = "ote-reasons"
	create(ctx, t, name, specFor("ote-reasons-package"))
	t.Eventually(operatorCondition(t, name, "Installed")).WithContext(ctx).Should(gomega.HavePrefix("False "))
	operators, err := t.Platform.PlatformV1alpha1().PlatformOperators().List(ctx, metav1.ListOptions{})
	t.Expect(err).To(succeed())
	t.Expect(operators.Items).NotTo(gomega.BeEmpty())
	for _, each := range operators.Items {
		check("PlatformOperator", each.Name, each.Status.Conditions, each.Generation)
	}
	deployments, err := t.Platform.CoreV1alpha2().BundleDeployments().List(ctx, metav1.ListOptions{})
	t.Expect(err).To(succeed())
	for _, each := range deployments.Items {
		if !slices.Contains([]string{corev1alpha2.ProvisionerClassRegistry, corev1alpha2.ProvisionerClassPlain}, each.Spec.ProvisionerClassName) {
			continue // handled by another provisioner
		}
		check("BundleDeployment", each.Name, each.Status.Conditions, each.Generation)
	}
}
