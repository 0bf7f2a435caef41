package resolve

import (
	"maps"
	"slices"

	blang "github.com/blang/semver/v4"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve/reason"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// MaxNotes is the maximum number of notes in a decision. If there are more, one additional note reports that some are omitted.
const MaxNotes = 20

// Evaluation makes the decision for one operator. NewEvaluation reads the input, Filter applies the operator's own rules, and Refuse
// applies rules about other operators (pkg/resolve/joint). Then Decide chooses. An Evaluation is not safe for concurrent use.
type Evaluation struct {
	// Options are all bundles of the package, newest first. They are read-only.
	Options []*Option
	// Conflicts, Notes and CoResolved become the fields of the Decision that have the same names.
	Conflicts         []Conflict
	Notes, CoResolved []string
	// Budget limits the comparison of versions with required ranges. Each operator has its own Budget, because its decision must depend
	// only on the operators that are decided together with it.
	Budget *upgrade.Budget

	query     *query
	selection catalogSelection
	// fitting are the options that no rule has refused so far, including the installed one, newest first.
	fitting []*Option
	paths   *upgradePaths
	// refused are the refused options. unreachableIn holds, for each unreachable option, the paths among which none leads to it, keyed by
	// keyOf.
	refused       []Refusal
	unreachableIn map[string]*upgradePaths
	// problem is the reason why nothing can be chosen; nil if there is none. If there is a problem, reason is the reason of the Installed
	// condition.
	problem reason.Reason
	reason  string
	// versions is the cached result of Versions, and inRange holds the cached results of hasVersionIn, keyed by range.
	versions *upgrade.Versions
	inRange  map[string]bool
}

// NewEvaluation returns the Evaluation of a request, with the bundles from the catalogs that the request selects. It never fails: Decide
// reports problems with the request.
func NewEvaluation(req Request, index *ClusterIndex) *Evaluation {
	e := &Evaluation{selection: selectCatalogs(req, index.State.catalogs(req.Package)), Budget: upgrade.NewBudget(index.limit())}
	e.selection.unlisted = index.State.Unlisted
	e.reason = platformv1alpha1.ReasonValidationFailed
	if e.query, e.problem = newQuery(req, index); e.problem != nil {
		e.refuseAll(RuleRange, reason.Immovable{Problem: e.problem})
		return e
	}
	if !req.allows(req.Package) {
		e.problem = reason.ForbiddenPackage{Package: req.Package, Allowed: req.Allowed}
		e.refuseAll(RuleNotAllowed, reason.ForbiddenVersion{Package: req.Package})
		return e
	}
	if e.problem = e.selection.problem(req); e.problem != nil {
		e.reason = platformv1alpha1.ReasonSourceFailed
		return e
	}
	e.Options = optionsIn(req, e.selection.offering)
	return e
}

// Operator returns the PlatformOperator's name.
func (e *Evaluation) Operator() string { return e.query.request.Operator }

// Package returns the requested package.
func (e *Evaluation) Package() string { return e.query.request.Package }

// InstalledVersion returns the installed version; zero if nothing is installed or the version is invalid.
func (e *Evaluation) InstalledVersion() upgrade.Version { return e.query.installed }

// IsInstalled reports whether an option has the installed version. It returns false if nothing is installed.
func (e *Evaluation) IsInstalled(o *Option) bool { return e.query.isInstalled(o) }

// Index returns the index of the cluster and of the operators that are decided together.
func (e *Evaluation) Index() *ClusterIndex { return e.query.index }

// SetIndex replaces the index with one of the same ClusterState, which may have different registered operators.
func (e *Evaluation) SetIndex(index *ClusterIndex) { e.query.index = index }

// Absence returns the reason why a kind or package that the package requirer requires is missing. The requirer may be the package of
// another operator.
func (e *Evaluation) Absence(requirer string, leaf catalog.Requirement) reason.Absence {
	return e.query.absence(requirer, leaf)
}

// FirstStepTo returns the first upgrade step on the path to an option. It returns the option itself if one step is enough or there is no
// path.
func (e *Evaluation) FirstStepTo(o *Option) *Option { return e.paths.firstStepTo(o) }

// Filter applies the operator's own rules and separates the fitting options from the refused ones. It must be called once, before Decide.
// It does nothing if the request has a problem.
func (e *Evaluation) Filter() {
	if e.problem != nil {
		return
	}
	e.query.permitDowngrade(e.Options)
	e.fitting = make([]*Option, 0, len(e.Options))
	var prereleases []*Option
	for _, o := range e.Options {
		e.query.applyRules(o)
		switch isPrerelease := o.rule == RulePrerelease; {
		case o.cause == nil, isPrerelease && !e.query.installed.IsZero(): // an edge of the author may permit the pre-release
			e.fitting = append(e.fitting, o)
		case isPrerelease:
			prereleases = append(prereleases, o)
		default:
			e.refused = append(e.refused, Refusal{Candidate: o.Candidate, Rule: o.rule, Cause: o.cause})
		}
	}
	e.filterReachable()
	e.admitPrereleases(prereleases)
}

// filterReachable keeps the reachable options of the highest priority that has reachable options, and refuses all others.
func (e *Evaluation) filterReachable() {
	for left := e.fitting; ; {
		fitting, lower := highestPriority(left)
		e.paths = e.query.newUpgradePaths(e.selection, tierOf(e.Options, fitting))
		kept, unreachable := e.paths.split(fitting)
		e.refused = append(e.refused, unreachable...)
		for _, each := range unreachable {
			if e.unreachableIn == nil {
				e.unreachableIn = map[string]*upgradePaths{}
			}
			e.unreachableIn[keyOf(each.Candidate)] = e.paths
		}
		if len(kept) > 0 || len(lower) == 0 {
			e.fitting = kept
			for _, o := range lower {
				e.refused = append(e.refused, o.outranked(fitting[0]))
			}
			return
		}
		left = lower // continue with the lower priorities, because no option of this one is reachable
	}
}

// refuseAll refuses every version of the package for the same cause, so that status and the upgrade gate can name the cause. It clears the
// selection, because unreadable catalogs do not change the result.
func (e *Evaluation) refuseAll(rule string, cause reason.Reason) {
	e.Options = optionsIn(e.query.request, e.selection.offering)
	for _, o := range e.Options {
		e.refused = append(e.refused, Refusal{Candidate: o.Candidate, Rule: rule, Cause: cause})
	}
	sortRefusals(e.refused)
	e.selection = catalogSelection{}
}

// Refuse moves options from the fitting options to the refused ones, and records this rule and cause for them.
func (e *Evaluation) Refuse(options []*Option, rule string, cause reason.Reason) {
	out := map[string]bool{}
	for _, o := range options {
		out[keyOf(o.Candidate)] = true
		e.refused = append(e.refused, Refusal{Candidate: o.Candidate, Rule: rule, Cause: cause})
	}
	e.fitting = slices.DeleteFunc(e.fitting, func(each *Option) bool { return out[keyOf(each.Candidate)] })
}

// keyOf returns a key for the candidate's catalog and bundle.
func keyOf(c Candidate) string { return c.Catalog.String() + " " + c.Bundle.Name }

// Decide chooses among the fitting options and returns the decision. Filter must have been called.
func (e *Evaluation) Decide() Decision {
	unread := reason.Text(e.selection.unreadReason(false))
	decision := Decision{
		HasPendingCatalogs: e.selection.hasPending(), UnreadCatalogs: unread, OmittedCatalogs: reason.Text(e.selection.unreadReason(true)), UnavailableCatalogs: e.selection.unavailable(),
		Conflicts: e.Conflicts, CoResolved: e.CoResolved, MissingKinds: slices.SortedFunc(maps.Keys(e.query.missingKinds), catalog.GVK.Compare),
	}
	if e.problem != nil {
		decision.Reason, decision.Message = e.reason, reason.Bound(reason.Text(e.problem))
		decision.Notes, decision.Refused = boundNotes(e.Notes), e.refused
		decision.Updates = e.query.updates(e.Options, decision, &upgradePaths{query: e.query})
		return decision
	}
	decision.Notes = boundNotes(slices.Concat(e.selection.notes(), e.query.request.notes(e.selection), e.Notes))
	sortRefusals(e.refused)
	decision.Refused = e.refused
	decision.Available = slices.Grow(decision.Available, len(e.fitting))
	for _, o := range e.fitting {
		decision.Available = append(decision.Available, o.Candidate)
	}
	decision.Updates = e.query.updates(e.Options, decision, e.paths)
	e.addDetails(&decision)
	if len(e.fitting) == 0 {
		conditionReason, why := explain(e.query.request, e.selection, decision.Refused)
		decision.Reason, decision.Message = conditionReason, reason.Text(why)
	} else {
		e.decide(&decision)
		if decision.Chosen == nil {
			decision.Obstacle = reason.Bound(decision.Message)
		}
	}
	decision.Message = reason.Bound(reason.Text(reason.Sentences{reason.Rendered(decision.Message), reason.Rendered(unread)}))
	return decision
}

// boundNotes sorts notes and removes duplicates. It keeps at most MaxNotes. If it omits some, it adds one note that says so.
func boundNotes(notes []string) []string {
	slices.Sort(notes)
	notes = slices.Compact(notes)
	if len(notes) > MaxNotes {
		notes = append(notes[:MaxNotes:MaxNotes], "and more that is not listed")
	}
	return notes
}

// Preferences returns the options that the operator prefers to its installed version, best first, and then the installed one if it fits. It
// returns nil if the operator cannot change its version, whatever other operators do. If upgrades need approval, it returns only the
// approved option, or the installed one if no approved option fits.
func (e *Evaluation) Preferences() []*Option {
	if e.problem != nil || len(e.fitting) == 0 {
		return nil
	}
	order := slices.SortedStableFunc(slices.Values(e.fitting), preferred)
	target, ok := e.query.approvedTarget(e.fitting, order[0], &Decision{})
	if !ok {
		return nil
	}
	if _, isPending := e.selection.pending(target.priority); isPending {
		return nil
	}
	if e.query.request.Manual && !e.query.installed.IsZero() {
		order = []*Option{target}
	}
	for i, o := range order {
		if e.paths.ambiguity(o) != nil {
			return order[:i]
		}
		if e.query.isInstalled(o) {
			return order[:i+1]
		}
	}
	return order
}

// Installed returns the option of the installed bundle. If no catalog has the bundle, it returns an option that contains only the version,
// and false.
func (e *Evaluation) Installed() (*Option, bool) {
	for _, o := range e.Options {
		if e.query.isInstalled(o) && (e.query.request.InstalledBundle == "" || e.query.request.InstalledBundle == o.Bundle.Name) {
			return o, true
		}
	}
	return &Option{Candidate: Candidate{Version: e.query.installed}}, false
}

// Versions returns the versions of all options and the installed version.
func (e *Evaluation) Versions() upgrade.Versions {
	if e.versions == nil {
		all := make([]upgrade.Version, 0, len(e.Options)+1)
		for _, o := range e.Options {
			all = append(all, o.Version)
		}
		versions := upgrade.NewVersions(append(all, e.query.installed))
		e.versions = &versions
	}
	return *e.versions
}

// hasVersionIn reports whether one of Versions is in a range. It evaluates each range only once. If the budget is exhausted, it returns
// true, because the search for a joint solution (pkg/resolve/joint) evaluates the range again.
func (e *Evaluation) hasVersionIn(text string, covers blang.Range) (found bool) {
	found, known := e.inRange[text]
	if !known {
		complete := e.Versions().Covered(text, covers, e.Budget, func(int, int) { found = true })
		found = found || !complete
		if e.inRange == nil {
			e.inRange = map[string]bool{}
		}
		e.inRange[text] = found
	}
	return found
}
