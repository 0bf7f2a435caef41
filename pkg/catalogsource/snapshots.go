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

// ErrNotRead is why nothing can be said of a package yet: its catalog, or this package of it, has not been read so far.
var ErrNotRead = errors.New("not read yet")

// Info is what is known of a catalog beside its content.
type Info struct {
	ID catalog.ID
	// Labels and Priority are those of the catalog object.
	Labels   map[string]string
	Priority int
	// Identity names the content that was read (a digest, a Last-Modified); empty where there is nothing of the kind.
	Identity string
	// Wanted are the packages that were asked for; nil means all. Of others nothing is known, which is not the same as
	// that the catalog does not have them.
	Wanted map[string]bool
	// At is when this was found out; it is kept and not compared.
	At time.Time
}

// Snapshot is what is known of one catalog. What it refers to is shared and must not be changed.
type Snapshot struct {
	// Info is that of the last good reading, its labels and priority those that were said last.
	Info
	// Known is whether there was a good reading.
	Known bool
	// Packages are what that reading found, sorted by name.
	Packages []catalog.Package
	// Providers says of all packages which bring which kinds, as of the last reading that told; nil where none has.
	Providers *catalog.Providers
	// Err is why the catalog could not be read after that, Failing since when. Packages are then what it last had.
	Err     error
	Failing time.Time
	// Away is whether it has been failing for Grace, Withheld that its admin wants it so, and that Packages do not count.
	Away, Withheld bool
}

// Snapshots hold one snapshot for each catalog. They are safe for concurrent use. A catalog should have one writer: of two
// readings the one that is set last stays. Every writing method returns the names, sorted, of the packages of which the
// catalog now says something else, so that only who wants these has to look again; nothing when nothing has changed.
type Snapshots struct {
	lock     sync.RWMutex
	catalogs map[catalog.ID]*Snapshot
	// unlisted are the kinds of catalogs of which there may be more, sorted.
	unlisted []string
}

// NewSnapshots returns an empty set.
func NewSnapshots() *Snapshots {
	return &Snapshots{catalogs: map[catalog.ID]*Snapshot{}}
}

// Set stores a good reading. Packages must be sorted by name, as the readers return them.
func (s *Snapshots) Set(info Info, packages []catalog.Package) (changed []string) {
	return s.replace(info.ID, nil, func(old *Snapshot) *Snapshot {
		next := &Snapshot{Info: info, Known: true, Packages: packages}
		if old != nil {
			next.Providers = old.Providers
		}
		return next
	})
}

// SetUnchanged records that the catalog was asked at info.At, and still has the content of its last good reading; Identity
// and Wanted of info are ignored. Without such a reading it does nothing.
func (s *Snapshots) SetUnchanged(info Info) (changed []string) {
	return s.replace(info.ID, nil, func(old *Snapshot) *Snapshot {
		if old == nil || !old.Known {
			return old
		}
		next := old.described(info)
		next.At = info.At
		return next.readable()
	})
}

// Await records that a catalog which could not be read before is now about to be: unless there was a good reading, nothing
// is known of it until it has been tried. One that was withheld has in the meantime what it last had.
func (s *Snapshots) Await(info Info) (changed []string) {
	return s.replace(info.ID, info.Wanted, func(old *Snapshot) *Snapshot {
		if old == nil || old.Known && !old.Withheld {
			return old
		}
		next := *old
		if !old.Known {
			return next.readable()
		}
		return next.inService(info.At)
	})
}

// SetError records that the catalog could not be read, when info.Wanted was asked for. What was read before stays, so that
// a catalog that is down changes nothing for who runs from it. Once it has been failing for Grace that is news for all who
// want something of it; SetError and Describe find out by info.At.
func (s *Snapshots) SetError(info Info, err error) (changed []string) {
	return s.replace(info.ID, info.Wanted, func(old *Snapshot) *Snapshot {
		return old.described(info).inService(info.At).failing(err, info.At)
	})
}

// Describe stores labels and priority of the catalog object, which change without its content, and notes that it is info.At.
// A catalog of which nothing was known before is then known to be there and not read yet.
func (s *Snapshots) Describe(info Info) (changed []string) {
	return s.replace(info.ID, info.Wanted, func(old *Snapshot) *Snapshot { return old.described(info).at(info.At) })
}

// Narrow forgets what was read of packages that nobody wants any more. Of these it is then not known whether the catalog has
// them.
func (s *Snapshots) Narrow(id catalog.ID, wanted map[string]bool) (changed []string) {
	if kept, found := s.Get(id); !found || !kept.beyond(wanted) {
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

// Delete forgets a catalog that is no longer there or no longer trusted. It is news for the wanted packages too, of which a
// catalog that was never read said that nothing is known.
func (s *Snapshots) Delete(id catalog.ID, wanted map[string]bool) (changed []string) {
	return s.replace(id, wanted, func(*Snapshot) *Snapshot { return nil })
}

// Get returns the snapshot of a catalog.
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

// For returns what each catalog says of a package, sorted by catalog, in the resolver's terms. A catalog that cannot be
// read at present still says what it last had; it is an error only for packages that it was not known to have. One that is
// withheld is an error for all.
func (s *Snapshots) For(pkg string) []resolve.Catalog {
	s.lock.RLock()
	defer s.lock.RUnlock()
	views := make([]resolve.Catalog, 0, len(s.catalogs))
	for _, id := range slices.SortedFunc(maps.Keys(s.catalogs), catalog.ID.Compare) {
		views = append(views, s.catalogs[id].view(pkg))
	}
	return views
}

// SetUnlisted says of which kinds of catalogs it is not known which there are.
func (s *Snapshots) SetUnlisted(kinds []string) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.unlisted = slices.Sorted(slices.Values(kinds))
}

// Unlisted are the kinds of catalogs of which there may be more than there are snapshots, sorted; none where nobody said so.
func (s *Snapshots) Unlisted() []string {
	s.lock.RLock()
	defer s.lock.RUnlock()
	return slices.Clone(s.unlisted)
}

// replace swaps one snapshot and compares what it says of every package that either of them, or also, names.
func (s *Snapshots) replace(id catalog.ID, also map[string]bool, with func(old *Snapshot) *Snapshot) []string {
	s.lock.Lock()
	defer s.lock.Unlock()
	old := s.catalogs[id]
	next := sharing(old, with(old))
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
	maps.DeleteFunc(names, func(pkg string, _ bool) bool { return same(old, next, pkg) })
	return slices.Sorted(maps.Keys(names))
}

// described is a copy with other labels and priority; of nothing it makes a snapshot that was not read.
func (s *Snapshot) described(info Info) *Snapshot {
	next := Snapshot{Info: Info{ID: info.ID}}
	if s != nil {
		next = *s
	}
	next.Labels, next.Priority = info.Labels, info.Priority
	return &next
}

// readable is that nothing is the matter with it any more.
func (s *Snapshot) readable() *Snapshot {
	s.Err, s.Failing, s.Away, s.Withheld = nil, time.Time{}, false, false
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

// beyond says whether more is kept than these packages.
func (s *Snapshot) beyond(wanted map[string]bool) bool {
	for name := range s.Wanted {
		if !wanted[name] {
			return true
		}
	}
	return false
}

func (s *Snapshot) view(pkg string) resolve.Catalog {
	view := resolve.Catalog{ID: s.ID, Labels: s.Labels, Priority: s.Priority, Unavailable: s.Away}
	if s.Away {
		view.UnavailableSince = s.Failing
	}
	covered := s.Known && !s.Withheld && (s.Wanted == nil || s.Wanted[pkg])
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

// same reports whether two snapshots of a catalog, nil for none, say the same of a package.
func same(old, next *Snapshot, pkg string) bool {
	if old == nil || next == nil {
		return old == next
	}
	a, b := old.view(pkg), next.view(pkg)
	return a.Priority == b.Priority && a.Unavailable == b.Unavailable && maps.Equal(a.Labels, b.Labels) && text(a.Err) == text(b.Err) && reflect.DeepEqual(a.Package, b.Package)
}

// text compares errors by what they say: two readings that fail in the same way are no news.
func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
