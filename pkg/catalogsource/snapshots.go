package catalogsource

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve"
)

// ErrNotRead means that a catalog, or a certain package in it, has not been read yet.
var ErrNotRead = errors.New("not read yet")

// Info describes a catalog without its content.
type Info struct {
	ID catalog.ID
	// Labels and Priority are the labels and the priority of the catalog object.
	Labels   map[string]string
	Priority int
	// Identity identifies the content, for example by a digest or a Last-Modified header; empty if the catalog has no identity.
	Identity string
	// Wanted holds the requested packages; nil means all. Other packages are unknown, as opposed to missing.
	Wanted map[string]bool
	// At is the time at which the catalog was observed. Comparisons ignore it.
	At time.Time
}

// Snapshot is the state of one catalog. It shares memory with other snapshots and must not be modified.
type Snapshot struct {
	// Info is that of the last successful read, but Labels and Priority are the latest.
	Info
	// WasRead means that a read has succeeded.
	WasRead bool
	// Packages are the result of the last successful read, sorted by name.
	Packages []catalog.Package
	// Providers holds the kinds that all packages provide, from the last read that returned them; nil if none has.
	Providers *catalog.Providers
	// Err is the reason why reads have failed since the last successful one; nil if none has. Failing is the time from which the failure
	// counts: that of the first failure, or of the end of Disabled. While reads fail, Packages are those of the last successful read.
	Err     error
	Failing time.Time
	// Unavailable means that reads have been failing for GracePeriod. Disabled means that an admin disabled the catalog, so that Packages
	// are ignored.
	Unavailable, Disabled bool
}

// Snapshots stores one Snapshot for each catalog. It is safe for concurrent use. Each catalog should have only one writer, because the last
// Set wins. Methods with a result named changed return the names of the packages whose content changed, sorted, so that the controllers
// that use these packages can be notified. The result is empty if nothing changed.
type Snapshots struct {
	lock     sync.RWMutex
	catalogs map[catalog.ID]*Snapshot
	// unlisted are the kinds whose catalogs could not be listed, sorted.
	unlisted []string
}

// NewSnapshots returns Snapshots without catalogs.
func NewSnapshots() *Snapshots {
	return &Snapshots{catalogs: map[catalog.ID]*Snapshot{}}
}

// Set stores a successful read, and clears the error of earlier ones. Packages must be sorted by name, as the readers return them.
func (s *Snapshots) Set(info Info, packages []catalog.Package) (changed []string) {
	return s.replace(info.ID, nil, func(old *Snapshot) *Snapshot {
		next := &Snapshot{Info: info, WasRead: true, Packages: packages}
		if old != nil {
			next.Providers = old.Providers
		}
		return next
	})
}

// SetUnchanged records that the catalog, at info.At, still has the content of its last successful read, and clears the error of the failed
// reads since then. It ignores Identity and Wanted of info. Without a successful read it does nothing.
func (s *Snapshots) SetUnchanged(info Info) (changed []string) {
	return s.replace(info.ID, nil, func(old *Snapshot) *Snapshot {
		if old == nil || !old.WasRead {
			return old
		}
		next := old.withInfo(info)
		next.At = info.At
		return next.withoutError()
	})
}

// SetPending records that a failed or disabled catalog is about to be read again. If the catalog was never read, its error is cleared, and
// its content is unknown until the read. If it was disabled, its last content is in use again. Otherwise nothing changes.
func (s *Snapshots) SetPending(info Info) (changed []string) {
	return s.replace(info.ID, info.Wanted, func(old *Snapshot) *Snapshot {
		if old == nil || old.WasRead && !old.Disabled {
			return old
		}
		next := *old
		if !old.WasRead {
			return next.withoutError()
		}
		return next.enabled(info.At)
	})
}

// SetError records that a read of the packages in info.Wanted failed. The last content stays, so that a catalog that is down does not
// affect running operators. Once SetError or UpdateInfo is called with an info.At after the end of GracePeriod, the failure counts as a
// change for all wanted packages.
func (s *Snapshots) SetError(info Info, err error) (changed []string) {
	return s.replace(info.ID, info.Wanted, func(old *Snapshot) *Snapshot {
		return old.withInfo(info).enabled(info.At).withError(err, info.At)
	})
}

// UpdateInfo stores the labels and priority of the catalog object, which can change while its content does not. info.At is the current
// time; GracePeriod may have ended by then. An unknown catalog becomes one that has not been read yet.
func (s *Snapshots) UpdateInfo(info Info) (changed []string) {
	return s.replace(info.ID, info.Wanted, func(old *Snapshot) *Snapshot { return old.withInfo(info).atTime(info.At) })
}

// Prune removes packages that are no longer wanted. They are then unknown. It does nothing if all packages of the catalog were requested.
func (s *Snapshots) Prune(id catalog.ID, wanted map[string]bool) (changed []string) {
	if kept, found := s.Get(id); !found || !kept.hasOtherPackages(wanted) {
		return nil
	}
	return s.replace(id, nil, func(old *Snapshot) *Snapshot {
		if old == nil {
			return nil
		}
		next := *old
		next.Wanted = maps.Clone(old.Wanted)
		maps.DeleteFunc(next.Wanted, func(pkg string, _ bool) bool { return !wanted[pkg] })
		next.Packages = slices.DeleteFunc(slices.Clone(old.Packages), func(p catalog.Package) bool { return !wanted[p.Name] })
		return &next
	})
}

// Delete removes a catalog that was deleted or is no longer trusted. All wanted packages count as changed, even if the catalog was never
// read. Delete does nothing for an unknown catalog.
func (s *Snapshots) Delete(id catalog.ID, wanted map[string]bool) (changed []string) {
	return s.replace(id, wanted, func(*Snapshot) *Snapshot { return nil })
}

// Get returns the snapshot of a catalog; false if the catalog is unknown.
func (s *Snapshots) Get(id catalog.ID) (Snapshot, bool) {
	s.lock.RLock()
	defer s.lock.RUnlock()
	if snapshot, ok := s.catalogs[id]; ok {
		return *snapshot, true
	}
	return Snapshot{}, false
}

// All returns every snapshot, sorted by catalog.
func (s *Snapshots) All() []Snapshot {
	s.lock.RLock()
	defer s.lock.RUnlock()
	all := make([]Snapshot, 0, len(s.catalogs))
	for _, id := range slices.SortedFunc(maps.Keys(s.catalogs), catalog.ID.Compare) {
		all = append(all, *s.catalogs[id])
	}
	return all
}

// For returns the content of each catalog for a package, sorted by catalog, as the resolver's input. A catalog whose reads fail has its
// last content, and an error only if that content does not include the package. A disabled catalog has an error for every package.
func (s *Snapshots) For(pkg string) []resolve.Catalog {
	s.lock.RLock()
	defer s.lock.RUnlock()
	views := make([]resolve.Catalog, 0, len(s.catalogs))
	for _, id := range slices.SortedFunc(maps.Keys(s.catalogs), catalog.ID.Compare) {
		views = append(views, s.catalogs[id].view(pkg))
	}
	return views
}

// SetUnlisted records the kinds whose catalogs could not be listed.
func (s *Snapshots) SetUnlisted(kinds []string) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.unlisted = slices.Sorted(slices.Values(kinds))
}

// Unlisted returns the kinds of catalogs that could not be listed, sorted; more catalogs of these kinds may exist. It returns nil if all
// were listed.
func (s *Snapshots) Unlisted() []string {
	s.lock.RLock()
	defer s.lock.RUnlock()
	return slices.Clone(s.unlisted)
}

// replace calls with, and replaces the snapshot of a catalog with the result. The argument of with is the current snapshot, which must not
// be modified; it is nil for an unknown catalog. If the result is nil, replace removes the catalog. It returns the packages that changed,
// among those in both snapshots and those in also.
func (s *Snapshots) replace(id catalog.ID, also map[string]bool, with func(old *Snapshot) *Snapshot) []string {
	s.lock.Lock()
	defer s.lock.Unlock()
	old := s.catalogs[id]
	next := reuseMemory(old, with(old))
	if next == nil {
		delete(s.catalogs, id)
	} else {
		s.catalogs[id] = next
	}
	names := maps.Clone(also)
	if names == nil {
		names = map[string]bool{}
	}
	old.addNames(names)
	next.addNames(names)
	maps.DeleteFunc(names, func(pkg string, _ bool) bool { return isSame(old, next, pkg) })
	return slices.Sorted(maps.Keys(names))
}

// withInfo returns a copy of s with the labels and priority of info. If s is nil, it returns the snapshot of a catalog that was not read.
func (s *Snapshot) withInfo(info Info) *Snapshot {
	next := Snapshot{Info: Info{ID: info.ID}}
	if s != nil {
		next = *s
	}
	next.Labels, next.Priority = info.Labels, info.Priority
	return &next
}

// withoutError clears the error and marks s as available and enabled, and returns s. s must be a copy that no other goroutine has.
func (s *Snapshot) withoutError() *Snapshot {
	s.Err, s.Failing, s.Unavailable, s.Disabled = nil, time.Time{}, false, false
	return s
}

func (s *Snapshot) addNames(names map[string]bool) {
	if s == nil {
		return
	}
	for name := range s.Wanted {
		names[name] = true
	}
	for i := range s.Packages {
		names[s.Packages[i].Name] = true
	}
}

// hasOtherPackages reports whether packages were requested that are not in wanted. It returns false if all packages were requested.
func (s *Snapshot) hasOtherPackages(wanted map[string]bool) bool {
	for name := range s.Wanted {
		if !wanted[name] {
			return true
		}
	}
	return false
}

func (s *Snapshot) view(pkg string) resolve.Catalog {
	view := resolve.Catalog{ID: s.ID, Labels: s.Labels, Priority: s.Priority, Unavailable: s.Unavailable}
	if s.Unavailable {
		view.UnavailableSince = s.Failing
	}
	covered := s.WasRead && !s.Disabled && (s.Wanted == nil || s.Wanted[pkg])
	if covered {
		view.Package = s.find(pkg)
	}
	switch {
	case view.Package != nil:
	case s.Err != nil:
		view.Err = s.Err
	case !covered:
		view.Err, view.Pending = fmt.Errorf("package %q: %w", pkg, ErrNotRead), true
	}
	return view
}

func (s *Snapshot) find(pkg string) *catalog.Package {
	i := sort.Search(len(s.Packages), func(i int) bool { return s.Packages[i].Name >= pkg })
	if i == len(s.Packages) || s.Packages[i].Name != pkg {
		return nil
	}
	return &s.Packages[i]
}

// isSame reports whether two snapshots of a catalog have the same content for a package. Either may be nil.
func isSame(old, next *Snapshot, pkg string) bool {
	if old == nil || next == nil {
		return old == next
	}
	a, b := old.view(pkg), next.view(pkg)
	return a.Priority == b.Priority && a.Unavailable == b.Unavailable && maps.Equal(a.Labels, b.Labels) && errorText(a.Err) == errorText(b.Err) && reflect.DeepEqual(a.Package, b.Package)
}

// errorText returns an error's text; empty for nil. isSame compares the texts, because two reads that fail in the same way are equal.
func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
