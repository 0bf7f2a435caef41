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
	// settling is how long the first evaluation waits for catalogs that have not been read. The catalogs controller stops waiting for a
	// slow one after half a minute, so this passes only if many are slow at once.
	settling = 2 * time.Minute
	// outageRetry is how often unreadable input is checked again: caches do not notify of the end of a failure.
	outageRetry = time.Minute
	// maxVersion limits the recorded cluster version, as the API does.
	maxVersion = 256
)

// memory is the controller's state between syncs.
type memory struct {
	// started is the time of the first sync; settled means that a complete evaluation has been made.
	started time.Time
	settled bool
	// last is the last complete verdict, nil before the first, and version its cluster version. until is the end of the first override that
	// it uses; zero if it uses none.
	last    *compat.Verdict
	version string
	until   time.Time
	// failing is since when input is unreadable, and broken the reason; zero while it is readable.
	failing time.Time
	broken  string
}

// decision is the result of a sync.
type decision struct {
	// verdict is the one to write, nil if the recorded one remains; version is its cluster version.
	verdict *compat.Verdict
	version string
	// kept is the recorded verdict that remains.
	kept *operatorv1.OperatorCondition
	// again is when to evaluate again without an event; 0 means never.
	again time.Duration
	// search starts a search for remedies.
	search bool
}

// permits reports whether the verdict, or the recorded one that remains, permits the cluster's next minor version.
func (o decision) permits() bool {
	if o.verdict != nil {
		return o.verdict.Upgradeable
	}
	return o.kept != nil && o.kept.Status == operatorv1.ConditionTrue
}

// input is the input of an evaluation.
type input struct {
	on        resolve.Cluster
	operators []*platformv1alpha1.PlatformOperator
	// deployments are the operators' BundleDeployments, by name; unowned are those without PlatformOperator.
	deployments map[string]*corev1alpha2.BundleDeployment
	unowned     []*corev1alpha2.BundleDeployment
	// ungated means that the cluster has no ClusterVersion.
	ungated bool
	// stale is a message: since when these objects may be out of date, and where to find the cause; empty if they are current.
	stale string
}

// judge never permits upgrades on incomplete input: if input is unreadable, the verdict for this cluster version remains, or upgrades are
// blocked if there is none.
func (c *controller) judge() decision {
	now, m := c.clock.Now(), &c.memory
	if m.started.IsZero() {
		m.started = now
	}
	seen, err := c.readInput()
	if err != nil {
		return c.duringOutage(seen, err)
	}
	m.failing, m.broken = time.Time{}, ""
	if seen.ungated {
		verdict := compat.NothingToGate() // not stored, because it does not apply to a ClusterVersion that appears later
		c.gauge.set(verdict)
		return decision{verdict: &verdict}
	}
	verdict, searching, err := c.evaluate(seen)
	if err != nil {
		klog.Warningf("judging the installed operators: %v", err) // the verdict reports it, too
	}
	again := nextExpiry(seen, now)
	if len(c.catalogs.Unlisted()) > 0 {
		again = sooner(outageRetry, again)
	}
	if waiting, left := c.untried(seen), m.started.Add(settling).Sub(now); !m.settled && waiting != "" && left > 0 {
		return c.whileWaiting(verdict, seen.on.Version, waiting, sooner(left, again))
	}
	c.search.request(seen)
	if stands := c.recordedVerdict(seen.on.Version); !m.settled && searching && stands != nil && (stands.Status == operatorv1.ConditionTrue) == verdict.Upgradeable {
		return decision{kept: stands, again: again, search: true} // the recorded verdict has remedies
	}
	found := c.settle(verdict, seen.on.Version, again)
	found.search = true
	return found
}

// whileWaiting is the decision before catalogs have been read: the recorded verdict for this cluster version remains, unless it permits an
// upgrade that is known to be blocked, which does not depend on catalogs.
func (c *controller) whileWaiting(verdict compat.Verdict, version, waiting string, again time.Duration) decision {
	condition := c.recordedVerdict(version)
	switch {
	case condition == nil:
		verdict := compat.CannotTell(fmt.Errorf("the manager has just started and waits, until %s at most, for %s", c.memory.started.Add(settling).UTC().Format(time.RFC3339), waiting))
		return decision{verdict: &verdict, again: again}
	case condition.Status == operatorv1.ConditionTrue && !verdict.Upgradeable:
		return decision{verdict: &verdict, version: recorded(verdict, version), again: again}
	}
	return decision{kept: condition, again: again}
}

// nextExpiry returns the time until the next override expires; 0 if there is none.
func nextExpiry(seen input, now time.Time) (next time.Duration) {
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

// sooner returns the shorter of two waits, where 0 means none.
func sooner(a, b time.Duration) time.Duration {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

// settle stores a complete evaluation.
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

// recorded returns the cluster version to record with a verdict, empty if it is unknown.
func recorded(verdict compat.Verdict, version string) string {
	if verdict.Reason == compat.ReasonErrorChecking || len(version) > maxVersion {
		return ""
	}
	return version
}

// readInput reads the input of a verdict. With an error, it returns the readable part.
func (c *controller) readInput() (input, error) {
	seen := input{on: resolve.Cluster{KubeVersion: c.kubeVersion}}
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
	case apierrors.IsNotFound(err): // it is about to be created again, with defaults
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

// assign sorts BundleDeployments by their owner.
func (s *input) assign(deployments []*corev1alpha2.BundleDeployment) {
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

// stale returns since when the API server has rejected lists or watches of the objects that a verdict depends on; empty if it does not.
// Until then a verdict uses the last known objects.
func (c *controller) stale(manager *operatorv1alpha1.PlatformOperatorManager) string {
	condition := v1helpers.FindOperatorCondition(manager.Status.Conditions, c.watches)
	if condition == nil || condition.Status != operatorv1.ConditionTrue || condition.Reason != health.ReasonInstalledNotListed {
		return ""
	}
	return fmt.Sprintf("This message may be out of date since %s: "+
		"the API server refuses to list or watch PlatformOperators, BundleDeployments or ClusterVersions; see condition %s of PlatformOperatorManager %q",
		condition.LastTransitionTime.UTC().Format(time.RFC3339), c.watches, manager.Name)
}

// duringOutage returns the last verdict of this process with a note on the outage, unless the cluster version is known to have changed.
// Before the first verdict, it is that of an earlier process for this version.
func (c *controller) duringOutage(seen input, cause error) decision {
	m := &c.memory
	if m.failing.IsZero() {
		m.failing, m.broken = c.clock.Now(), cause.Error() // keep the first error, so that the message is stable
		klog.Warningf("judging the installed operators: %v", cause)
	}
	same := seen.on.Version == "" || seen.on.Version == m.version
	expired := !m.until.IsZero() && !c.clock.Now().Before(m.until)
	stands := c.recordedVerdict(seen.on.Version)
	switch {
	case m.last != nil && same && !expired:
		verdict := m.last.WithNotes(fmt.Sprintf("Since %s nothing newer can be told: %s", m.failing.UTC().Format(time.RFC3339), m.broken))
		return decision{verdict: &verdict, version: recorded(verdict, m.version), again: outageRetry}
	case m.last == nil && stands != nil:
		return decision{kept: stands, again: outageRetry}
	}
	verdict := compat.CannotTell(fmt.Errorf("since %s: %s", m.failing.UTC().Format(time.RFC3339), m.broken))
	return decision{verdict: &verdict, again: outageRetry}
}

// recordedVerdict returns the recorded verdict for this cluster version, nil if there is none.
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

// gatedBefore reports whether there is a recorded verdict for any cluster version: then a missing ClusterVersion is an outage.
func (c *controller) gatedBefore() bool {
	manager, err := c.managers.Get(operatorv1alpha1.PlatformOperatorManagerName)
	return err == nil && manager.Status.UpgradeGate != nil && manager.Status.UpgradeGate.ClusterVersion != ""
}

// evaluate computes the verdict, and adds a note on catalogs that have been failing for some time. searching means that some remedies are
// not known yet.
func (c *controller) evaluate(seen input) (verdict compat.Verdict, searching bool, err error) {
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
	for _, note := range []string{seen.stale, c.unavailableCatalogs(seen)} {
		if note != "" {
			notes = append(notes, note)
		}
	}
	if len(notes) > 0 {
		verdict = verdict.WithNotes(notes...)
	}
	return verdict, searching, err
}

// relevant returns the catalogs that an installed operator may use and that match, without duplicates, sorted.
func (c *controller) relevant(seen input, holds func(resolve.Catalog) bool) (found []resolve.Catalog) {
	for _, operator := range seen.operators {
		if operator.Status.Installed == nil || removed(operator) {
			continue
		}
		request, err := resolve.RequestFor(operator, operator.Status.Installed.Version, seen.on)
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

// untried returns what is missing since the start: the kinds of catalogs that have not been listed, or else the catalogs that have not been
// read; empty if nothing is.
func (c *controller) untried(seen input) string {
	installed := func(operator *platformv1alpha1.PlatformOperator) bool {
		return operator.Status.Installed != nil && !removed(operator)
	}
	if kinds := c.catalogs.Unlisted(); len(kinds) > 0 && slices.ContainsFunc(seen.operators, installed) {
		return reason.Plurals(kinds) + " to be listed"
	}
	if catalogs := c.relevant(seen, func(each resolve.Catalog) bool { return each.Pending }); len(catalogs) > 0 {
		return joinCatalogs(catalogs) + " to be read"
	}
	return ""
}

// unavailableCatalogs returns which catalogs cannot be read, and since when; empty if all can be.
func (c *controller) unavailableCatalogs(seen input) string {
	catalogs := c.relevant(seen, func(each resolve.Catalog) bool { return each.Unavailable })
	if len(catalogs) == 0 {
		return ""
	}
	first := slices.MinFunc(catalogs, func(a, b resolve.Catalog) int { return a.UnavailableSince.Compare(b.UnavailableSince) })
	return fmt.Sprintf("Since %s not every update may be known: %s cannot be read", first.UnavailableSince.UTC().Format(time.RFC3339), joinCatalogs(catalogs))
}

// joinCatalogs names two catalogs, and counts the others.
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
