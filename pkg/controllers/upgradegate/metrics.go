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
)

// gauge shows the last verdict to scrapes.
type gauge struct {
	metrics.BaseStableCollector

	lock sync.Mutex
	// blockers are sorted and each there once; undeclared counts the others that declare nothing.
	blockers   []string
	undeclared int
}

func (g *gauge) set(verdict compat.Verdict) {
	names := make([]string, 0, len(verdict.Blockers))
	for _, each := range verdict.Blockers { // sorted by name; one that is between two versions may be there twice
		names = append(names, each.Operator)
	}
	g.lock.Lock()
	defer g.lock.Unlock()
	g.blockers, g.undeclared = slices.Compact(names), verdict.Undeclared
}

// DescribeWithStability is for the registry.
func (g *gauge) DescribeWithStability(descriptions chan<- *metrics.Desc) {
	descriptions <- blocker
	descriptions <- undeclared
}

// CollectWithStability is for the registry.
func (g *gauge) CollectWithStability(samples chan<- metrics.Metric) {
	g.lock.Lock()
	defer g.lock.Unlock()
	for _, name := range g.blockers {
		samples <- metrics.NewLazyConstMetric(blocker, metrics.GaugeValue, 1, name)
	}
	samples <- metrics.NewLazyConstMetric(undeclared, metrics.GaugeValue, float64(g.undeclared))
}
