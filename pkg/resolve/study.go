package resolve

import (
	"cmp"
	"maps"
	"slices"

	blang "github.com/blang/semver/v4"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// study is the decision about one operator in the making: begin reads what there is, weigh judges it, conclude decides.
type study struct {
	ask     *question
	found   finding
	options []*option
	// fitting are the options that may be moved to, or are installed, newest first.
	fitting []*option
	journey *journey
	// refused are the others, and closedIn has the journey that closes those that cannot be reached, by keyOf.
	refused  []Refusal
	closedIn map[string]*journey
	// problem says that there is nothing to choose from, and reason which kind of problem it is.
	reason, problem string
	conflicts       []Conflict
	// versions are made by offered, and inRange by versionIn, by the ranges' texts; budget is for comparing the ones with the others. It is
	// this operator's alone, so that its decision depends on nobody but those that it is decided together with.
	versions *upgrade.Versions
	inRange  map[string]bool
	budget   *upgrade.Budget
	// kin are the operators that it has to do with.
	kin   []string
	notes []string
}

func begin(req Request, around *surroundings) *study {
	s := &study{found: look(req, around.world.catalogs(req.Package)), budget: upgrade.NewBudget(around.limit())}
	s.found.unlisted = around.world.Unlisted
	var invalid string
	if s.ask, invalid = newQuestion(req, around); invalid != "" {
		s.refuseAll(RuleRange, "cannot be moved to: "+invalid)
	}
	notAllowed := req.notAllowed()
	if invalid == "" && notAllowed != "" {
		s.refuseAll(RuleNotAllowed, notAllowedWhy(req))
	}
	if s.problem = cmp.Or(invalid, notAllowed); s.problem != "" {
		s.reason = platformv1alpha1.ReasonValidationFailed
		return s
	}
	if s.problem = s.found.problem(req); s.problem != "" {
		s.reason = platformv1alpha1.ReasonSourceFailed
		return s
	}
	s.options = gather(req, s.found.holders)
	return s
}

// weigh parts the options into those that fit and those that do not, as far as can be told of this operator alone.
func (s *study) weigh() {
	if s.problem != "" {
		return
	}
	s.ask.permitDescent(s.options)
	s.fitting = make([]*option, 0, len(s.options))
	for _, o := range s.options {
		s.ask.judge(o)
		if o.why == "" || o.rule == RulePrerelease && !s.ask.installed.IsZero() { // an author's edge may lead to a pre-release
			s.fitting = append(s.fitting, o)
			continue
		}
		s.refused = append(s.refused, Refusal{Candidate: o.Candidate, Rule: o.rule, Why: o.why})
	}
	for left := s.fitting; ; {
		fitting, lower := highestPriority(left)
		s.journey = s.ask.journey(s.found, tierOf(s.options, fitting))
		kept, closed := s.journey.reachable(fitting)
		s.refused = append(s.refused, closed...)
		for _, each := range closed {
			if s.closedIn == nil {
				s.closedIn = map[string]*journey{}
			}
			s.closedIn[keyOf(each.Candidate)] = s.journey
		}
		if len(kept) > 0 || len(lower) == 0 {
			s.fitting = kept
			for _, o := range lower {
				s.refused = append(s.refused, o.outranked(fitting[0]))
			}
			return
		}
		left = lower // a catalog counts by what of it can be moved to
	}
}

// refuseAll lists the versions of a package of which none may be moved to all the same, so that status and the upgrade gate can
// name what is in the way. What could not be read makes no difference.
func (s *study) refuseAll(rule, why string) {
	s.options = gather(s.ask.Request, s.found.holders)
	for _, o := range s.options {
		s.refused = append(s.refused, Refusal{Candidate: o.Candidate, Rule: rule, Why: why})
	}
	sortRefusals(s.refused)
	s.found = finding{}
}

// refuse takes options out of those that fit.
func (s *study) refuse(options []*option, rule, why string) {
	out := map[string]bool{}
	for _, o := range options {
		out[keyOf(o.Candidate)] = true
		s.refused = append(s.refused, Refusal{Candidate: o.Candidate, Rule: rule, Why: why})
	}
	s.fitting = slices.DeleteFunc(s.fitting, func(each *option) bool { return out[keyOf(each.Candidate)] })
}

// keyOf names a candidate.
func keyOf(c Candidate) string { return c.Catalog.String() + " " + c.Bundle.Name }

// conclude chooses among what fits.
func (s *study) conclude() Decision {
	decision := Decision{Unread: s.found.unreadText(), LeftOut: s.found.leftOut(), Away: s.found.away(), Conflicts: s.conflicts, Kin: s.kin,
		Lacking: slices.SortedFunc(maps.Keys(s.ask.lacking), catalog.GVK.Compare)}
	if s.problem != "" {
		decision.Reason, decision.Message = s.reason, bound(s.problem)
		decision.Notes, decision.Refused = noted(s.notes), s.refused
		decision.Updates = s.ask.updates(s.options, decision, &journey{ask: s.ask})
		return decision
	}
	decision.Notes = noted(append(s.found.notes(), s.notes...))
	sortRefusals(s.refused)
	decision.Refused = s.refused
	decision.Available = slices.Grow(decision.Available, len(s.fitting))
	for _, o := range s.fitting {
		decision.Available = append(decision.Available, o.Candidate)
	}
	decision.Updates = s.ask.updates(s.options, decision, s.journey)
	s.detail(&decision)
	if len(s.fitting) == 0 {
		decision.Reason, decision.Message = explain(s.ask.Request, s.found, decision.Refused)
	} else {
		s.ask.decide(s.found, s.fitting, s.journey, &decision)
		if decision.Chosen == nil {
			decision.Obstacle = bound(decision.Message)
		}
	}
	decision.Message = bound(joinSentences(decision.Message, decision.Unread))
	return decision
}

// wishes are what the operator would run, the best first, down to what it runs, if that is among them. There are none where
// it is not to be moved whatever others do: what alone cannot be decided is not decided together either.
func (s *study) wishes() []*option {
	if s.problem != "" || len(s.fitting) == 0 {
		return nil
	}
	order := slices.SortedStableFunc(slices.Values(s.fitting), preferred)
	target, ok := s.ask.approved(s.fitting, order[0], &Decision{})
	if !ok || s.found.pending(target.priority) != "" {
		return nil
	}
	if s.ask.Manual && !s.ask.installed.IsZero() {
		order = []*option{target}
	}
	for i, o := range order {
		if s.journey.ambiguity(o) != "" {
			return order[:i]
		}
		if s.ask.isInstalled(o) {
			return order[:i+1]
		}
	}
	return order
}

// staying is the bundle that is installed, as the catalogs have it; false where none has it.
func (s *study) staying() (*option, bool) {
	for _, o := range s.options {
		if s.ask.isInstalled(o) && (s.ask.InstalledBundle == "" || s.ask.InstalledBundle == o.Bundle.Name) {
			return o, true
		}
	}
	return &option{Candidate: Candidate{Version: s.ask.installed}}, false
}

// offered are the versions that the operator runs or might run.
func (s *study) offered() upgrade.Versions {
	if s.versions == nil {
		all := make([]upgrade.Version, 0, len(s.options)+1)
		for _, o := range s.options {
			all = append(all, o.Version)
		}
		versions := upgrade.NewVersions(append(all, s.ask.installed))
		s.versions = &versions
	}
	return *s.versions
}

// versionIn says whether any version that the operator runs or might run is in a range. Each range is applied once. Where the budget does
// not last there might be one: whether a version is in the range is asked again of each version that is tried together with others.
func (s *study) versionIn(text string, covers blang.Range) (found bool) {
	found, known := s.inRange[text]
	if !known {
		complete := s.offered().Covered(text, covers, s.budget, func(int, int) { found = true })
		found = found || !complete
		if s.inRange == nil {
			s.inRange = map[string]bool{}
		}
		s.inRange[text] = found
	}
	return found
}
