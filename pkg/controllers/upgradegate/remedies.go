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

// The search for remedies has its own queue key and worker: a package with many versions may take long, and a verdict must not wait for it.
// A verdict uses the last remedies for the same cluster minor version and installed bundle, and reports others as not known yet.

// RemediesKey is the queue key of the search for remedies.
const RemediesKey = "remedies"

// search passes input from the sync of verdicts to the search for remedies, and passes its result back. It is safe for concurrent use.
type search struct {
	lock sync.Mutex
	// input is the input of the next search; nil before the first verdict.
	input *input
	// query is the input of the last search, and found is its result. found is nil before the first search has ended.
	query query
	found *remedies
	// decisions caches decisions of the resolver.
	decisions joint.Cache
}

// request sets the input of the next search.
func (s *search) request(in input) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.input = &in
}

// last returns the result of the last search; nil before the first.
func (s *search) last() *remedies {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.found
}

// run searches if the query has changed, and reports whether the result has changed. Without a request it does nothing. If the context
// ends, it returns an error and stores no result.
func (s *search) run(ctx context.Context, c *controller) (changed bool, err error) {
	s.lock.Lock()
	in, before, last := s.input, s.query, s.found
	s.lock.Unlock()
	if in == nil {
		return false, nil
	}
	next := c.queryFor(*in)
	if last != nil && reflect.DeepEqual(before, next) {
		return false, nil
	}
	found := next.run(&s.decisions, ctx.Done())
	if err := ctx.Err(); err != nil {
		return false, fmt.Errorf("searching what could be installed instead: %w", err)
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	s.query, s.found = next, &found
	return last == nil || !reflect.DeepEqual(*last, found), nil
}

// query is the complete input of a search.
type query struct {
	// version is the cluster version.
	version  string
	requests []resolve.Request
	// bundles are the installed bundles of the PlatformOperators, keyed by the name of the PlatformOperator. A bundle that is not installed
	// has an empty version.
	bundles map[string]bundleID
	// unreadable holds the reason why the spec of a PlatformOperator cannot be evaluated, keyed by name.
	unreadable map[string]string
	// needed is true if an installed bundle declares a maximum OpenShift version. Otherwise no search is necessary.
	needed           bool
	catalogs         map[string][]resolve.Catalog
	unlisted         []string
	kinds            []resolve.Kind
	externalPackages []resolve.ExternalPackage
}

// bundleID identifies an installed bundle.
type bundleID struct{ pkg, bundle, version, release string }

func bundleIDOf(operator *platformv1alpha1.PlatformOperator) bundleID {
	id := bundleID{pkg: operator.Spec.Package.Name}
	if installed := operator.Status.Installed; installed != nil {
		id.bundle, id.version, id.release = installed.Bundle, installed.Version, installed.Release
	}
	return id
}

// queryFor returns one query for all operators together, because a version that conflicts with another operator is not a remedy. The query
// includes bundles that are not ready yet.
func (c *controller) queryFor(in input) query {
	cluster := in.cluster
	q := query{version: cluster.Version, bundles: map[string]bundleID{}, unreadable: map[string]string{}, catalogs: map[string][]resolve.Catalog{}}
	for _, operator := range in.operators {
		if removed(operator) {
			continue
		}
		q.bundles[operator.Name] = bundleIDOf(operator)
		version := ""
		if installed := operator.Status.Installed; installed != nil {
			version = installed.Version
		}
		q.needed = q.needed || slices.ContainsFunc(compat.CountedBundles(operator, in.deployments[operator.Name]), func(each compat.Counted) bool { return len(each.Max) > 0 })
		request, err := resolve.RequestFor(operator, version, cluster)
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

// run searches the candidate versions with the resolver. If done is closed, it returns early, and the result is invalid.
func (q query) run(decisions *joint.Cache, done <-chan struct{}) remedies {
	found := remedies{version: q.version, operators: map[string]remedy{}}
	var decided map[string]resolve.Decision
	if q.needed {
		decided = decisions.ResolveAll(q.requests, resolve.ClusterState{
			Catalogs: func(pkg string) []resolve.Catalog { return q.catalogs[pkg] }, Unlisted: q.unlisted, Kinds: q.kinds, ExternalPackages: q.externalPackages, Limit: upgrade.Limit{Done: done},
		})
	}
	for name, id := range q.bundles {
		each := remedy{of: id, incomplete: q.unreadable[name]}
		if decision := decided[name]; each.incomplete == "" {
			each.candidates, each.incomplete = decision.Moves(q.requestOf(name)), decision.OmittedCatalogs
		}
		found.operators[name] = each
	}
	return found
}

// remedies holds the candidate versions of each PlatformOperator for one cluster version.
type remedies struct {
	version   string
	operators map[string]remedy
}

// remedy holds the candidate versions of one operator for its installed bundle. incomplete is the reason why there may be more candidates;
// empty if there cannot be more.
type remedy struct {
	of         bundleID
	candidates []compat.Candidate
	incomplete string
}

// of returns the candidate versions of an operator. It includes versions that the operator's own spec excludes, because changing the spec
// is a remedy, too. incomplete is the reason why there may be more candidates. known is false if r is nil, or if the search was for another
// cluster minor version or installed bundle.
func (r *remedies) of(operator *platformv1alpha1.PlatformOperator, version string) (candidates []compat.Candidate, incomplete string, known bool) {
	if r == nil || !sameMinor(r.version, version) {
		return nil, "", false
	}
	each, found := r.operators[operator.Name]
	if !found || each.of != bundleIDOf(operator) {
		return nil, "", false
	}
	return each.candidates, each.incomplete, true
}

func sameMinor(a, b string) bool {
	first, err := compat.ParseClusterVersion(a)
	if err != nil {
		return a == b
	}
	second, err := compat.ParseClusterVersion(b)
	return err == nil && first.Compare(second) == 0
}

// requestOf returns the request of an operator; the zero Request if it has none.
func (q query) requestOf(name string) resolve.Request {
	for _, each := range q.requests {
		if each.Operator == name {
			return each
		}
	}
	return resolve.Request{}
}
