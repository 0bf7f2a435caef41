package joint

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"github.com/openshift/platform-operators/pkg/resolve"
)

// Cache keeps decisions from one call to the next, so that an operator is decided again only when something has changed that its
// decision was made of: its request, what the catalogs hold of its package, what the cluster has of the kinds and packages that
// its bundles provide or require, and all of that for the operators that it is decided together with. Everything else is decided
// once.
//
// What a Cache returns is what the function ResolveAll returns. It keeps one decision for each operator of the last call, and what that was made
// of: the catalogs' content of that operator's package, nothing of others, nothing of the past. ClusterState.Limit is not part of that. A
// call during which its Done was closed leaves nothing in the Cache. The zero value is empty and ready.
// A Cache may be used by several goroutines at once; none waits for another one's decision. Decisions are shared: no caller may
// change them.
type Cache struct {
	lock sync.Mutex
	// known is by operator. What it points to is never changed, only replaced.
	known map[string]*operatorState
}

// Result is a decision about one operator, and what it took.
type Result struct {
	Decision resolve.Decision
	// Decided is how many operators were decided for it; none where an earlier decision still holds.
	Decided int
	// Affected are other operators whose last decision may be outdated: they were decided together with this one, or what their
	// decision was made of has changed. They are named once, sorted.
	Affected []string
}

// operatorState is what is known of one operator: what its decision is made of, and the decision, nil where none holds.
type operatorState struct {
	inputs       inputs
	dependencies dependencies
	decision     *jointDecision
}

// ResolveAll is the function of the same name.
func (c *Cache) ResolveAll(requests []resolve.Request, state resolve.ClusterState) map[string]resolve.Decision {
	p := c.plan(requests, state)
	decisions := make(map[string]resolve.Decision, len(requests))
	for _, group := range p.components {
		maps.Copy(decisions, p.decisionOf(group).decisions)
	}
	c.keep(p)
	return decisions
}

// Resolve is ResolveAll for one operator: others are decided only if they are decided together with it. The Decision is empty if no
// request is the operator's.
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

// Invalidate forgets the decisions that no longer hold, and names their operators, and those of which no decision is kept; both
// are sorted.
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

// plan is one call: the operators as they are now, and which of them are decided together.
type plan struct {
	index *resolve.ClusterIndex
	// before and now are the cache's content, as it was found and as it shall be.
	before, now map[string]*operatorState
	// evaluations are of the operators whose catalogs had to be read again to see what they depend on.
	evaluations map[string]*resolve.Evaluation
	components  []component
	// decided is how many operators have been decided.
	decided int
}

func (c *Cache) plan(requests []resolve.Request, state resolve.ClusterState) *plan {
	requests = slices.SortedStableFunc(slices.Values(requests), func(a, b resolve.Request) int {
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.Operator, b.Operator))
	})
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

// decisionOf is the decision about a component: the one that is kept if it still holds, else a new one.
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

// keptOf is the decision that is kept of a component; nil where none is, where the component was another one, or where its operators have changed.
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

// forget drops what was decided about a component.
func (p *plan) forget(group component) {
	for _, member := range group {
		if member.decision != nil {
			p.now[member.name()] = &operatorState{inputs: member.inputs, dependencies: member.dependencies}
		}
	}
}

// keep merges a call's decisions into the cache, which other calls may have changed meanwhile, and drops operators that are gone. A call
// whose searches were canceled changes nothing: they may be incomplete, and the next call does all of it again.
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

// decided says whether a decision is kept that held when it was made; of an operator that is not known there is none.
func (s *operatorState) decided() bool { return s != nil && s.decision != nil }

// oncePerPackage calls catalogs once for each package: what is compared has to be what is decided upon.
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
