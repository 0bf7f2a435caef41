package joint

import (
	"maps"
	"slices"
	"sync"

	"github.com/openshift/platform-operators/pkg/resolve"
)

// Cache keeps decisions between calls. It makes a new decision for an operator only if an input of the decision has changed: the request,
// the catalogs' content for the package, or the state of the cluster for the kinds and packages that its bundles provide or require. If
// operators are decided together, the inputs of each of them are inputs of the decision. A Cache returns the same results as a new one.
//
// For each operator of the last call, it keeps one decision with its inputs; of the catalogs, it keeps only the content for that operator's
// package. ClusterState.Limit is not an input. If Done of the Limit was closed during a call, the Cache keeps nothing from that call.
//
// The zero value is empty and ready for use. A Cache is safe for concurrent use; no call waits for another call to decide. Decisions are
// shared, and callers must not change them.
type Cache struct {
	lock sync.Mutex
	// known holds the state of each operator, keyed by operator name. Values are replaced, never modified.
	known map[string]*operatorState
}

// Result is the decision for one operator, and how much work the call did.
type Result struct {
	Decision resolve.Decision
	// Decided is the number of operators that the call decided; 0 if an earlier decision was still valid.
	Decided int
	// Affected lists the names of other operators whose last decision may be outdated: they were decided together with this one, or their
	// inputs have changed. It is sorted, without duplicates.
	Affected []string
}

// operatorState holds the inputs of one operator's decision, and the decision; decision is nil if there is no valid one.
type operatorState struct {
	inputs       inputs
	dependencies dependencies
	decision     *jointDecision
}

// ResolveAll decides all PlatformOperators of the cluster. The result maps the name of each operator to its decision; names must be unique.
//
// An operator without dependencies on others is decided alone, as by resolve.Resolve, but for the given state of the cluster. Operators
// that require one another's kinds or packages, or provide the same kinds, are decided together. Both after the next upgrade step and at
// the end of all paths, every requirement is met, no kind has two providers, and no package is installed twice.
//
// Older operators have precedence; operators of the same age are ordered by name. Each operator gets the best version that leaves a
// solution for all. The installed version may always stay, and no upgrade removes what another operator requires. An operator can take over
// a kind or package only after the other operator has given it up. Existing overlaps and unmet requirements are tolerated.
//
// The result does not report whether versions below the chosen one would fit with other operators.
//
// The Cache keeps the decisions.
func (c *Cache) ResolveAll(requests []resolve.Request, state resolve.ClusterState) map[string]resolve.Decision {
	p := c.plan(requests, state)
	decisions := make(map[string]resolve.Decision, len(requests))
	for _, group := range p.components {
		maps.Copy(decisions, p.decisionOf(group).decisions)
	}
	c.keep(p)
	return decisions
}

// Resolve returns the decision for one operator. It decides other operators only if they must be decided together with this one, and drops
// the outdated decisions of others. The Decision is empty if requests does not contain the operator.
func (c *Cache) Resolve(operator string, requests []resolve.Request, state resolve.ClusterState) Result {
	p := c.plan(requests, state)
	var answer Result
	for _, group := range p.components {
		mine := group.has(operator)
		if mine {
			answer.Decision = p.decisionOf(group).decisions[operator]
			answer.Decided = p.decided
		}
		if kept := p.keptOf(group); mine && p.decided == 0 || !mine && kept != nil && kept.isCurrentExceptHints(p.index, group) {
			continue
		}
		for _, member := range group {
			if name := member.name(); name != operator && (mine || p.before[name].decided()) {
				answer.Affected = append(answer.Affected, name)
			}
		}
		if !mine {
			p.forget(group)
		}
	}
	c.keep(p)
	slices.Sort(answer.Affected)
	return answer
}

// Invalidate drops the decisions that are no longer valid. It returns the names of the operators whose decisions it dropped (outdated), and
// of those that had no decision (undecided). Both lists are sorted.
func (c *Cache) Invalidate(requests []resolve.Request, state resolve.ClusterState) (outdated, undecided []string) {
	p := c.plan(requests, state)
	for _, group := range p.components {
		if kept := p.keptOf(group); kept != nil && kept.isCurrent(p.index, group) {
			continue
		}
		for _, member := range group {
			if name := member.name(); p.before[name].decided() {
				outdated = append(outdated, name)
			} else {
				undecided = append(undecided, name)
			}
		}
		p.forget(group)
	}
	c.keep(p)
	slices.Sort(outdated)
	slices.Sort(undecided)
	return outdated, undecided
}

// plan is the state of one call of a Cache: the current operators, grouped into components that are decided together.
type plan struct {
	index *resolve.ClusterIndex
	// before is the content of the Cache at the beginning of the call, and now is the content to keep after the call.
	before, now map[string]*operatorState
	// evaluations holds the Evaluations that this call made to find the dependencies of new or changed operators, keyed by operator name.
	evaluations map[string]*resolve.Evaluation
	components  []component
	// decided is the number of operators that the call decided.
	decided int
}

func (c *Cache) plan(requests []resolve.Request, state resolve.ClusterState) *plan {
	if !slices.IsSortedFunc(requests, resolve.Request.Compare) { // sorting moves large values
		requests = slices.SortedStableFunc(slices.Values(requests), resolve.Request.Compare)
	}
	state.Catalogs = oncePerPackage(state.Catalogs)
	c.lock.Lock()
	before := maps.Clone(c.known)
	c.lock.Unlock()
	p := &plan{index: resolve.NewClusterIndex(requests, state), before: before, now: make(map[string]*operatorState, len(requests)), evaluations: map[string]*resolve.Evaluation{}}
	operators := make([]*operatorState, len(requests))
	for i, req := range requests {
		catalogs := state.Catalogs(req.Package)
		operator := before[req.Operator]
		if operator == nil || !operator.inputs.equal(req, catalogs, state.Unlisted) {
			s := resolve.NewEvaluation(req, p.index)
			p.evaluations[req.Operator] = s
			operator = &operatorState{inputs: newInputs(req, catalogs, state.Unlisted), dependencies: dependenciesOf(s.Options)}
		}
		operators[i], p.now[req.Operator] = operator, operator
	}
	p.components = componentsOf(operators, p.index)
	return p
}

// decisionOf returns the cached decision for a component if it is valid. Otherwise it makes a new one and stores it in the plan.
func (p *plan) decisionOf(group component) *jointDecision {
	if kept := p.keptOf(group); kept != nil && kept.isCurrent(p.index, group) {
		return kept
	}
	index := p.index.WithoutEvaluations()
	evaluations := make([]*resolve.Evaluation, len(group))
	for i, member := range group {
		s, isRead := p.evaluations[member.name()]
		if !isRead {
			s = resolve.NewEvaluation(member.inputs.request, index)
		}
		s.SetIndex(index)
		evaluations[i] = s
	}
	result := newJointDecision(group, index, decideComponent(index, evaluations))
	for _, member := range group {
		p.now[member.name()] = &operatorState{inputs: member.inputs, dependencies: member.dependencies, decision: result}
	}
	p.decided += len(group)
	return result
}

// keptOf returns the cached decision for a component; nil if there is none, or if the component or its operators have changed.
func (p *plan) keptOf(group component) *jointDecision {
	kept := group[0].decision
	if kept == nil || len(kept.operators) != len(group) {
		return nil
	}
	for i, member := range group {
		if member.decision != kept || kept.operators[i] != member.name() {
			return nil
		}
	}
	return kept
}

// forget drops a component's decision from the content that the Cache keeps after the call.
func (p *plan) forget(group component) {
	for _, member := range group {
		if member.decision != nil {
			p.now[member.name()] = &operatorState{inputs: member.inputs, dependencies: member.dependencies}
		}
	}
}

// keep merges the decisions of a call into the Cache, which other calls may have changed meanwhile, and drops deleted operators. It does
// nothing after a canceled call, because the decisions may be incomplete.
func (c *Cache) keep(p *plan) {
	if p.index.State.Limit.Canceled() {
		return
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.known == nil {
		c.known = make(map[string]*operatorState, len(p.now))
	}
	for name, state := range p.now {
		if p.before[name] != state {
			c.known[name] = state
		}
	}
	maps.DeleteFunc(c.known, func(name string, _ *operatorState) bool { return p.now[name] == nil })
}

func (s *operatorState) name() string { return s.inputs.request.Operator }

// decided reports whether the Cache has a decision for the operator, valid or outdated. It returns false for nil, which stands for an
// unknown operator.
func (s *operatorState) decided() bool { return s != nil && s.decision != nil }

// oncePerPackage returns a function that calls catalogs once for each package and caches the result, because the comparison and the
// decision must use the same content. catalogs may be nil.
func oncePerPackage(catalogs func(string) []resolve.Catalog) func(string) []resolve.Catalog {
	known := map[string][]resolve.Catalog{}
	return func(pkg string) []resolve.Catalog {
		found, asked := known[pkg]
		if !asked && catalogs != nil {
			found = catalogs(pkg)
			known[pkg] = found
		}
		return found
	}
}
