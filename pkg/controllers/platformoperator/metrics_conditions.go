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

var condition = metrics.NewDesc(platformv1alpha1.MetricCondition,
	"Conditions of PlatformOperators, as they are written there: 1 for the status and reason that each has.",
	[]string{platformv1alpha1.MetricLabelOperator, platformv1alpha1.MetricLabelCondition, platformv1alpha1.MetricLabelStatus, platformv1alpha1.MetricLabelReason},
	nil, metrics.ALPHA, "")

// ownConditions are the conditions that are measured. Whatever else somebody puts on a status brings no series.
var ownConditions = []string{
	platformv1alpha1.ConditionDeprecated, platformv1alpha1.ConditionHealthy, platformv1alpha1.ConditionInstalled,
	platformv1alpha1.ConditionProgressing, platformv1alpha1.ConditionUpgradeable,
}

// states answer scrapes from the cache, so that there is nothing to forget of an operator that is gone, and nothing to wait
// for after a start.
type states struct {
	metrics.BaseStableCollector
	operators platformlisters.PlatformOperatorLister
}

func newStates(operators platformlisters.PlatformOperatorLister, register func(metrics.StableCollector) error) error {
	if err := register(&states{operators: operators}); err != nil {
		return fmt.Errorf("registering metric %q: %w", platformv1alpha1.MetricCondition, err)
	}
	return nil
}

// DescribeWithStability is for the registry.
func (s *states) DescribeWithStability(descriptions chan<- *metrics.Desc) { descriptions <- condition }

// CollectWithStability is for the registry.
func (s *states) CollectWithStability(samples chan<- metrics.Metric) {
	operators, err := s.operators.List(labels.Everything())
	if err != nil {
		return // not reached: a lister of a cache has no errors
	}
	slices.SortFunc(operators, func(a, b *platformv1alpha1.PlatformOperator) int { return cmp.Compare(a.Name, b.Name) })
	for _, operator := range operators {
		for _, each := range operator.Status.Conditions {
			if slices.Contains(ownConditions, each.Type) {
				samples <- conditionSample(operator.Name, each)
			}
		}
	}
}

func conditionSample(operator string, of metav1.Condition) metrics.Metric {
	return metrics.NewLazyConstMetric(condition, metrics.GaugeValue, 1, operator, of.Type, string(of.Status), of.Reason)
}
