package faults

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// claims are what status may say, each with what has to be so then. They are judged by other means than the manager's own:
// plain comparisons of what is stored with what is there. A condition that says itself that it is of an earlier spec claims
// nothing of the present one, but for Installed, which is about what was installed whatever the spec says by now.
var claims = []func(context.Context, *sight) (untrue []string, err error){generations, installed, healthy, undisturbed, finished}

// generations: status speaks of no spec that has not been written.
func generations(_ context.Context, s *sight) ([]string, error) {
	if s.live.Status.ObservedGeneration > s.live.Generation {
		return []string{fmt.Sprintf("has a status of generation %d, and there are %d", s.live.Status.ObservedGeneration, s.live.Generation)}, nil
	}
	return nil, nil
}

// installed: while Installed is True every object is there of the active revision, or before there is one of the one that
// is rolling out.
func installed(ctx context.Context, s *sight) ([]string, error) {
	number := s.live.Status.ActiveRevision
	if number == 0 {
		number = rollingOut(s.live)
	}
	if number == 0 || !meta.IsStatusConditionTrue(s.live.Status.Conditions, corev1alpha2.ConditionInstalled) {
		return nil, nil
	}
	return s.each(ctx, number, func(of target, found *unstructured.Unstructured) string {
		if found == nil {
			return fmt.Sprintf("says Installed=True of revision %d, and %s is missing", number, of.identity)
		}
		return ""
	})
}

// healthy: while Healthy is True every Deployment of the newest revision that is worked on has all its replicas.
func healthy(ctx context.Context, s *sight) ([]string, error) {
	number := rollingOut(s.live)
	if number == 0 {
		number = s.live.Status.ActiveRevision
	}
	if number == 0 || !s.says(corev1alpha2.ConditionHealthy, metav1.ConditionTrue) {
		return nil, nil
	}
	return s.each(ctx, number, func(of target, found *unstructured.Unstructured) string {
		if of.declared.GetKind() != "Deployment" {
			return ""
		}
		if missing := unavailable(found); missing != "" {
			return fmt.Sprintf("says Healthy=True of revision %d, and %s %s", number, of.identity, missing)
		}
		return ""
	})
}

// undisturbed: while Drifted is False and nothing is under way every object of the active revision is as it was declared.
func undisturbed(ctx context.Context, s *sight) ([]string, error) {
	if !s.says(corev1alpha2.ConditionDrifted, metav1.ConditionFalse) || !s.asExpected() {
		return nil, nil
	}
	return s.each(ctx, s.live.Status.ActiveRevision, func(of target, found *unstructured.Unstructured) string {
		if found == nil {
			return fmt.Sprintf("says Drifted=False, and %s is missing", of.identity)
		}
		if path := difference(of.declared.Object, found.Object); path != "" {
			return fmt.Sprintf("says Drifted=False, and %s is not as declared at %s", of.identity, path)
		}
		return ""
	})
}

// finished: while nothing is said to be under way nothing is there that only other revisions have.
func finished(ctx context.Context, s *sight) ([]string, error) {
	if !s.asExpected() {
		return nil, nil
	}
	active := s.live.Status.ActiveRevision
	targets, err := s.revision(ctx, active)
	if err != nil {
		return nil, err
	}
	wanted := map[string]bool{}
	for _, each := range targets {
		wanted[each.identity] = true
	}
	var untrue []string
	for _, each := range s.live.Status.Revisions {
		if each.Number == active {
			continue
		}
		left, err := s.each(ctx, each.Number, func(of target, found *unstructured.Unstructured) string {
			if wanted[of.identity] || found == nil || found.GetDeletionTimestamp() != nil || found.GetLabels()[corev1alpha2.LabelOwnerName] != s.name {
				return ""
			}
			return fmt.Sprintf("says that nothing is under way, and %s is there, which revision %d does not have", of.identity, active)
		})
		if err != nil {
			return nil, err
		}
		untrue = append(untrue, left...)
	}
	return untrue, nil
}

// asExpected says that status claims, of the present spec, that a revision is active and nothing is to be done.
func (s *sight) asExpected() bool {
	found := meta.FindStatusCondition(s.live.Status.Conditions, corev1alpha2.ConditionProgressing)
	return s.live.Status.ActiveRevision != 0 && s.says(corev1alpha2.ConditionProgressing, metav1.ConditionFalse) &&
		found.Reason == corev1alpha2.ReasonAsExpected
}

// each asks of every object of a revision what is untrue of it.
func (s *sight) each(ctx context.Context, number int64, ask func(of target, found *unstructured.Unstructured) string) ([]string, error) {
	targets, err := s.revision(ctx, number)
	if err != nil {
		return nil, err
	}
	var untrue []string
	for _, each := range targets {
		found, err := s.get(ctx, each)
		if err != nil {
			return nil, err
		}
		if said := ask(each, found); said != "" {
			untrue = append(untrue, said)
		}
	}
	return untrue, nil
}

// rollingOut is the revision that status says is rolling out; 0 when none is.
func rollingOut(live *corev1alpha2.BundleDeployment) int64 {
	for _, each := range live.Status.Revisions {
		if each.State == corev1alpha2.RevisionRollingOut {
			return each.Number
		}
	}
	return 0
}

// unavailable says what a Deployment lacks; empty when all its replicas are of its newest template and available.
func unavailable(found *unstructured.Unstructured) string {
	if found == nil {
		return "is missing"
	}
	wanted, declared, _ := unstructured.NestedInt64(found.Object, "spec", "replicas")
	if !declared {
		wanted = 1
	}
	if seen, _, _ := unstructured.NestedInt64(found.Object, "status", "observedGeneration"); seen != found.GetGeneration() {
		return "has not been seen by its controller as it is"
	}
	for _, field := range []string{"replicas", "updatedReplicas", "availableReplicas"} {
		if count, _, _ := unstructured.NestedInt64(found.Object, "status", field); count != wanted {
			return fmt.Sprintf("wants %d replicas and has %d %s", wanted, count, field)
		}
	}
	return ""
}

// difference is where a declared object is not in the live one, as a JSON pointer; empty when it is. Fields that are declared
// empty, and status, are nobody's declaration; items of lists have to be in the order in which they are declared.
func difference(declared, live map[string]any) string {
	declared = maps.Clone(declared)
	delete(declared, "status")
	return differs("", declared, live)
}

func differs(path string, declared, live any) string {
	switch declared := declared.(type) {
	case nil:
		return ""
	case map[string]any:
		fields, ok := live.(map[string]any)
		if !ok && len(declared) > 0 {
			return path
		}
		for _, name := range slices.Sorted(maps.Keys(declared)) {
			if at := differs(path+"/"+name, declared[name], fields[name]); at != "" {
				return at
			}
		}
		return ""
	case []any:
		items, ok := live.([]any)
		if !ok && len(declared) > 0 || len(items) < len(declared) {
			return path
		}
		for i := range declared {
			if at := differs(fmt.Sprintf("%s/%d", path, i), declared[i], items[i]); at != "" {
				return at
			}
		}
		return ""
	default:
		if !reflect.DeepEqual(declared, live) {
			return path
		}
		return ""
	}
}
