package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// State is the content of a cluster. A key consists of an object's resource, namespace and name, separated by spaces. Its value is the
// object as indented JSON, split into lines.
type State map[string][]string

// changingMetadata are the metadata fields that differ between two clusters with the same content.
var changingMetadata = []string{"uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink"}

// State returns the content of the cluster after Operator.Normalize. It omits UIDs, including those in owner references, and all other
// metadata that differs between two clusters with the same content.
func (s *System) State(ctx context.Context) (State, error) {
	return s.state(ctx, func(*unstructured.Unstructured) {})
}

// StateWithoutHistory is like State, but also calls Operator.NormalizeHistory.
func (s *System) StateWithoutHistory(ctx context.Context) (State, error) {
	if s.operator.NormalizeHistory == nil {
		return s.State(ctx)
	}
	return s.state(ctx, s.operator.NormalizeHistory)
}

func (s *System) state(ctx context.Context, removeHistory func(*unstructured.Unstructured)) (State, error) {
	objects, err := s.Runner.Cluster.Objects(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading the content of the cluster: %w", err)
	}
	state := State{}
	for resource, all := range objects {
		for i := range all {
			object := &all[i]
			removeChangingMetadata(object)
			name := strings.Join([]string{resource.String(), object.GetNamespace(), object.GetName()}, " ")
			lines, err := s.describe(object, removeHistory)
			if err != nil {
				return nil, fmt.Errorf("describing %s: %w", name, err)
			}
			if lines != nil {
				state[name] = lines
			}
		}
	}
	return state, nil
}

// describe returns the lines of an object, or nil if Operator.Normalize excludes the object.
func (s *System) describe(object *unstructured.Unstructured, removeHistory func(*unstructured.Unstructured)) ([]string, error) {
	if s.operator.Normalize != nil {
		if isCompared, err := s.operator.Normalize(object); err != nil || !isCompared {
			return nil, err
		}
	}
	removeHistory(object)
	content, err := json.MarshalIndent(object.Object, "", " ")
	return strings.Split(string(content), "\n"), err
}

func removeChangingMetadata(object *unstructured.Unstructured) {
	for _, field := range changingMetadata {
		unstructured.RemoveNestedField(object.Object, "metadata", field)
	}
	owners := object.GetOwnerReferences()
	for i := range owners {
		owners[i].UID = ""
	}
	if len(owners) > 0 {
		object.SetOwnerReferences(owners)
	}
}

// maxDifferenceLines is the maximum number of differing lines that Difference returns.
const maxDifferenceLines = 60

// Different returns the sorted keys of the objects that are in one state only, or differ.
func Different(want, got State) []string {
	names := State{}
	maps.Copy(names, want)
	maps.Copy(names, got)
	maps.DeleteFunc(names, func(name string, _ []string) bool {
		before, existed := want[name]
		after, exists := got[name]
		return existed && exists && slices.Equal(before, after)
	})
	return slices.Sorted(maps.Keys(names))
}

// Difference returns the lines in which two states differ, each group after the name of its object, or "" if the states are equal. Lines of
// want begin with "-", and lines of got with "+". If there are more than 60 lines, it returns the first 60 and the number of the others.
func Difference(want, got State) string {
	var lines []string
	for _, name := range Different(want, got) {
		before, existed := want[name]
		after, exists := got[name]
		switch {
		case !exists:
			lines = append(lines, "- "+name)
		case !existed:
			lines = append(lines, "+ "+name)
		default:
			lines = append(lines, "  "+name)
			lines = append(lines, changedLines(before, after)...)
		}
	}
	if len(lines) > maxDifferenceLines {
		lines = append(lines[:maxDifferenceLines], fmt.Sprintf("… and %d more lines", len(lines)-maxDifferenceLines))
	}
	return strings.Join(lines, "\n")
}

// changedLines returns the removed and the added lines in the output of cmp.Diff.
func changedLines(before, after []string) (lines []string) {
	for line := range strings.SplitSeq(cmp.Diff(before, after), "\n") {
		if strings.HasPrefix(line, "-") || strings.HasPrefix(line, "+") {
			lines = append(lines, line)
		}
	}
	return lines
}

// Counts maps an object's resource, namespace and name, separated by spaces, to the object's Count.
type Counts map[string]Count

// Count holds how many times an object was created and deleted.
type Count struct{ Created, Deleted int }

// Counts counts the creations and deletions after a revision of the cluster's storage. It counts only objects that Operator.IsCounted
// selects.
func (s *System) Counts(after int64) (Counts, error) {
	events, err := s.Runner.Cluster.Events(after)
	if err != nil {
		return nil, fmt.Errorf("counting creations and deletions: %w", err)
	}
	counts := Counts{}
	for _, event := range events {
		if s.operator.IsCounted == nil || !s.operator.IsCounted(event) {
			continue
		}
		name := strings.Join([]string{event.Resource.String(), event.Namespace, event.Name}, " ")
		count := counts[name]
		switch event.Type {
		case "ADDED":
			count.Created++
		case "DELETED":
			count.Deleted++
		default:
			continue
		}
		counts[name] = count
	}
	return counts, nil
}

// CountDifference returns a line for each object that two runs created or deleted a different number of times, or "" if there is no such
// object.
func CountDifference(want, got Counts) string {
	all := Counts{}
	maps.Copy(all, want)
	maps.Copy(all, got)
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if want[name] != got[name] {
			lines = append(lines, fmt.Sprintf("%s: created %d times and deleted %d times, not %d and %d times",
				name, got[name].Created, got[name].Deleted, want[name].Created, want[name].Deleted))
		}
	}
	return strings.Join(lines, "\n")
}
