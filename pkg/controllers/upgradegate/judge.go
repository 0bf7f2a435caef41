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
	// settling is how long the first judgement waits for catalogs that have not been tried. The catalogs controller gives up on a slow
	// one after half a minute, so that this much passes only where many are slow at once.
	settling = 2 * time.Minute
	// outageRetry is when to look again while something cannot be read: caches tell of no failure's end.
	outageRetry = time.Minute
	// maxVersion bounds what is recorded of the cluster's version, as the API does.
	maxVersion = 256
)

// memory is what the controller remembers from one sync to the next.
type memory struct {
	// started is when this process looked first, settled whether it has judged everything once.
	started time.Time
	settled bool
	// last is the last judgement that was made of everything, nil before the first, and version what it is for. until is when the
	// first override that it counts ends; zero when it counts none.
	last    *compat.Verdict
	version string
	until   time.Time
	// failing is since when, and broken why, things cannot be read; zero while they can.
	failing time.Time
	broken  string
}

// opinion is what a sync has come to.
type opinion struct {
	// verdict is the one to write, nil when the recorded one stays; version is the cluster version that it applies to.
	verdict *compat.Verdict
	version string
	// stays is the recorded verdict that stays.
	stays *operatorv1.OperatorCondition
	// again is when to look again without being told; 0 is never.
	again time.Duration
	// search has remedies be searched for what was judged.
	search bool
}

// permits says whether the verdict, or the recorded one that stays, permits the cluster's next minor version.
func (o opinion) permits() bool {
	if o.verdict != nil {
		return o.verdict.Upgradeable
	}
	return o.stays != nil && o.stays.Status == operatorv1.ConditionTrue
}

// sight is what a judgement is made of.
type sight struct {
	on        resolve.Cluster
	operators []*platformv1alpha1.PlatformOperator
	// deployments are those of the operators, by name; unowned are those that no operator owns.
	deployments map[string]*corev1alpha2.BundleDeployment
	unowned     []*corev1alpha2.BundleDeployment
	// ungated says that the cluster has no ClusterVersion.
	ungated bool
	// stale is a message: since when these objects may be out of date, and where to see the cause; empty when they are current.
	stale string
}

// judge never fails open: what cannot be read leaves the verdict that there is for this cluster version, and blocks where there is
// none.
func (c *controller) judge() opinion {
	now, m := c.clock.Now(), &c.memory
	if m.started.IsZero() {
		m.started = now
	}
	seen, err := c.look()
	if err != nil {
		return c.duringOutage(seen, err)
	}
	m.failing, m.broken = time.Time{}, ""
	if seen.ungated {
		verdict := compat.NothingToGate() // not remembered: it says nothing of a ClusterVersion that comes
		c.gauge.set(verdict)
		return opinion{verdict: &verdict}
	}
	verdict, searching, err := c.evaluate(seen)
	if err != nil {
		klog.Warningf("judging the installed operators: %v", err) // the verdict says so too
	}
	again := nextExpiry(seen, now)
	if len(c.catalogs.Unlisted()) > 0 {
		again = sooner(outageRetry, again)
	}
	if waiting, left := c.untried(seen), m.started.Add(settling).Sub(now); !m.settled && waiting != "" && left > 0 {
		return c.whileWaiting(verdict, seen.on.Version, waiting, sooner(left, again))
	}
	c.search.request(seen)
	if stands := c.standing(seen.on.Version); !m.settled && searching && stands != nil && (stands.Status == operatorv1.ConditionTrue) == verdict.Upgradeable {
		return opinion{stays: stands, again: again, search: true} // what is recorded has remedies
	}
	found := c.settle(verdict, seen.on.Version, again)
	found.search = true
	return found
}

// whileWaiting is the first opinion of a process before catalogs have been tried: what is recorded for this cluster version stays,
// unless it permits what is known to be blocked already, for catalogs have no part in that.
func (c *controller) whileWaiting(verdict compat.Verdict, version, waiting string, again time.Duration) opinion {
	condition := c.standing(version)
	switch {
	case condition == nil:
		verdict := compat.CannotTell(fmt.Errorf("the manager has just started and waits, until %s at most, for %s", c.memory.started.Add(settling).UTC().Format(time.RFC3339), waiting))
		return opinion{verdict: &verdict, again: again}
	case condition.Status == operatorv1.ConditionTrue && !verdict.Upgradeable:
		return opinion{verdict: &verdict, version: recorded(verdict, version), again: again}
	}
	return opinion{stays: condition, again: again}
}

// nextExpiry is how long it takes until the first override ends that has not ended; 0 when there is none.
func nextExpiry(seen sight, now time.Time) (next time.Duration) {
	for _, deployment := range seen.unowned {
		if wait, due := compat.NextExpiry(resolve.Overrides(deployment.Spec.CompatibilityOverrides), now); due {
			next = sooner(wait, next)
		}
	}
	for _, operator := range seen.operators {
		if wait, due := compat.NextExpiry(resolve.OverridesOf(operator), now); due {
			next = sooner(wait, next)
		}
	}
	return next
}

// sooner is the shorter one of two waits, of which 0 is none.
func sooner(a, b time.Duration) time.Duration {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

// settle remembers a judgement of everything.
func (c *controller) settle(verdict compat.Verdict, version string, again time.Duration) opinion {
	c.gauge.set(verdict)
	c.memory.settled, c.memory.last, c.memory.version, c.memory.until = true, &verdict, version, time.Time{}
	for _, acknowledged := range verdict.Acknowledged {
		if end := acknowledged.Risk.Expires; c.memory.until.IsZero() || end.Before(c.memory.until) {
			c.memory.until = end
		}
	}
	return opinion{verdict: &verdict, version: recorded(verdict, version), again: again}
}

// recorded is the cluster version to record beside a verdict: none where it could not be told.
func recorded(verdict compat.Verdict, version string) string {
	if verdict.Reason == compat.ReasonErrorChecking || len(version) > maxVersion {
		return ""
	}
	return version
}

// look reads everything that a verdict is made of. Of what cannot be read the sight has what could be.
func (c *controller) look() (sight, error) {
	seen := sight{on: resolve.Cluster{KubeVersion: c.kubeVersion}}
	clusterVersion, err := c.clusterVersions.Get("version")
	switch {
	case apierrors.IsNotFound(err) && c.memory.version == "" && !c.gatedBefore():
		seen.ungated = true
		return seen, nil
	case err != nil:
		return seen, fmt.Errorf("reading ClusterVersion \"version\": %w", err)
	}
	if seen.on.Version = clusterVersion.Status.Desired.Version; seen.on.Version == "" {
		return seen, errors.New("reading ClusterVersion \"version\": its status.desired has no version")
	}
	manager, err := c.managers.Get(operatorv1alpha1.PlatformOperatorManagerName)
	switch {
	case err == nil:
		seen.on.Manager, seen.stale = manager.Spec, c.stale(manager)
	case apierrors.IsNotFound(err): // it is created again at once, with defaults
		manager = nil
	default:
		return seen, fmt.Errorf("reading PlatformOperatorManager %q: %w", operatorv1alpha1.PlatformOperatorManagerName, err)
	}
	stored, err := c.limits()
	if err != nil {
		return seen, err
	}
	seen.on.Hold = limits.Decide(stored, manager).Hold
	if seen.operators, err = c.operators.List(labels.Everything()); err != nil {
		return seen, fmt.Errorf("listing PlatformOperators: %w", err)
	}
	deployments, err := c.deployments.List(labels.Everything())
	if err != nil {
		return seen, fmt.Errorf("listing BundleDeployments: %w", err)
	}
	seen.assign(deployments)
	return seen, nil
}

// assign sorts BundleDeployments by who has them.
func (s *sight) assign(deployments []*corev1alpha2.BundleDeployment) {
	operators := map[types.UID]string{}
	for _, each := range s.operators {
		operators[each.UID] = each.Name
	}
	s.deployments = map[string]*corev1alpha2.BundleDeployment{}
	for _, each := range deployments {
		if owner := metav1.GetControllerOf(each); owner != nil && owner.Kind == compat.KindPlatformOperator && operators[owner.UID] == each.Name {
			s.deployments[each.Name] = each
			continue
		}
		s.unowned = append(s.unowned, each)
	}
}

// stale returns since when the API server has refused to list or watch the objects that a verdict depends on; empty when it does not.
// Meanwhile a verdict depends on the objects that were listed last.
func (c *controller) stale(manager *operatorv1alpha1.PlatformOperatorManager) string {
	condition := v1helpers.FindOperatorCondition(manager.Status.Conditions, c.watches)
	if condition == nil || condition.Status != operatorv1.ConditionTrue || condition.Reason != health.ReasonInstalledNotListed {
		return ""
	}
	return fmt.Sprintf("This message may be out of date since %s: "+
		"the API server refuses to list or watch PlatformOperators, BundleDeployments or ClusterVersions; see condition %s of PlatformOperatorManager %q",
		condition.LastTransitionTime.UTC().Format(time.RFC3339), c.watches, manager.Name)
}

// duringOutage is the last verdict of this process with a word on why there is no newer one, unless the cluster is known to have
// another version since; before there is one, it is what an earlier process has recorded for this version.
func (c *controller) duringOutage(seen sight, cause error) opinion {
	m := &c.memory
	if m.failing.IsZero() {
		m.failing, m.broken = c.clock.Now(), cause.Error() // the first words stay, so that the message does
		klog.Warningf("judging the installed operators: %v", cause)
	}
	same := seen.on.Version == "" || seen.on.Version == m.version
	expired := !m.until.IsZero() && !c.clock.Now().Before(m.until)
	stands := c.standing(seen.on.Version)
	switch {
	case m.last != nil && same && !expired:
		verdict := m.last.WithNotes(fmt.Sprintf("Since %s nothing newer can be told: %s", m.failing.UTC().Format(time.RFC3339), m.broken))
		return opinion{verdict: &verdict, version: recorded(verdict, m.version), again: outageRetry}
	case m.last == nil && stands != nil:
		return opinion{stays: stands, again: outageRetry}
	}
	verdict := compat.CannotTell(fmt.Errorf("since %s: %s", m.failing.UTC().Format(time.RFC3339), m.broken))
	return opinion{verdict: &verdict, again: outageRetry}
}

// standing is the recorded verdict for this cluster version, nil when there is none.
func (c *controller) standing(version string) *operatorv1.OperatorCondition {
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

// gatedBefore says whether there is a recorded verdict for any cluster version: a ClusterVersion that is missing then is an outage.
func (c *controller) gatedBefore() bool {
	manager, err := c.managers.Get(operatorv1alpha1.PlatformOperatorManagerName)
	return err == nil && manager.Status.UpgradeGate != nil && manager.Status.UpgradeGate.ClusterVersion != ""
}

// evaluate judges what is installed, and notes which catalogs could not be read for some time. searching says that not every remedy
// is known yet.
func (c *controller) evaluate(seen sight) (verdict compat.Verdict, searching bool, err error) {
	var installed []compat.Operator
	remedies := c.search.last()
	for _, operator := range seen.operators {
		installed = append(installed, c.bundlesOf(operator, seen, remedies)...)
	}
	for _, deployment := range seen.unowned {
		installed = append(installed, c.bundlesOfDeployment(deployment, seen.on)...)
	}
	searching = slices.ContainsFunc(installed, func(each compat.Operator) bool { return each.Unsearched })
	verdict, err = compat.Evaluate(seen.on.Version, installed)
	var notes []string
	for _, note := range []string{seen.stale, c.away(seen)} {
		if note != "" {
			notes = append(notes, note)
		}
	}
	if len(notes) > 0 {
		verdict = verdict.WithNotes(notes...)
	}
	return verdict, searching, err
}

// relevant are the catalogs that an installed operator takes from and of which something holds, each once, sorted.
func (c *controller) relevant(seen sight, holds func(resolve.Catalog) bool) (found []resolve.Catalog) {
	for _, operator := range seen.operators {
		if operator.Status.Installed == nil || removed(operator) {
			continue
		}
		request, err := resolve.RequestFor(operator, operator.Status.Installed.Version, seen.on)
		if err != nil {
			continue // nothing is taken from any, and the remedy says so
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

// untried says what has not happened since the start: which kinds of catalogs have not been listed, or else which catalogs nobody
// has tried to read; empty when everything has.
func (c *controller) untried(seen sight) string {
	installed := func(operator *platformv1alpha1.PlatformOperator) bool {
		return operator.Status.Installed != nil && !removed(operator)
	}
	if kinds := c.catalogs.Unlisted(); len(kinds) > 0 && slices.ContainsFunc(seen.operators, installed) {
		return reason.Plurals(kinds) + " to be listed"
	}
	if catalogs := c.relevant(seen, func(each resolve.Catalog) bool { return each.Pending }); len(catalogs) > 0 {
		return listed(catalogs) + " to be read"
	}
	return ""
}

// away says which catalogs cannot be read, and since when the first of them; empty when all can be.
func (c *controller) away(seen sight) string {
	catalogs := c.relevant(seen, func(each resolve.Catalog) bool { return each.Unavailable })
	if len(catalogs) == 0 {
		return ""
	}
	first := slices.MinFunc(catalogs, func(a, b resolve.Catalog) int { return a.UnavailableSince.Compare(b.UnavailableSince) })
	return fmt.Sprintf("Since %s not every update may be known: %s cannot be read", first.UnavailableSince.UTC().Format(time.RFC3339), listed(catalogs))
}

// listed names two catalogs, and counts the others.
func listed(catalogs []resolve.Catalog) string {
	var names []string
	for _, each := range catalogs[:min(len(catalogs), 2)] {
		names = append(names, "catalog "+each.ID.String())
	}
	if more := len(catalogs) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}
