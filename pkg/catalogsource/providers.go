package catalogsource

import (
	"maps"
	"slices"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve"
)

// SetProviders stores who brings which kinds in a catalog, wanted or not, and says whether that is news. A later good reading
// does not forget it, so that a catalog that is down, or of which only some packages have been read again, still says it. Of a
// catalog that is not known nothing is stored.
func (s *Snapshots) SetProviders(id catalog.ID, providers *catalog.Providers) (changed bool) {
	s.lock.Lock()
	defer s.lock.Unlock()
	old := s.catalogs[id]
	if old == nil || old.Providers.Equal(providers) {
		return false
	}
	next := *old
	next.Providers = providers
	s.catalogs[id] = &next
	return true
}

// Providers says of each catalog which packages of it bring a kind, in any version, sorted by catalog. Catalogs that are known
// to have none are left out.
func (s *Snapshots) Providers(gvk catalog.GVK) []resolve.ProviderHint {
	s.lock.RLock()
	defer s.lock.RUnlock()
	var all []resolve.ProviderHint
	for _, id := range slices.SortedFunc(maps.Keys(s.catalogs), catalog.ID.Compare) {
		if each := s.catalogs[id].providers(gvk); len(each.Packages) > 0 || each.Partial {
			all = append(all, each)
		}
	}
	return all
}

// SeekProviders says whether a bundle that is kept of any catalog requires a kind that this catalog may bring, without it being
// known: nothing that is kept of it does, and of its other packages nobody has told.
func (s *Snapshots) SeekProviders(id catalog.ID) bool {
	s.lock.RLock()
	defer s.lock.RUnlock()
	snapshot := s.catalogs[id]
	if snapshot == nil || !snapshot.Known || snapshot.Withheld || snapshot.Wanted == nil {
		return false
	}
	brought := map[catalog.GVK]bool{}
	for _, pkg := range snapshot.Packages {
		for _, bundle := range pkg.Bundles {
			for _, gvk := range bundle.ProvidedGVKs {
				brought[gvk] = true
			}
		}
	}
	sought := false
	for _, other := range s.catalogs {
		other.requires(func(gvk catalog.GVK) { sought = sought || !brought[gvk] })
	}
	return sought
}

// requires calls f with the kinds that bundles that are kept require of others.
func (s *Snapshot) requires(f func(catalog.GVK)) {
	for _, pkg := range s.Packages {
		for _, bundle := range pkg.Bundles {
			for _, r := range bundle.Requirements {
				r.VisitKinds(func(gvk catalog.GVK) {
					if !bundle.Provides(gvk) {
						f(gvk)
					}
				})
			}
		}
	}
}

// providers are the packages that bring a kind: of those that are kept this is known exactly, of others as of when their
// catalog was last gone through.
func (s *Snapshot) providers(gvk catalog.GVK) resolve.ProviderHint {
	out := resolve.ProviderHint{Catalog: s.ID, Labels: s.Labels}
	if s.Withheld {
		return out // what it has does not count
	}
	out.Packages = s.brings(gvk)
	if s.Known && s.Wanted == nil {
		return out
	}
	for _, pkg := range s.Providers.ForKind(gvk) {
		if !s.Known || !s.Wanted[pkg] {
			out.Packages = append(out.Packages, pkg)
		}
	}
	slices.Sort(out.Packages)
	out.Partial = !s.Providers.IsCompleteFor(gvk)
	return out
}

// brings names the packages that are kept and bring a kind.
func (s *Snapshot) brings(gvk catalog.GVK) (packages []string) {
	for _, pkg := range s.Packages {
		if slices.ContainsFunc(pkg.Bundles, func(b catalog.Bundle) bool { return b.Provides(gvk) }) {
			packages = append(packages, pkg.Name)
		}
	}
	return packages
}
