package upgradegate

import (
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/compat"
	"github.com/openshift/platform-operators/pkg/resolve"
)

// remedies are what could be installed instead, by the names of PlatformOperators.
type remedies struct {
	decisions map[string]resolve.Decision
	// unreadable is why what an operator's spec asks for cannot be decided.
	unreadable map[string]string
}

// remediesFor has the resolver decide about all operators together: a version that another operator is in the way of is none to
// name. What is installed counts as that even before it was ready. Where no operator declares anything there is nothing to ask.
func (c *controller) remediesFor(operators []*platformv1alpha1.PlatformOperator, on resolve.Cluster) remedies {
	found := remedies{unreadable: map[string]string{}}
	var requests []resolve.Request
	asked := false
	for _, operator := range operators {
		if removed(operator) {
			continue
		}
		version := ""
		if installed := operator.Status.Installed; installed != nil {
			version = installed.Version
			asked = asked || len(declared(installed)) > 0
		}
		if target := operator.Status.Target; target != nil && target.Hop != nil {
			asked = asked || len(declared(target.Hop)) > 0
		}
		request, err := resolve.RequestFor(operator, version, on)
		if err != nil {
			found.unreadable[operator.Name] = err.Error()
			continue
		}
		requests = append(requests, request)
	}
	if asked {
		world := resolve.World{Catalogs: c.catalogs.For, Unlisted: c.catalogs.Unlisted(), Kinds: c.inventory.Kinds(), Foreign: c.inventory.Foreign()}
		found.decisions = resolve.Together(requests, world)
	}
	return found
}

// of lists the versions that an operator could be moved to, those that its own spec keeps out included: to widen the spec is a
// remedy that the admin has. unread says why there may be more.
func (r remedies) of(operator string) (candidates []compat.Candidate, unread string) {
	if why := r.unreadable[operator]; why != "" {
		return nil, why
	}
	decision := r.decisions[operator]
	return decision.Moves(), decision.LeftOut
}

// declared are the values that a bundle declares, as they were recorded.
func declared(bundle *platformv1alpha1.InstalledBundle) []string {
	return compat.Recalled(bundle.MaxOpenShiftVersion, bundle.UnreadableMaxOpenShiftVersions)
}
