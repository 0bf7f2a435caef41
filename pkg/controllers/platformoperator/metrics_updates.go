package platformoperator

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/component-base/metrics"
	"k8s.io/utils/clock"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/resolve"
)

var (
	behind = metrics.NewDesc(platformv1alpha1.MetricBehind,
		"For how long there has been a version above the installed one that may be moved to or is merely held up, by its bundle's createdAt.",
		[]string{platformv1alpha1.MetricLabelOperator}, nil, metrics.ALPHA, "")
	blockedUpdates = metrics.NewDesc(platformv1alpha1.MetricBlockedUpdates,
		"Versions above the installed one that are not moved to, by what is in the way.",
		[]string{platformv1alpha1.MetricLabelOperator, platformv1alpha1.MetricLabelReason}, nil, metrics.ALPHA, "")
)

// outlook is what can be measured of what a PlatformOperator could be moved to.
type outlook struct {
	// since is when the oldest version that is not moved to was created; zero when nobody says, or there is none.
	since   time.Time
	blocked map[platformv1alpha1.BlockedReason]int
}

// outlooks answer scrapes: time goes by without a sync.
type outlooks struct {
	metrics.BaseStableCollector
	clock clock.PassiveClock

	lock sync.Mutex
	of   map[string]outlook
}

func newOutlooks(clock clock.PassiveClock, register func(metrics.StableCollector) error) (*outlooks, error) {
	o := &outlooks{clock: clock, of: map[string]outlook{}}
	if err := register(o); err != nil {
		return nil, fmt.Errorf("registering metrics %q and %q: %w", platformv1alpha1.MetricBehind, platformv1alpha1.MetricBlockedUpdates, err)
	}
	return o, nil
}

// DescribeWithStability is for the registry.
func (o *outlooks) DescribeWithStability(descriptions chan<- *metrics.Desc) {
	descriptions <- behind
	descriptions <- blockedUpdates
}

// CollectWithStability is for the registry.
func (o *outlooks) CollectWithStability(samples chan<- metrics.Metric) {
	o.lock.Lock()
	defer o.lock.Unlock()
	for _, name := range slices.Sorted(maps.Keys(o.of)) {
		outlook, seconds := o.of[name], 0.0
		if !outlook.since.IsZero() {
			seconds = max(0, o.clock.Since(outlook.since).Seconds())
		}
		samples <- metrics.NewLazyConstMetric(behind, metrics.GaugeValue, seconds, name)
		for _, reason := range slices.Sorted(maps.Keys(outlook.blocked)) {
			samples <- metrics.NewLazyConstMetric(blockedUpdates, metrics.GaugeValue, float64(outlook.blocked[reason]), name, string(reason))
		}
	}
}

func (o *outlooks) set(name string, to outlook) {
	o.lock.Lock()
	defer o.lock.Unlock()
	o.of[name] = to
}

func (o *outlooks) forget(name string) {
	o.lock.Lock()
	defer o.lock.Unlock()
	delete(o.of, name)
}

// heldUp are reasons for not moving to a version that can be moved to.
var heldUp = map[platformv1alpha1.BlockedReason]bool{
	"":                                       true,
	platformv1alpha1.BlockedAwaitingApproval: true,
	platformv1alpha1.BlockedClusterUpdating:  true,
	platformv1alpha1.BlockedFailed:           true,
	platformv1alpha1.BlockedPaused:           true,
	platformv1alpha1.BlockedUnhealthy:        true,
	platformv1alpha1.BlockedRange:            true,
}

// outlookOf sums up the updates that there are, and those that status lists of them.
func outlookOf(updates []resolve.Update, listed []platformv1alpha1.AvailableUpdate) outlook {
	sum := outlook{blocked: map[platformv1alpha1.BlockedReason]int{}}
	for i, update := range updates {
		reason := update.Reason
		if i < len(listed) {
			reason = listed[i].BlockedReason // what is told of it is what counts
		}
		if reason != "" {
			sum.blocked[reason]++
		}
		if created := creation(update.Bundle.CreatedAt); heldUp[reason] && !created.IsZero() && (sum.since.IsZero() || created.Before(sum.since)) {
			sum.since = created
		}
	}
	return sum
}

// creation reads a CSV's createdAt, which authors write in several ways; zero when it is in none of them.
func creation(text string) time.Time {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", time.DateTime, time.DateOnly, "2006/01/02"} {
		if at, err := time.Parse(layout, text); err == nil {
			return at
		}
	}
	return time.Time{}
}
