package platformoperator

import (
	"cmp"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/component-base/metrics"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	platformlisters "github.com/openshift/platform-operators/pkg/client/listers/platform/v1alpha1"
)

var conditionDesc = metrics.NewDesc(platformv1alpha1.MetricCondition,
	"Conditions of PlatformOperators, as they are written there: 1 for the status and reason that each has.",
	[]string{platformv1alpha1.MetricLabelOperator, platformv1alpha1.MetricLabelCondition, platformv1alpha1.MetricLabelStatus, platformv1alpha1.MetricLabelReason},
	nil, metrics.ALPHA, "")

// measuredConditions are the conditions that this controller writes. Conditions that other clients write have no series.
var measuredConditions = []string{
	platformv1alpha1.ConditionDeprecated, platformv1alpha1.ConditionHealthy, platformv1alpha1.ConditionInstalled,
	platformv1alpha1.ConditionProgressing, platformv1alpha1.ConditionUpgradeable,
}

// conditionMetrics collects the conditions of PlatformOperators. It reads them from the cache at each scrape, so that all series exist
// after a start, and deleted PlatformOperators have none.
type conditionMetrics struct {
	metrics.BaseStableCollector
	operators platformlisters.PlatformOperatorLister
}

func registerConditionMetrics(operators platformlisters.PlatformOperatorLister, register func(metrics.StableCollector) error) error {
	if err := register(&conditionMetrics{operators: operators}); err != nil {
		return fmt.Errorf("registering metric %q: %w", platformv1alpha1.MetricCondition, err)
	}
	return nil
}

// DescribeWithStability implements metrics.StableCollector.
func (m *conditionMetrics) DescribeWithStability(descriptions chan<- *metrics.Desc) {
	descriptions <- conditionDesc
}

// CollectWithStability implements metrics.StableCollector.
func (m *conditionMetrics) CollectWithStability(samples chan<- metrics.Metric) {
	operators, err := m.operators.List(labels.Everything())
	if err != nil {
		return // not reached: a lister of a cache has no errors
	}
	slices.SortFunc(operators, func(a, b *platformv1alpha1.PlatformOperator) int { return cmp.Compare(a.Name, b.Name) })
	for _, operator := range operators {
		for _, condition := range operator.Status.Conditions {
			if slices.Contains(measuredConditions, condition.Type) {
				samples <- conditionSample(operator.Name, condition)
			}
		}
	}
}

func conditionSample(operator string, condition metav1.Condition) metrics.Metric {
	return metrics.NewLazyConstMetric(conditionDesc, metrics.GaugeValue, 1, operator, condition.Type, string(condition.Status), condition.Reason)
}
