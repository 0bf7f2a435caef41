package scenarios

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/scenario/harness"
	"github.com/openshift/platform-operators/pkg/scenario/story"
)

// revisionNumber matches the number of a revision in a message.
var revisionNumber = regexp.MustCompile(`(?i)\brevision \d+\b`)

// removePermitted is the RemovePermitted function of an Oracle. The reference may have other revision numbers and another history of
// ClusterVersion. The Secrets of revisions are not compared, because the reference has fewer revisions.
func removePermitted(ended, reference harness.State) {
	for _, state := range []harness.State{ended, reference} {
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

// isOf reports whether a key of a harness.State is the name of an object of a resource.
func isOf(name, resource string) bool { return strings.HasPrefix(name, resource+" ") }

// expiry is a virtual time after the expiry of all overrides in folder values. An override that is valid during the story could be expired
// in the reference.
var expiry = time.Date(2000, 1, 1, 0, 15, 0, 0, time.UTC)

// catalogCorrection returns a step that publishes the last catalog of a story with images for all bundles, or no step if no image is missing.
// While the image of a version is missing, the manager cannot apply a new configuration. The result then depends on what it had installed.
func catalogCorrection(played *story.Story) ([]story.Step, error) {
	var last []offer
	for _, step := range played.Steps {
		if step.Verb == "publish" {
			last = nil
			if err := step.Arguments.Into(&last); err != nil {
				return nil, err
			}
		}
	}
	isMissing := false
	for i := range last {
		isMissing = isMissing || last[i].NoBundle
		last[i].NoBundle = false
	}
	if !isMissing {
		return nil, nil
	}
	corrected, err := newStep("publish", last)
	return []story.Step{corrected}, err
}

// finish is the Finish function of an Oracle. It restores the network and the Pods, performs the corrections, waits until overrides have
// expired, ends all pauses, and lets the manager retry failed versions.
func (b *referenceBuilder) finish(ctx context.Context, ended *harness.System) error {
	up, err := newStep("network", "up")
	if err != nil {
		return err
	}
	ready, err := newStep("pods", map[string]any{})
	if err != nil {
		return err
	}
	if err := playQuickly(ctx, ended, append([]story.Step{up, ready}, b.corrections...)...); err != nil {
		return err
	}
	time.Sleep(time.Until(expiry))
	if err := endPauses(ctx, ended); err != nil {
		return err
	}
	if err := ended.Rest(); err != nil {
		return err
	}
	return retryFailedVersions(ctx, ended)
}

// endPauses ends the pause of each operator. What a paused operator has installed depends on when its pause began.
func endPauses(ctx context.Context, ended *harness.System) error {
	client, err := adminOf(ended)
	if err != nil {
		return err
	}
	for _, resource := range []schema.GroupVersionResource{platformOperators, bundleDeployments} {
		found, err := client.Resource(resource).List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, each := range found.Items {
			isPaused, _, err := unstructured.NestedBool(each.Object, "spec", "paused")
			if err != nil || !isPaused || len(each.GetOwnerReferences()) > 0 {
				continue // a PlatformOperator sets the pause of its BundleDeployment
			}
			patch := []byte(`{"spec": {"paused": false}}`)
			if _, err := client.Resource(resource).Patch(ctx, each.GetName(), types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
				return err
			}
		}
	}
	return nil
}

// retryFailedVersions changes the progress deadline of each PlatformOperator with a version that has failed or is held. The manager then
// retries the version under the conditions at the end of the story, as it does in the reference.
func retryFailedVersions(ctx context.Context, ended *harness.System) error {
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
		if !needsRetry(read) {
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

// needsRetry reports whether a version of a PlatformOperator has failed, so that only a change of the spec or of the catalog makes the manager
// retry it, or has missed its deadline.
func needsRetry(operator *platformv1alpha1.PlatformOperator) bool {
	if progressing := meta.FindStatusCondition(operator.Status.Conditions, platformv1alpha1.ConditionProgressing); progressing != nil &&
		progressing.Reason == platformv1alpha1.ReasonDeadlineExceeded {
		return true
	}
	return slices.ContainsFunc(operator.Status.AvailableUpdates, func(each platformv1alpha1.AvailableUpdate) bool {
		return each.BlockedReason == platformv1alpha1.BlockedFailed
	})
}
