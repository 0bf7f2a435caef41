package apply

import (
	"context"

	"github.com/openshift/platform-operators/pkg/rulesreview"
)

// learn remembers those rights that one rules review lists, so that an access review is needed only for each of the others. A list
// says nothing about what it does not contain: an authorizer may grant more than it lists.
func (p *permissions) learn(ctx context.Context, needs map[need][]string) {
	var unknown []right
	for of, verbs := range needs {
		for _, verb := range verbs {
			everywhere := right{of.GroupResource, verb, ""}
			if !p.remembered(everywhere) && !p.remembered(right{of.GroupResource, verb, of.namespace}) {
				unknown = append(unknown, everywhere)
			}
		}
	}
	if len(unknown) < 2 || p.doubted() {
		return
	}
	rules, err := rulesreview.Ask(ctx, p.client)
	if err != nil {
		return // access reviews answer instead, or fail with the same error
	}
	for _, each := range unknown {
		if rules.Permit(each.verb, each.GroupResource) {
			p.remember(each)
		}
	}
}

// doubted says whether something that was remembered as granted was denied lately. An authorizer that denies what another one
// lists is known by access reviews only.
func (p *permissions) doubted() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.doubtedAt.IsZero() && p.clock.Since(p.doubtedAt) < grantedTime
}
