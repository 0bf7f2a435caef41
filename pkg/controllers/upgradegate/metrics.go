package upgradegate

import (
	"slices"
	"sync"

	"k8s.io/component-base/metrics"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/compat"
)

// objectLabels are the labels that identify the object that installs an operator: its PlatformOperator, or a BundleDeployment without a
// PlatformOperator. Of the two labels, the one that does not apply is empty, which Prometheus treats as absent.
var objectLabels = []string{platformv1alpha1.MetricLabelOperator, corev1alpha2.MetricLabelDeployment}

// object holds the values of objectLabels.
type object struct{ operator, deployment string }

func objectOf(kind, name string) object {
	if kind == compat.KindBundleDeployment {
		return object{deployment: name}
	}
	return object{operator: name}
}

var (
	blocker = metrics.NewDesc(platformv1alpha1.MetricBlockers,
		"PlatformOperators, and BundleDeployments that no PlatformOperator owns, that do not permit the cluster's next minor version. With awaits=approval, only an approval is missing for an update that permits it.",
		append(slices.Clone(objectLabels), platformv1alpha1.MetricLabelAwaits), nil, metrics.ALPHA, "")
	undeclared = metrics.NewDesc(platformv1alpha1.MetricUndeclared,
		"Installed operators that declare no olm.maxOpenShiftVersion: they block no cluster upgrade, and nobody vouches for them.",
		nil, nil, metrics.ALPHA, "")
	acknowledged = metrics.NewDesc(platformv1alpha1.MetricAcknowledged,
		"PlatformOperators, and BundleDeployments that no PlatformOperator owns, that do not permit the cluster's next minor version, and do not block it, because a compatibility override is in effect.",
		objectLabels, nil, metrics.ALPHA, "")
	reachable = metrics.NewDesc(platformv1alpha1.MetricReachable,
		"How many minor versions beyond the cluster's an installed operator permits, at most two.",
		append(slices.Clone(objectLabels), platformv1alpha1.MetricLabelWhen), nil, metrics.ALPHA, "")
)

// gauge exports the last verdict.
type gauge struct {
	metrics.BaseStableCollector

	lock sync.Mutex
	// blockers and acknowledged are sorted, without duplicates; undeclared is the number of operators without a declaration. awaiting has the
	// blockers for whose update only an approval is missing.
	blockers, acknowledged []object
	awaiting               map[object]bool
	lookAheads             []compat.LookAhead
	undeclared             int
	// judged is true after the first verdict. Before that, there are no series.
	judged bool
}

func (g *gauge) set(verdict compat.Verdict) {
	g.lock.Lock()
	defer g.lock.Unlock()
	g.blockers, g.acknowledged = objectsOf(verdict.Blockers), objectsOf(verdict.Acknowledged)
	g.awaiting = map[object]bool{}
	for _, each := range verdict.Blockers {
		if each.AwaitsApproval {
			g.awaiting[objectOf(each.Kind, each.Operator)] = true
		}
	}
	g.lookAheads, g.undeclared, g.judged = verdict.LookAheads, verdict.Undeclared, true
}

// objectsOf returns the objects of the blockers, without duplicates, because an operator between two versions has two blockers.
func objectsOf(blockers []compat.Blocker) []object {
	objects := make([]object, 0, len(blockers))
	for _, each := range blockers { // sorted by kind and name
		objects = append(objects, objectOf(each.Kind, each.Operator))
	}
	return slices.Compact(objects)
}

// DescribeWithStability implements metrics.StableCollector.
func (g *gauge) DescribeWithStability(descriptions chan<- *metrics.Desc) {
	descriptions <- blocker
	descriptions <- undeclared
	descriptions <- acknowledged
	descriptions <- reachable
}

// CollectWithStability implements metrics.StableCollector.
func (g *gauge) CollectWithStability(samples chan<- metrics.Metric) {
	g.lock.Lock()
	defer g.lock.Unlock()
	for _, each := range g.blockers {
		awaits := "" // which Prometheus treats as absent
		if g.awaiting[each] {
			awaits = platformv1alpha1.MetricAwaitsApproval
		}
		samples <- metrics.NewLazyConstMetric(blocker, metrics.GaugeValue, 1, each.operator, each.deployment, awaits)
	}
	for _, each := range g.acknowledged {
		samples <- metrics.NewLazyConstMetric(acknowledged, metrics.GaugeValue, 1, each.operator, each.deployment)
	}
	for _, reach := range g.lookAheads {
		of := objectOf(reach.Kind, reach.Operator)
		samples <- metrics.NewLazyConstMetric(reachable, metrics.GaugeValue, float64(reach.Now), of.operator, of.deployment, platformv1alpha1.MetricWhenNow)
		if !reach.Unsearched {
			samples <- metrics.NewLazyConstMetric(reachable, metrics.GaugeValue, float64(reach.After), of.operator, of.deployment, platformv1alpha1.MetricWhenUpdated)
		}
	}
	if g.judged {
		samples <- metrics.NewLazyConstMetric(undeclared, metrics.GaugeValue, float64(g.undeclared))
	}
}
