package upgradegate

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	operatorv1 "github.com/openshift/api/operator/v1"
	"github.com/openshift/library-go/pkg/operator/v1helpers"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/compat"
	"github.com/openshift/platform-operators/pkg/health"
	"github.com/openshift/platform-operators/pkg/limits"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/resolve/reason"
)

const (
	// settling is the maximum time that the first evaluation waits for unread catalogs. The catalogs controller waits half a minute for a
	// slow one, so this limit matters only if many are slow at once.
	settling = 2 * time.Minute
	// outageRetry is the time after which unreadable input is read again, because caches do not report the end of a failure.
	outageRetry = time.Minute
	// maxVersion is the maximum length of the recorded cluster version in the API, in bytes.
	maxVersion = 256
)

// memory is the controller's state between syncs.
type memory struct {
	// started is the time of the first sync. settled is true after a complete evaluation.
	started time.Time
	settled bool
	// last is the last complete verdict, nil before the first. version is its cluster version. until is the earliest expiry of the
	// overrides on which the verdict depends; zero if there are none.
	last    *compat.Verdict
	version string
	until   time.Time
	// failing is the time since which input has been unreadable. broken is the reason. Both are zero while the input is readable.
	failing time.Time
	broken  string
}

// decision is the result of a sync.
type decision struct {
	// verdict is the verdict to write; nil if the recorded one remains. version is its cluster version.
	verdict *compat.Verdict
	version string
	// kept is the recorded verdict that remains; nil if there is a new one.
	kept *operatorv1.OperatorCondition
	// again is the time until the next evaluation without an event; 0 means none.
	again time.Duration
	// search is true if a search for remedies must run.
	search bool
}

// permits reports whether the verdict, or the recorded one that remains, permits the cluster's next minor version.
func (d decision) permits() bool {
	if d.verdict != nil {
		return d.verdict.Upgradeable
	}
	return d.kept != nil && d.kept.Status == operatorv1.ConditionTrue
}

// input is the input of an evaluation.
type input struct {
	cluster   resolve.Cluster
	operators []*platformv1alpha1.PlatformOperator
	// deployments are the operators' BundleDeployments, keyed by name. unowned are the BundleDeployments that no PlatformOperator owns.
	deployments map[string]*corev1alpha2.BundleDeployment
	unowned     []*corev1alpha2.BundleDeployment
	// ungated is true if the cluster has no ClusterVersion and never had a verdict.
	ungated bool
	// stale is a note that explains why these objects may be out of date; empty if they are current.
	stale string
}

// judge returns the decision on the current input. It never permits upgrades on incomplete input. In that case, the previous verdict for
// this cluster version remains; without one, upgrades are blocked.
func (c *controller) judge() decision {
	now, m := c.clock.Now(), &c.memory
	if m.started.IsZero() {
		m.started = now
	}
	in, err := c.readInput()
	if err != nil {
		return c.duringOutage(in, err)
	}
	m.failing, m.broken = time.Time{}, ""
	if in.ungated {
		verdict := compat.NothingToGate() // not stored, because it does not apply to a ClusterVersion that appears later
		c.gauge.set(verdict)
		return decision{verdict: &verdict}
	}
	verdict, searching, err := c.evaluate(in)
	if err != nil {
		klog.Warningf("judging the installed operators: %v", err) // the verdict reports it, too
	}
	again := nextExpiry(in, now)
	if len(c.catalogs.Unlisted()) > 0 {
		again = sooner(outageRetry, again)
	}
	if waiting, left := c.unread(in), m.started.Add(settling).Sub(now); !m.settled && waiting != "" && left > 0 {
		return c.whileWaiting(verdict, in.cluster.Version, waiting, sooner(left, again))
	}
	c.search.request(in)
	if previous := c.recordedVerdict(in.cluster.Version); !m.settled && searching && previous != nil && (previous.Status == operatorv1.ConditionTrue) == verdict.Upgradeable {
		return decision{kept: previous, again: again, search: true} // the recorded verdict has remedies
	}
	found := c.settle(verdict, in.cluster.Version, again)
	found.search = true
	return found
}

// whileWaiting returns the decision to use until catalogs have been read. The recorded verdict for this cluster version remains, unless it
// permits an upgrade that an installed operator blocks: blockers do not depend on catalogs. Without a recorded verdict, upgrades are
// blocked.
func (c *controller) whileWaiting(verdict compat.Verdict, version, waiting string, again time.Duration) decision {
	condition := c.recordedVerdict(version)
	switch {
	case condition == nil:
		verdict := compat.CannotTell(fmt.Errorf("the manager has just started and waits for %s, until %s at the latest", waiting, c.memory.started.Add(settling).UTC().Format(time.RFC3339)))
		return decision{verdict: &verdict, again: again}
	case condition.Status == operatorv1.ConditionTrue && !verdict.Upgradeable:
		return decision{verdict: &verdict, version: recorded(verdict, version), again: again}
	}
	return decision{kept: condition, again: again}
}

// nextExpiry returns the time until the next override expires; 0 if no override will expire.
func nextExpiry(in input, now time.Time) (next time.Duration) {
	for _, deployment := range in.unowned {
		if wait, due := compat.NextExpiry(resolve.Overrides(deployment.Spec.CompatibilityOverrides), now); due {
			next = sooner(wait, next)
		}
	}
	for _, operator := range in.operators {
		if wait, due := compat.NextExpiry(resolve.OverridesOf(operator), now); due {
			next = sooner(wait, next)
		}
	}
	return next
}

// sooner returns the shorter of two waits, where 0 means none.
func sooner(a, b time.Duration) time.Duration {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

// settle stores the verdict of a complete evaluation and sets the metrics. It returns the decision to write the verdict.
func (c *controller) settle(verdict compat.Verdict, version string, again time.Duration) decision {
	c.gauge.set(verdict)
	c.memory.settled, c.memory.last, c.memory.version, c.memory.until = true, &verdict, version, time.Time{}
	for _, acknowledged := range verdict.Acknowledged {
		if end := acknowledged.Risk.Expires; c.memory.until.IsZero() || end.Before(c.memory.until) {
			c.memory.until = end
		}
	}
	return decision{verdict: &verdict, version: recorded(verdict, version), again: again}
}

// recorded returns the cluster version to record with a verdict; empty for a verdict that reports an error, or if the version exceeds
// maxVersion.
func recorded(verdict compat.Verdict, version string) string {
	if verdict.Reason == compat.ReasonErrorChecking || len(version) > maxVersion {
		return ""
	}
	return version
}

// readInput reads the input of a verdict. If it returns an error, the input contains only what could be read.
func (c *controller) readInput() (input, error) {
	in := input{cluster: resolve.Cluster{KubeVersion: c.kubeVersion}}
	clusterVersion, err := c.clusterVersions.Get("version")
	switch {
	case apierrors.IsNotFound(err) && c.memory.version == "" && !c.gatedBefore():
		in.ungated = true
		return in, nil
	case err != nil:
		return in, fmt.Errorf("reading ClusterVersion \"version\": %w", err)
	}
	if in.cluster.Version = clusterVersion.Status.Desired.Version; in.cluster.Version == "" {
		return in, errors.New("reading ClusterVersion \"version\": its status.desired has no version")
	}
	manager, err := c.managers.Get(operatorv1alpha1.PlatformOperatorManagerName)
	switch {
	case err == nil:
		in.cluster.Manager, in.stale = manager.Spec, c.stale(manager)
	case apierrors.IsNotFound(err): // the manager is about to recreate it with defaults
		manager = nil
	default:
		return in, fmt.Errorf("reading PlatformOperatorManager %q: %w", operatorv1alpha1.PlatformOperatorManagerName, err)
	}
	stored, err := c.limits()
	if err != nil {
		return in, err
	}
	in.cluster.Hold = limits.Decide(stored, manager).Hold
	if in.operators, err = c.operators.List(labels.Everything()); err != nil {
		return in, fmt.Errorf("listing PlatformOperators: %w", err)
	}
	deployments, err := c.deployments.List(labels.Everything())
	if err != nil {
		return in, fmt.Errorf("listing BundleDeployments: %w", err)
	}
	in.assign(deployments)
	return in, nil
}

// assign sets deployments and unowned from all BundleDeployments.
func (in *input) assign(deployments []*corev1alpha2.BundleDeployment) {
	operators := map[types.UID]string{}
	for _, each := range in.operators {
		operators[each.UID] = each.Name
	}
	in.deployments = map[string]*corev1alpha2.BundleDeployment{}
	for _, each := range deployments {
		if owner := metav1.GetControllerOf(each); owner != nil && owner.Kind == compat.KindPlatformOperator && operators[owner.UID] == each.Name {
			in.deployments[each.Name] = each
			continue
		}
		in.unowned = append(in.unowned, each)
	}
}

// stale returns a note that gives the time from which the API server has rejected lists or watches of the objects that a verdict depends
// on. Until it accepts them, a verdict uses the last known objects. The note is empty if nothing is rejected.
func (c *controller) stale(manager *operatorv1alpha1.PlatformOperatorManager) string {
	condition := v1helpers.FindOperatorCondition(manager.Status.Conditions, c.watches)
	if condition == nil || condition.Status != operatorv1.ConditionTrue || condition.Reason != health.ReasonInstalledNotListed {
		return ""
	}
	return fmt.Sprintf("This message may be out of date since %s: "+
		"the API server refuses to list or watch PlatformOperators, BundleDeployments or ClusterVersions; see condition %s of PlatformOperatorManager %q.",
		condition.LastTransitionTime.UTC().Format(time.RFC3339), c.watches, manager.Name)
}

// duringOutage returns the decision for unreadable input: the last verdict of this process with a note about the outage. Before the first
// verdict, the verdict that an earlier process recorded for this cluster version remains. If the cluster version has changed, an override
// has expired, or there is no verdict, upgrades are blocked.
func (c *controller) duringOutage(in input, cause error) decision {
	m := &c.memory
	if m.failing.IsZero() {
		m.failing, m.broken = c.clock.Now(), cause.Error() // keep the first error, so that the message is stable
		klog.Warningf("judging the installed operators: %v", cause)
	}
	same := in.cluster.Version == "" || in.cluster.Version == m.version
	expired := !m.until.IsZero() && !c.clock.Now().Before(m.until)
	previous := c.recordedVerdict(in.cluster.Version)
	switch {
	case m.last != nil && same && !expired:
		verdict := m.last.WithNotes(fmt.Sprintf("Since %s, the manager cannot read newer data: %s.", m.failing.UTC().Format(time.RFC3339), m.broken))
		return decision{verdict: &verdict, version: recorded(verdict, m.version), again: outageRetry}
	case m.last == nil && previous != nil:
		return decision{kept: previous, again: outageRetry}
	}
	verdict := compat.CannotTell(fmt.Errorf("since %s: %s", m.failing.UTC().Format(time.RFC3339), m.broken))
	return decision{verdict: &verdict, again: outageRetry}
}

// recordedVerdict returns the recorded verdict for this cluster version; nil if there is none, or if it only reports an error.
func (c *controller) recordedVerdict(version string) *operatorv1.OperatorCondition {
	manager, err := c.managers.Get(operatorv1alpha1.PlatformOperatorManagerName)
	if err != nil || version == "" || manager.Status.UpgradeGate == nil || manager.Status.UpgradeGate.ClusterVersion != version {
		return nil
	}
	condition := v1helpers.FindOperatorCondition(manager.Status.Conditions, ConditionType)
	if condition == nil || condition.Reason == compat.ReasonErrorChecking {
		return nil
	}
	return condition
}

// gatedBefore reports whether a verdict is recorded for any cluster version. A missing ClusterVersion is then an outage.
func (c *controller) gatedBefore() bool {
	manager, err := c.managers.Get(operatorv1alpha1.PlatformOperatorManagerName)
	return err == nil && manager.Status.UpgradeGate != nil && manager.Status.UpgradeGate.ClusterVersion != ""
}

// evaluate returns the verdict, with notes about stale objects, unavailable catalogs and the feature set. searching is true if some
// remedies are not known yet.
func (c *controller) evaluate(in input) (verdict compat.Verdict, searching bool, err error) {
	var installed []compat.Operator
	remedies := c.search.last()
	for _, operator := range in.operators {
		installed = append(installed, c.bundlesOf(operator, in, remedies)...)
	}
	for _, deployment := range in.unowned {
		installed = append(installed, resolve.BundlesOf(deployment, in.cluster.Version, c.clock.Now())...)
	}
	searching = slices.ContainsFunc(installed, func(each compat.Operator) bool { return each.Unsearched })
	verdict, err = compat.Evaluate(in.cluster.Version, installed, c.clock.Now())
	var notes []string
	for _, note := range []string{in.stale, c.unavailableCatalogs(in), c.featureSetNote(verdict)} {
		if note != "" {
			notes = append(notes, note)
		}
	}
	if len(notes) > 0 {
		verdict = verdict.WithNotes(notes...)
	}
	return verdict, searching, err
}

// relevant returns the catalogs that an installed operator may use and for which holds returns true, sorted, without duplicates.
func (c *controller) relevant(in input, holds func(resolve.Catalog) bool) (found []resolve.Catalog) {
	for _, operator := range in.operators {
		if operator.Status.Installed == nil || removed(operator) {
			continue
		}
		request, err := resolve.RequestFor(operator, operator.Status.Installed.Version, in.cluster)
		if err != nil {
			continue // the operator may use no catalog, as its remedy reports
		}
		for _, each := range c.catalogs.For(operator.Spec.Package.Name) {
			if holds(each) && request.Selects(each) {
				found = append(found, each)
			}
		}
	}
	slices.SortFunc(found, func(a, b resolve.Catalog) int {
		return cmp.Or(a.ID.Compare(b.ID), a.UnavailableSince.Compare(b.UnavailableSince))
	})
	return slices.CompactFunc(found, func(a, b resolve.Catalog) bool { return a.ID == b.ID })
}

// unread returns the input that an evaluation must wait for, as a phrase that follows "waits for": kinds of catalogs that have not been
// listed, catalogs of installed operators that have not been read, or FeatureGates. It is empty if nothing is missing.
func (c *controller) unread(in input) string {
	installed := func(operator *platformv1alpha1.PlatformOperator) bool {
		return operator.Status.Installed != nil && !removed(operator)
	}
	if kinds := c.catalogs.Unlisted(); len(kinds) > 0 && slices.ContainsFunc(in.operators, installed) {
		return reason.Plurals(kinds) + " to be listed"
	}
	if catalogs := c.relevant(in, func(each resolve.Catalog) bool { return each.Pending }); len(catalogs) > 0 {
		return joinCatalogs(catalogs) + " to be read"
	}
	if !c.hasFeatureGates() {
		return "FeatureGates to be listed"
	}
	return ""
}

// unavailableCatalogs returns a note that lists the catalogs that cannot be read, each with the start of its outage; empty if all can be
// read.
func (c *controller) unavailableCatalogs(in input) string {
	catalogs := c.relevant(in, func(each resolve.Catalog) bool { return each.Unavailable })
	if len(catalogs) == 0 {
		return ""
	}
	first := slices.MinFunc(catalogs, func(a, b resolve.Catalog) int { return a.UnavailableSince.Compare(b.UnavailableSince) })
	return fmt.Sprintf("Since %s, some updates may be unknown, because %s cannot be read.", first.UnavailableSince.UTC().Format(time.RFC3339), joinCatalogs(catalogs))
}

// joinCatalogs returns a text with the names of at most two catalogs, and the number of the others.
func joinCatalogs(catalogs []resolve.Catalog) string {
	var names []string
	for _, each := range catalogs[:min(len(catalogs), 2)] {
		names = append(names, "catalog "+each.ID.String())
	}
	if more := len(catalogs) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}
