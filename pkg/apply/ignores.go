package apply

import (
	"context"
	"crypto/sha256"
	"reflect"
	"strings"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/drift"
)

// ignoreMemory caches, for one owner, which entries of drift.ignore select something. It is valid only for one set and one list of entries.
type ignoreMemory struct {
	set     *Set
	ignore  []corev1alpha2.DriftIgnore
	entries []*ignoreEntry
	// compared holds the digest that each live object had at the last search for fields, keyed by the object's key.
	compared map[Key][sha256.Size]byte
}

// ignoreEntry is the cached state of one entry.
type ignoreEntry struct {
	selected []*object.Desired
	// unmatched holds the pointers that have not selected a field of any object so far, in the order of the entry.
	unmatched []string
	// judged is true once all selected objects have existed during a search; before that, unmatched is not reported. beside holds the
	// existing fields that are most similar to an unmatched pointer, keyed by this pointer. They are suggestions for the user, from the
	// first selected object.
	judged bool
	beside map[string][]string
}

// UnmatchedIgnores returns the entries of drift.ignore that select no object of a set, and the pointers that match no field in the objects
// of their entry. A field counts if the declaration or the live object has it. A pointer that once selected a field is not returned again
// for the same set. An entry's pointers are returned only once all objects that the entry selects exist. UnmatchedIgnores reads only memory
// if the set was applied or observed before.
func (e *Engine) UnmatchedIgnores(ctx context.Context, set *Set, ignore []corev1alpha2.DriftIgnore) []drift.Unmatched {
	if len(ignore) == 0 {
		return nil
	}
	state := e.stateOf(set.Owner().Name)
	if state.ignores == nil || state.ignores.set != set || !reflect.DeepEqual(state.ignores.ignore, ignore) {
		state.ignores = newIgnoreMemory(set, ignore)
	}
	memory := state.ignores
	memory.search(e.liveObjects(ctx, set, memory))
	var unmatched []drift.Unmatched
	for i, entry := range memory.entries {
		if len(entry.selected) == 0 {
			unmatched = append(unmatched, drift.Unmatched{Entry: i, Existing: existing(set, ignore[i].Target)})
			continue
		}
		for _, pointer := range entry.unmatched {
			if entry.judged {
				unmatched = append(unmatched, drift.Unmatched{
					Entry: i, Pointer: pointer, Object: entry.selected[0].Key.String(), More: len(entry.selected) - 1, Existing: entry.beside[pointer],
				})
			}
		}
	}
	return unmatched
}

func newIgnoreMemory(set *Set, ignore []corev1alpha2.DriftIgnore) *ignoreMemory {
	memory := &ignoreMemory{set: set, ignore: ignore, compared: map[Key][sha256.Size]byte{}}
	for _, each := range ignore {
		entry := &ignoreEntry{unmatched: each.JSONPointers, beside: map[string][]string{}}
		for _, phase := range set.Phases() {
			for _, desired := range phase.Objects {
				if drift.IsTarget(each.Target, desired.Key.GroupKind, desired.Key.Namespace, desired.Key.Name) {
					entry.selected = append(entry.selected, desired)
				}
			}
		}
		memory.entries = append(memory.entries, entry)
	}
	return memory
}

// liveObject is a live object, and the digest of its content.
type liveObject struct {
	digest  [sha256.Size]byte
	content func() map[string]any
}

// liveObjects returns the cached live objects that are selected by entries with unmatched pointers, keyed by the object's key.
func (e *Engine) liveObjects(ctx context.Context, set *Set, memory *ignoreMemory) map[Key]liveObject {
	found := map[Key]liveObject{}
	call := e.newCall(set, Options{ReadOnly: true})
	for _, entry := range memory.entries {
		if len(entry.unmatched) == 0 || len(entry.selected) == 0 {
			continue
		}
		for kind, resource := range call.find(ctx, object.Phase{Objects: entry.selected}) {
			if resource.err != nil {
				continue
			}
			for _, desired := range entry.selected {
				if desired.GVK != kind {
					continue
				}
				if live, _ := resource.resource.Cache.Get(desired.Key); live != nil {
					found[desired.Key] = liveObject{live.Digest, func() map[string]any {
						if decoded, err := live.Object(); err == nil {
							return decoded.Object
						}
						return nil
					}}
				}
			}
		}
	}
	return found
}

// search searches the objects for fields, and removes each pointer that selects one from unmatched. Once an entry is judged, search reads
// only those of its objects that have changed since the last search.
func (m *ignoreMemory) search(live map[Key]liveObject) {
	changed := map[Key]bool{}
	for key, each := range live {
		if before, searched := m.compared[key]; !searched || before != each.digest {
			changed[key] = true
			m.compared[key] = each.digest
		}
	}
	for _, entry := range m.entries {
		entry.search(live, changed)
	}
}

func (e *ignoreEntry) search(live map[Key]liveObject, changed map[Key]bool) {
	complete := true
	for _, desired := range e.selected {
		each, exists := live[desired.Key]
		complete = complete && (exists || desired.IsInstallNamespace)
		if len(e.unmatched) == 0 || e.judged && !changed[desired.Key] {
			continue
		}
		contents := []map[string]any{desired.Object().Object}
		if exists {
			contents = append(contents, each.content())
		}
		var unmatched []string
		for _, pointer := range e.unmatched {
			if !drift.HasField(contents[0], pointer) && !drift.HasField(contents[len(contents)-1], pointer) {
				unmatched = append(unmatched, pointer)
			}
		}
		if e.unmatched = unmatched; desired == e.selected[0] {
			for _, pointer := range unmatched {
				e.beside[pointer] = drift.FieldsBeside(contents[len(contents)-1], pointer)
			}
		}
	}
	e.judged = e.judged || complete
}

// existing returns the names of the objects of a set that are most similar to a target, with their API groups, as suggestions. These are
// the objects of the target's kind, ignoring case. If there are none, they are the objects with the target's name, or else all objects of
// the bundle.
func existing(set *Set, target corev1alpha2.DriftTarget) []string {
	for _, isLike := range []func(Key) bool{
		func(key Key) bool { return target.Kind != "" && strings.EqualFold(key.Kind, target.Kind) },
		func(key Key) bool { return target.Name != "" && key.Name == target.Name },
		func(Key) bool { return true },
	} {
		var names []string
		for _, phase := range set.Phases() {
			for _, desired := range phase.Objects {
				if !isLike(desired.Key) || desired.IsAdded {
					continue
				}
				name := desired.Key.String()
				if desired.Key.Group != "" {
					name += " of group " + desired.Key.Group
				}
				names = append(names, name)
			}
		}
		if len(names) > 0 {
			return names
		}
	}
	return nil
}
