package scenarios

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/scenario/story"
	"github.com/openshift/platform-operators/pkg/scenario/trial"
)

// revisionNumber is a number of a revision in a message.
var revisionNumber = regexp.MustCompile(`(?i)\brevision \d+\b`)

// exceptTwins is the Except function of an Oracle. It permits that a twin has other numbers of revisions and another history of the
// cluster's version, and that it lacks CustomResourceDefinitions and namespaces that the manager kept when it removed an operator.
func exceptTwins(ended, twin trial.State) {
	for name := range ended {
		if _, both := twin[name]; !both && (isOf(name, "customresourcedefinitions.apiextensions.k8s.io") || isOf(name, "namespaces")) {
			delete(ended, name)
		}
	}
	for _, state := range []trial.State{ended, twin} {
		for name, lines := range state {
			if isOf(name, "clusterversions.config.openshift.io") || isOf(name, "secrets") && strings.Contains(name, " revision.") {
				delete(state, name)
			}
			for i := range lines {
				lines[i] = revisionNumber.ReplaceAllString(lines[i], "revision N")
			}
		}
	}
}

// isOf reports whether a name in a trial.State is that of an object of a resource.
func isOf(name, resource string) bool { return strings.HasPrefix(name, resource+" ") }

// expiry is a virtual time after the expiry of all overrides in values. Without it, an override could expire between a story and its twin.
var expiry = time.Date(2000, 1, 1, 0, 15, 0, 0, time.UTC)

// finish is the Finish function of an Oracle. It ends outages and crashes, corrects what users got wrong, and lets overrides expire.
func (t *twins) finish(ctx context.Context, ended *trial.System, corrections []story.Step) error {
	up, err := newStep("network", "up")
	if err != nil {
		return err
	}
	ready, err := newStep("pods", map[string]any{})
	if err != nil {
		return err
	}
	if err := playQuickly(ctx, ended, append([]story.Step{up, ready}, corrections...)...); err != nil {
		return err
	}
	time.Sleep(time.Until(expiry))
	if err := ended.Rest(); err != nil {
		return err
	}
	return tryAgain(ctx, ended)
}

// tryAgain shortens the deadline of each version that is still being tried or has failed. The manager then tries it again, under the
// conditions that the story ended with, as a twin does.
func tryAgain(ctx context.Context, ended *trial.System) error {
	client, err := adminOf(ended)
	if err != nil {
		return err
	}
	operators, err := client.Resource(platformOperators).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for i := range operators.Items {
		read := &platformv1alpha1.PlatformOperator{}
		if err := into(&operators.Items[i], read); err != nil {
			return err
		}
		if !hasFailed(read) {
			continue
		}
		patch := []byte(`{"spec": {"install": {"progressDeadlineSeconds": 300}}}`)
		if read.Spec.Install != nil && read.Spec.Install.ProgressDeadlineSeconds != nil && *read.Spec.Install.ProgressDeadlineSeconds == 300 {
			patch = []byte(`{"spec": {"install": {"progressDeadlineSeconds": 301}}}`)
		}
		if _, err := client.Resource(platformOperators).Patch(ctx, read.Name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
			return err
		}
	}
	return nil
}

func hasFailed(operator *platformv1alpha1.PlatformOperator) bool {
	return operator.Status.Target != nil || meta.IsStatusConditionTrue(operator.Status.Conditions, platformv1alpha1.ConditionProgressing) ||
		slices.ContainsFunc(operator.Status.AvailableUpdates, func(each platformv1alpha1.AvailableUpdate) bool {
			return each.BlockedReason == platformv1alpha1.BlockedFailed
		})
}
