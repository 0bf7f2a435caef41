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

// statusChecks are the checks that compare the status with the objects in the cluster. They do not use the manager's code. A check ignores
// a condition for an earlier generation, except Installed, which describes the active revision. It returns one line for each false
// statement in the status.
var statusChecks = []func(context.Context, *snapshot) (violations []string, err error){checkObservedGeneration, checkInstalled, checkHealthy, checkDrifted, checkProgressing}

// checkObservedGeneration checks that the observed generation is not higher than the generation.
func checkObservedGeneration(_ context.Context, s *snapshot) ([]string, error) {
	if s.live.Status.ObservedGeneration > s.live.Generation {
		return []string{fmt.Sprintf("has observed generation %d, and generation %d", s.live.Status.ObservedGeneration, s.live.Generation)}, nil
	}
	return nil, nil
}

// checkInstalled checks that all objects of the active revision exist while Installed is True. If no revision is active, it checks the
// revision that is rolling out.
func checkInstalled(ctx context.Context, s *snapshot) ([]string, error) {
	number := s.live.Status.ActiveRevision
	if number == 0 {
		number = rollingOutRevision(s.live)
	}
	if number == 0 || !meta.IsStatusConditionTrue(s.live.Status.Conditions, corev1alpha2.ConditionInstalled) {
		return nil, nil
	}
	return s.checkObjects(ctx, number, func(of target, found *unstructured.Unstructured) string {
		if found == nil {
			return fmt.Sprintf("has Installed=True for revision %d, and %s is missing", number, of.identity)
		}
		return ""
	})
}

// checkHealthy checks that all Deployments of a revision have their replicas while Healthy is True. It checks the revision that is rolling
// out or, if there is none, the active one.
func checkHealthy(ctx context.Context, s *snapshot) ([]string, error) {
	number := rollingOutRevision(s.live)
	if number == 0 {
		number = s.live.Status.ActiveRevision
	}
	if number == 0 || !s.hasCondition(corev1alpha2.ConditionHealthy, metav1.ConditionTrue) {
		return nil, nil
	}
	return s.checkObjects(ctx, number, func(of target, found *unstructured.Unstructured) string {
		if of.declared.GetKind() != "Deployment" {
			return ""
		}
		if problem := rolloutProblem(found); problem != "" {
			return fmt.Sprintf("has Healthy=True for revision %d, and %s %s", number, of.identity, problem)
		}
		return ""
	})
}

// checkDrifted checks that all objects of the active revision are as declared while Drifted is False and no rollout is in
// progress.
func checkDrifted(ctx context.Context, s *snapshot) ([]string, error) {
	if !s.hasCondition(corev1alpha2.ConditionDrifted, metav1.ConditionFalse) || !s.isAsExpected() {
		return nil, nil
	}
	return s.checkObjects(ctx, s.live.Status.ActiveRevision, func(of target, found *unstructured.Unstructured) string {
		if found == nil {
			return fmt.Sprintf("has Drifted=False, and %s is missing", of.identity)
		}
		if path := firstDifference(of.declared.Object, found.Object); path != "" {
			return fmt.Sprintf("has Drifted=False, and %s differs from its declaration at %s", of.identity, path)
		}
		return ""
	})
}

// checkProgressing checks that no object that only inactive revisions list is left while no rollout is in progress.
func checkProgressing(ctx context.Context, s *snapshot) ([]string, error) {
	if !s.isAsExpected() {
		return nil, nil
	}
	active := s.live.Status.ActiveRevision
	targets, err := s.revision(ctx, active)
	if err != nil {
		return nil, err
	}
	declared := map[string]bool{}
	for _, each := range targets {
		declared[each.identity] = true
	}
	var violations []string
	for _, each := range s.live.Status.Revisions {
		if each.Number == active {
			continue
		}
		leftovers, err := s.checkObjects(ctx, each.Number, func(of target, found *unstructured.Unstructured) string {
			if declared[of.identity] || found == nil || found.GetDeletionTimestamp() != nil || found.GetLabels()[corev1alpha2.LabelOwnerName] != s.name {
				return ""
			}
			return fmt.Sprintf("has Progressing=False, and %s exists, which revision %d does not contain", of.identity, active)
		})
		if err != nil {
			return nil, err
		}
		violations = append(violations, leftovers...)
	}
	return violations, nil
}

// isAsExpected reports whether a revision is active and Progressing is False with reason AsExpected, for the current
// generation.
func (s *snapshot) isAsExpected() bool {
	found := meta.FindStatusCondition(s.live.Status.Conditions, corev1alpha2.ConditionProgressing)
	return s.live.Status.ActiveRevision != 0 && s.hasCondition(corev1alpha2.ConditionProgressing, metav1.ConditionFalse) &&
		found.Reason == corev1alpha2.ReasonAsExpected
}

// checkObjects calls check for each object of a revision, and returns the results that are not empty. It passes nil as found if the object
// does not exist.
func (s *snapshot) checkObjects(ctx context.Context, number int64, check func(of target, found *unstructured.Unstructured) string) ([]string, error) {
	targets, err := s.revision(ctx, number)
	if err != nil {
		return nil, err
	}
	var violations []string
	for _, each := range targets {
		found, err := s.get(ctx, each)
		if err != nil {
			return nil, err
		}
		if violation := check(each, found); violation != "" {
			violations = append(violations, violation)
		}
	}
	return violations, nil
}

// rollingOutRevision returns the number of the revision that is rolling out according to the status; 0 if there is none.
func rollingOutRevision(live *corev1alpha2.BundleDeployment) int64 {
	for _, each := range live.Status.Revisions {
		if each.State == corev1alpha2.RevisionRollingOut {
			return each.Number
		}
	}
	return 0
}

// rolloutProblem returns how a Deployment falls short of its spec, or "" if all replicas run the current template and are available.
func rolloutProblem(found *unstructured.Unstructured) string {
	if found == nil {
		return "is missing"
	}
	wanted, declared, _ := unstructured.NestedInt64(found.Object, "spec", "replicas")
	if !declared {
		wanted = 1
	}
	if seen, _, _ := unstructured.NestedInt64(found.Object, "status", "observedGeneration"); seen != found.GetGeneration() {
		return "has a generation that its controller has not observed"
	}
	for _, field := range []string{"replicas", "updatedReplicas", "availableReplicas"} {
		if count, _, _ := unstructured.NestedInt64(found.Object, "status", field); count != wanted {
			return fmt.Sprintf("has spec.replicas=%d and %d %s", wanted, count, field)
		}
	}
	return ""
}

// firstDifference returns the JSON pointer of the first declared field that is absent from the live object or has a different value there.
// It returns "" if there is none. It ignores declared null values and the status. Live lists must begin with the declared items, in the
// declared order.
func firstDifference(declared, live map[string]any) string {
	declared = maps.Clone(declared)
	delete(declared, "status")
	return firstDifferenceAt("", declared, live)
}

func firstDifferenceAt(path string, declared, live any) string {
	switch declared := declared.(type) {
	case nil:
		return ""
	case map[string]any:
		fields, ok := live.(map[string]any)
		if !ok && len(declared) > 0 {
			return path
		}
		for _, name := range slices.Sorted(maps.Keys(declared)) {
			if at := firstDifferenceAt(path+"/"+name, declared[name], fields[name]); at != "" {
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
			if at := firstDifferenceAt(fmt.Sprintf("%s/%d", path, i), declared[i], items[i]); at != "" {
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
