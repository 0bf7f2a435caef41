package upgradegate

import (
	"slices"
	"sync"

	"k8s.io/component-base/metrics"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/compat"
)

var (
	blocker = metrics.NewDesc(platformv1alpha1.MetricBlockers,
		"PlatformOperators that do not permit the cluster's next minor version.",
		[]string{platformv1alpha1.MetricLabelOperator}, nil, metrics.ALPHA, "")
	undeclared = metrics.NewDesc(platformv1alpha1.MetricUndeclared,
		"Installed operators that declare no olm.maxOpenShiftVersion: they block no cluster upgrade, and nobody vouches for them.",
		nil, nil, metrics.ALPHA, "")
	acknowledged = metrics.NewDesc(platformv1alpha1.MetricAcknowledged,
		"PlatformOperators that do not permit the cluster's next minor version, and do not block it, because a compatibility override is in effect.",
		[]string{platformv1alpha1.MetricLabelOperator}, nil, metrics.ALPHA, "")
	reachable = metrics.NewDesc(platformv1alpha1.MetricReachable,
		"How many minor versions beyond the cluster's an installed operator permits, at most two.",
		[]string{platformv1alpha1.MetricLabelOperator, platformv1alpha1.MetricLabelWhen}, nil, metrics.ALPHA, "")
)

// gauge shows the last verdict to scrapes.
type gauge struct {
	metrics.BaseStableCollector

	lock sync.Mutex
	// blockers and acknowledged are sorted and each there once; undeclared counts those that declare nothing.
	blockers, acknowledged []string
	reaches                []compat.Reach
	undeclared             int
	// judged says that there was a verdict: before, nothing is counted.
	judged bool
}

func (g *gauge) set(verdict compat.Verdict) {
	g.lock.Lock()
	defer g.lock.Unlock()
	g.blockers, g.acknowledged = namesOf(verdict.Blockers), namesOf(verdict.Acknowledged)
	g.reaches, g.undeclared, g.judged = verdict.Reaches, verdict.Undeclared, true
}

// namesOf names each operator once; one that is between two versions may be there twice.
func namesOf(blockers []compat.Blocker) []string {
	names := make([]string, 0, len(blockers))
	for _, each := range blockers { // sorted by kind and name
		if each.Kind != compat.KindBundleDeployment { // which the label is not for
			names = append(names, each.Operator)
		}
	}
	return slices.Compact(names)
}

// DescribeWithStability is for the registry.
func (g *gauge) DescribeWithStability(descriptions chan<- *metrics.Desc) {
	descriptions <- blocker
	descriptions <- undeclared
	descriptions <- acknowledged
	descriptions <- reachable
}

// CollectWithStability is for the registry.
func (g *gauge) CollectWithStability(samples chan<- metrics.Metric) {
	g.lock.Lock()
	defer g.lock.Unlock()
	for _, name := range g.blockers {
		samples <- metrics.NewLazyConstMetric(blocker, metrics.GaugeValue, 1, name)
	}
	for _, name := range g.acknowledged {
		samples <- metrics.NewLazyConstMetric(acknowledged, metrics.GaugeValue, 1, name)
	}
	for _, reach := range g.reaches {
		if reach.Kind == compat.KindBundleDeployment {
			continue // which the label is not for
		}
		samples <- metrics.NewLazyConstMetric(reachable, metrics.GaugeValue, float64(reach.Now), reach.Operator, platformv1alpha1.MetricWhenNow)
		if !reach.Unsearched {
			samples <- metrics.NewLazyConstMetric(reachable, metrics.GaugeValue, float64(reach.After), reach.Operator, platformv1alpha1.MetricWhenUpdated)
		}
	}
	if g.judged {
		samples <- metrics.NewLazyConstMetric(undeclared, metrics.GaugeValue, float64(g.undeclared))
	}
}
