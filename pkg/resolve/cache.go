package resolve

import (
	"cmp"
	"maps"
	"slices"
	"sync"
)

// Cache keeps decisions from one call to the next, so that an operator is decided again only when something has changed that its
// decision was made of: its request, what the catalogs hold of its package, what the cluster has of the kinds and packages that
// its bundles provide or require, and all of that for the operators that it is decided together with. Everything else is decided
// once.
//
// What a Cache returns is what Together returns. It keeps one decision for each operator of the last call, and what that was made
// of: the catalogs' content of that operator's package, nothing of others, nothing of the past. World.Limit is not part of that. A
// call during which its Done was closed leaves nothing in the Cache. The zero value is empty and ready.
// A Cache may be used by several goroutines at once; none waits for what another one decides. Decisions are shared: nobody may
// change them.
type Cache struct {
	lock sync.Mutex
	// known is by operator. What it points to is never changed, only replaced.
	known map[string]*operatorState
}

// Answer is a decision about one operator, and what came of making it.
type Answer struct {
	Decision
	// Decided is how many operators were decided for it; none where an earlier decision still holds.
	Decided int
	// Others are operators for whom something else may have been decided meanwhile than they know: they were decided together with
	// this one, or what their decision was made of has changed. They are named once, sorted.
	Others []string
}

// operatorState is what is known of one operator: what its decision is made of, and the decision, nil where none holds.
type operatorState struct {
	inputs    inputs
	interests interests
	decision  *jointDecision
}

// Together is the function of the same name.
func (c *Cache) Together(requests []Request, world World) map[string]Decision {
	p := c.plan(requests, world)
	decisions := make(map[string]Decision, len(requests))
	for _, group := range p.components {
		maps.Copy(decisions, p.decisionOf(group).decisions)
	}
	c.keep(p)
	return decisions
}

// Decide is Together for one operator: the others are decided only as far as they are decided together with it. The Decision is
// empty when no request is the operator's.
func (c *Cache) Decide(operator string, requests []Request, world World) Answer {
	p := c.plan(requests, world)
	var answer Answer
	for _, group := range p.components {
		mine := group.has(operator)
		if mine {
			answer.Decision = p.decisionOf(group).decisions[operator]
			answer.Decided = p.decided
		}
		if kept := p.keptOf(group); mine && p.decided == 0 || !mine && kept != nil && kept.holdsExceptHints(p.around, group) {
			continue
		}
		for _, member := range group {
			if name := member.name(); name != operator && (mine || p.before[name].decided()) {
				answer.Others = append(answer.Others, name)
			}
		}
		if !mine {
			p.forget(group)
		}
	}
	c.keep(p)
	slices.Sort(answer.Others)
	return answer
}

// Invalidate forgets the decisions that no longer hold, and names their operators, and those of which no decision is kept; both
// are sorted.
func (c *Cache) Invalidate(requests []Request, world World) (outdated, undecided []string) {
	p := c.plan(requests, world)
	for _, group := range p.components {
		if kept := p.keptOf(group); kept != nil && kept.holds(p.around, group) {
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

// plan is one call: the operators as they are now, and who of them is decided together.
type plan struct {
	around *surroundings
	// before and now are the cache's content, as it was found and as it shall be.
	before, now map[string]*operatorState
	// begun are the operators that had to be looked at again to see what they have to do with.
	begun      map[string]*study
	components []component
	// decided is how many operators have been decided.
	decided int
}

func (c *Cache) plan(requests []Request, world World) *plan {
	requests = slices.SortedStableFunc(slices.Values(requests), func(a, b Request) int {
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.Operator, b.Operator))
	})
	world.Catalogs = oncePerPackage(world.catalogs)
	c.lock.Lock()
	before := maps.Clone(c.known)
	c.lock.Unlock()
	p := &plan{around: newSurroundings(requests, world), before: before, now: make(map[string]*operatorState, len(requests)), begun: map[string]*study{}}
	operators := make([]*operatorState, len(requests))
	for i, req := range requests {
		catalogs := world.Catalogs(req.Package)
		state := before[req.Operator]
		if state == nil || !state.inputs.equal(req, catalogs, world.Unlisted) {
			s := begin(req, p.around)
			p.begun[req.Operator] = s
			state = &operatorState{inputs: newInputs(req, catalogs, world.Unlisted), interests: interestsOf(s.options)}
		}
		operators[i], p.now[req.Operator] = state, state
	}
	p.components = componentsOf(operators, p.around)
	return p
}

// decisionOf is the decision about a component: the one that is kept if it still holds, else a new one.
func (p *plan) decisionOf(group component) *jointDecision {
	if kept := p.keptOf(group); kept != nil && kept.holds(p.around, group) {
		return kept
	}
	around := p.around.alone()
	studies := make([]*study, len(group))
	for i, member := range group {
		s, begun := p.begun[member.name()]
		if !begun {
			s = begin(member.inputs.request, around)
		}
		s.ask.around = around
		studies[i] = s
	}
	result := newJointDecision(group, around, decideJointly(around, studies))
	for _, member := range group {
		p.now[member.name()] = &operatorState{inputs: member.inputs, interests: member.interests, decision: result}
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
			p.now[member.name()] = &operatorState{inputs: member.inputs, interests: member.interests}
		}
	}
}

// keep puts what a call found out into the cache, beside what other calls found out meanwhile, and drops operators that are gone. A
// call whose searches were canceled by now changes nothing: its searches may have been cut short, and the next call does all of it again.
func (c *Cache) keep(p *plan) {
	if p.around.world.Limit.Canceled() {
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

// oncePerPackage asks for each package once: what is compared has to be what is decided upon.
func oncePerPackage(catalogs func(string) []Catalog) func(string) []Catalog {
	known := map[string][]Catalog{}
	return func(pkg string) []Catalog {
		found, asked := known[pkg]
		if !asked {
			found = catalogs(pkg)
			known[pkg] = found
		}
		return found
	}
}
