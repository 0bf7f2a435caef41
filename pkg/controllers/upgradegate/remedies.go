package upgradegate

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/compat"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/resolve/joint"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// Remedies are searched under a queue key of their own, by a worker of their own: a package of many versions may take long, and no
// verdict waits for that. A verdict has the remedies that were found last for the same cluster minor version and installed bundle, and
// says of others that they are not known yet.

// remediesKey is the queue key of the search.
const remediesKey = "remedies"

// search hands the cluster that was judged to the worker that searches, and back what that found. It is safe for concurrent use.
type search struct {
	lock sync.Mutex
	// on is the cluster to search for, nil before the first verdict.
	on *sight
	// query and found are the last search; found is nil before the first has ended.
	query query
	found *remedies
	// decisions are those that the answers were made from.
	decisions joint.Cache
}

// request makes the next search use this cluster state.
func (s *search) request(on sight) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.on = &on
}

// last is what was found last; nil before anything was.
func (s *search) last() *remedies {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.found
}

// run searches if anything has changed since the last search, and says whether the answer is another one. When the context ends, so
// does the search, and what it found by then is thrown away.
func (s *search) run(ctx context.Context, c *controller) (changed bool, err error) {
	s.lock.Lock()
	on, before, last := s.on, s.query, s.found
	s.lock.Unlock()
	if on == nil {
		return false, nil
	}
	next := c.queryFor(*on)
	if last != nil && reflect.DeepEqual(before, next) {
		return false, nil
	}
	found := next.answer(&s.decisions, ctx.Done())
	if err := ctx.Err(); err != nil {
		return false, fmt.Errorf("searching what could be installed instead: %w", err)
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	s.query, s.found = next, &found
	return last == nil || !reflect.DeepEqual(*last, found), nil
}

// query is everything that remedies follow from.
type query struct {
	// version is the cluster's.
	version  string
	requests []resolve.Request
	// bundles are what is installed by each operator that can be asked about.
	bundles map[string]bundleID
	// unreadable is why what an operator's spec asks for cannot be decided.
	unreadable map[string]string
	// needed says that an operator declares anything: else there is nothing to search.
	needed           bool
	catalogs         map[string][]resolve.Catalog
	unlisted         []string
	kinds            []resolve.Kind
	externalPackages []resolve.ExternalPackage
}

// bundleID tells installed bundles apart.
type bundleID struct{ pkg, bundle, version, release string }

func bundleIDOf(operator *platformv1alpha1.PlatformOperator) bundleID {
	id := bundleID{pkg: operator.Spec.Package.Name}
	if installed := operator.Status.Installed; installed != nil {
		id.bundle, id.version, id.release = installed.Bundle, installed.Version, installed.Release
	}
	return id
}

// queryFor asks about all operators together: a version that another operator is in the way of is none to name. What is installed
// counts as that even before it was ready.
func (c *controller) queryFor(seen sight) query {
	on := seen.on
	q := query{version: on.Version, bundles: map[string]bundleID{}, unreadable: map[string]string{}, catalogs: map[string][]resolve.Catalog{}}
	for _, operator := range seen.operators {
		if removed(operator) {
			continue
		}
		q.bundles[operator.Name] = bundleIDOf(operator)
		version := ""
		if installed := operator.Status.Installed; installed != nil {
			version = installed.Version
		}
		q.needed = q.needed || slices.ContainsFunc(compat.CountedBundles(operator, seen.deployments[operator.Name]), func(each compat.Counted) bool { return len(each.Max) > 0 })
		request, err := resolve.RequestFor(operator, version, on)
		if err != nil {
			q.unreadable[operator.Name] = err.Error()
			continue
		}
		q.requests = append(q.requests, request)
	}
	if !q.needed {
		return q
	}
	for _, request := range q.requests {
		q.catalogs[request.Package] = c.catalogs.For(request.Package)
	}
	q.unlisted, q.kinds, q.externalPackages = c.catalogs.Unlisted(), c.inventory.Kinds(), c.inventory.ExternalPackages()
	return q
}

// answer has the resolver decide, which ends when done is closed: then the answer is of no use.
func (q query) answer(decisions *joint.Cache, done <-chan struct{}) remedies {
	found := remedies{version: q.version, operators: map[string]remedy{}}
	var decided map[string]resolve.Decision
	if q.needed {
		decided = decisions.ResolveAll(q.requests, resolve.ClusterState{
			Catalogs: func(pkg string) []resolve.Catalog { return q.catalogs[pkg] }, Unlisted: q.unlisted, Kinds: q.kinds, ExternalPackages: q.externalPackages, Limit: upgrade.Limit{Done: done},
		})
	}
	for name, id := range q.bundles {
		each := remedy{of: id, unread: q.unreadable[name]}
		if decision := decided[name]; each.unread == "" {
			each.candidates, each.unread = decision.Moves(), decision.OmittedCatalogs
		}
		found.operators[name] = each
	}
	return found
}

// remedies are what could be installed instead, by the names of PlatformOperators, on a cluster of one version.
type remedies struct {
	version   string
	operators map[string]remedy
}

// remedy is what one operator could be moved to.
type remedy struct {
	of         bundleID
	candidates []compat.Candidate
	unread     string
}

// of lists the versions that an operator could be moved to, those that its own spec keeps out included: to widen the spec is a
// remedy that the admin has. unread says why there may be more. Nothing is known of another minor version of the cluster, nor of
// another installed bundle, than the search was for.
func (r *remedies) of(operator *platformv1alpha1.PlatformOperator, version string) (candidates []compat.Candidate, unread string, known bool) {
	if r == nil || !sameMinor(r.version, version) {
		return nil, "", false
	}
	each, asked := r.operators[operator.Name]
	if !asked || each.of != bundleIDOf(operator) {
		return nil, "", false
	}
	return each.candidates, each.unread, true
}

func sameMinor(a, b string) bool {
	first, err := compat.ParseClusterVersion(a)
	if err != nil {
		return a == b
	}
	second, err := compat.ParseClusterVersion(b)
	return err == nil && first.Compare(second) == 0
}
