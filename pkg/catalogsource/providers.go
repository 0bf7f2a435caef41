package catalogsource

import (
	"maps"
	"slices"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve"
)

// SetProviders stores which packages in a catalog provide which kinds. It includes packages that are not wanted. It returns true if this
// changes what is stored. The stored providers stay until the next SetProviders, even if the catalog fails or only some packages are read
// again. SetProviders does nothing for an unknown catalog.
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

// Providers returns, for each catalog, the packages that provide a kind in any version, sorted by catalog. It omits a disabled catalog, and
// a catalog of which it is certain that no package provides the kind.
func (s *Snapshots) Providers(gvk catalog.GVK) []resolve.ProviderHint {
	s.lock.RLock()
	defer s.lock.RUnlock()
	var all []resolve.ProviderHint
	for _, id := range slices.SortedFunc(maps.Keys(s.catalogs), catalog.ID.Compare) {
		if each := s.catalogs[id].providerHint(gvk); len(each.Packages) > 0 || each.Partial {
			all = append(all, each)
		}
	}
	return all
}

// NeedsProviders reports whether all packages in this catalog must be searched for providers. It returns true if the stored packages of
// this catalog do not provide all of the missing kinds and all kinds that a stored bundle of any catalog requires. It returns false if the
// catalog was not read, is disabled, or all of its packages are stored.
func (s *Snapshots) NeedsProviders(id catalog.ID, missing []catalog.GVK) bool {
	s.lock.RLock()
	defer s.lock.RUnlock()
	snapshot := s.catalogs[id]
	if snapshot == nil || !snapshot.WasRead || snapshot.Disabled || snapshot.Wanted == nil {
		return false
	}
	provided := map[catalog.GVK]bool{}
	for _, pkg := range snapshot.Packages {
		for _, bundle := range pkg.Bundles {
			for _, gvk := range bundle.ProvidedGVKs {
				provided[gvk] = true
			}
		}
	}
	needed := slices.ContainsFunc(missing, func(gvk catalog.GVK) bool { return !provided[gvk] })
	for _, other := range s.catalogs {
		other.visitRequiredKinds(func(gvk catalog.GVK) { needed = needed || !provided[gvk] })
	}
	return needed
}

// visitRequiredKinds calls f with each kind that a stored bundle requires and does not provide itself.
func (s *Snapshot) visitRequiredKinds(f func(catalog.GVK)) {
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

// providerHint returns the packages that provide a kind. It is exact for stored packages, and as of the last SetProviders for other
// packages. If the catalog is disabled, the hint has no packages.
func (s *Snapshot) providerHint(gvk catalog.GVK) resolve.ProviderHint {
	out := resolve.ProviderHint{Catalog: s.ID, Labels: s.Labels}
	if s.Disabled {
		return out // the catalog's content is ignored
	}
	out.Packages = s.providingPackages(gvk)
	if s.WasRead && s.Wanted == nil {
		return out
	}
	for _, pkg := range s.Providers.ForKind(gvk) {
		if !s.WasRead || !s.Wanted[pkg] {
			out.Packages = append(out.Packages, pkg)
		}
	}
	slices.Sort(out.Packages)
	out.Partial = !s.Providers.IsCompleteFor(gvk)
	return out
}

// providingPackages returns the names of the stored packages that provide a kind.
func (s *Snapshot) providingPackages(gvk catalog.GVK) (packages []string) {
	for _, pkg := range s.Packages {
		if slices.ContainsFunc(pkg.Bundles, func(b catalog.Bundle) bool { return b.Provides(gvk) }) {
			packages = append(packages, pkg.Name)
		}
	}
	return packages
}
