package scenarios

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/scenario/generate"
	"github.com/openshift/platform-operators/pkg/scenario/harness"
	"github.com/openshift/platform-operators/pkg/scenario/story"
)

var (
	// revisionNumber matches the number of a revision in a message.
	revisionNumber = regexp.MustCompile(`(?i)\brevision \d+\b`)
	// stepName matches what a message calls the last step, which depends on its cause: another version, another configuration, or another
	// attempt. Its group is the version. blockedStepName and failedStepName match the same of a step that is blocked or was rolled back.
	// "Step to" and "The step to" come from maskStepCause, which replaces some of the causes.
	stepName        = regexp.MustCompile(`(?:Applying the changed spec\.install to|Trying|Step to|Moving to another image of|Moving from version \S+ to) version (\S+?)(?: again)?: `)
	blockedStepName = regexp.MustCompile(`(?:Version \S+ cannot be upgraded to|The other image of) version (\S+?)(?: cannot be installed)?: `)
	failedStepName  = regexp.MustCompile(`(?:The changed spec\.install of|Another attempt at|The step to|The upgrade to another image of|The upgrade from version \S+ to) version (\S+?) failed\. `)
)

// removePermitted is the RemovePermitted function of an Oracle. The reference may have other revision numbers, other causes of the last step,
// and another history of ClusterVersion. The Secrets of revisions are not compared, because the reference has fewer revisions.
func removePermitted(ended, reference harness.State) {
	for _, state := range []harness.State{ended, reference} {
		for name, lines := range state {
			if isOf(name, "clusterversions.config.openshift.io") || isOf(name, "secrets") && strings.Contains(name, " revision.") {
				delete(state, name)
			}
			for i := range lines {
				lines[i] = revisionNumber.ReplaceAllString(lines[i], "revision N")
				for _, name := range []*regexp.Regexp{stepName, blockedStepName, failedStepName} {
					lines[i] = name.ReplaceAllString(lines[i], "Version $1: ")
				}
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
// expired, ends all pauses, and lets the manager retry the versions that it has rolled back.
func (b *referenceBuilder) finish(ctx context.Context, ended generate.CheckedSystem) error {
	up, err := newStep("network", "up")
	if err != nil {
		return err
	}
	ready, err := newStep("pods", map[string]any{})
	if err != nil {
		return err
	}
	if err := ended.Do(ctx, append([]story.Step{up, ready}, b.corrections...)...); err != nil {
		return err
	}
	time.Sleep(time.Until(expiry))
	if err := ended.WaitForRest(ctx); err != nil {
		return err
	}
	if err := permitOrphans(ctx, ended); err != nil {
		return err
	}
	if err := endPauses(ctx, ended); err != nil {
		return err
	}
	if err := ended.WaitForRest(ctx); err != nil {
		return err
	}
	return retryRolledBack(ctx, ended)
}

// permitOrphans removes adoption None from operators for which a removal has kept a CustomResourceDefinition. Such an operator cannot be
// installed again, so that its state depends on whether it was removed during the story.
func permitOrphans(ctx context.Context, ended generate.CheckedSystem) error {
	client, err := adminOf(ended.System)
	if err != nil {
		return err
	}
	found := &declared{}
	if err := found.readOrphaned(ctx, client); err != nil || len(found.orphaned) == 0 {
		return err
	}
	for _, of := range []struct {
		resource schema.GroupVersionResource
		path     []string
	}{{platformOperators, []string{"spec", "install", "adoption"}}, {bundleDeployments, []string{"spec", "adoption"}}} {
		found, err := client.Resource(of.resource).List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		for i := range found.Items {
			each := &found.Items[i]
			adoption, _, err := unstructured.NestedString(each.Object, of.path...)
			if err != nil || adoption != string(corev1alpha2.AdoptionNone) || len(each.GetOwnerReferences()) > 0 {
				continue // a PlatformOperator sets the adoption of its BundleDeployment
			}
			patch := map[string]any{"object": fmt.Sprintf("%s.%s/%s", each.GetKind(), each.GroupVersionKind().Group, each.GetName())}
			if err := unstructured.SetNestedField(patch, nil, of.path...); err != nil {
				return err
			}
			step, err := newStep("patch", patch)
			if err != nil {
				return err
			}
			if err := ended.Do(ctx, step); err != nil {
				return err
			}
		}
	}
	return ended.WaitForRest(ctx)
}

// endPauses ends the pause of each operator. What a paused operator has installed depends on when its pause began.
func endPauses(ctx context.Context, ended generate.CheckedSystem) error {
	client, err := adminOf(ended.System)
	if err != nil {
		return err
	}
	for _, resource := range []schema.GroupVersionResource{platformOperators, bundleDeployments} {
		found, err := client.Resource(resource).List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		for i := range found.Items {
			each := &found.Items[i]
			isPaused, _, err := unstructured.NestedBool(each.Object, "spec", "paused")
			if err != nil || !isPaused || len(each.GetOwnerReferences()) > 0 {
				continue // a PlatformOperator sets the pause of its BundleDeployment
			}
			if err := setPaused(ctx, ended, each, false); err != nil {
				return err
			}
		}
	}
	return nil
}

// setPaused sets spec.paused of an operator.
func setPaused(ctx context.Context, ended generate.CheckedSystem, operator *unstructured.Unstructured, isPaused bool) error {
	target := fmt.Sprintf("%s.%s/%s", operator.GetKind(), operator.GroupVersionKind().Group, operator.GetName())
	step, err := newStep("patch", map[string]any{"object": target, "spec": map[string]any{"paused": isPaused}})
	if err != nil {
		return err
	}
	step.Title = fmt.Sprintf("setting spec.paused of %s to %t", target, isPaused)
	return ended.Do(ctx, step)
}

// retryRolledBack requests another attempt for each operator with a revision that the manager has rolled back. The manager then retries the
// revision under the conditions at the end of the story, as it does in the reference. It does not retry the revision by itself. A revision
// that is held needs no retry: it becomes active by itself when its Pods are ready.
func retryRolledBack(ctx context.Context, ended generate.CheckedSystem) error {
	client, err := adminOf(ended.System)
	if err != nil {
		return err
	}
	deployments, err := client.Resource(bundleDeployments).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for i := range deployments.Items {
		each := &deployments.Items[i]
		read := &corev1alpha2.BundleDeployment{}
		if err := into(each, read); err != nil {
			return err
		}
		if !isRolledBack(read) {
			continue
		}
		if owner := metav1.GetControllerOf(read); owner != nil { // a PlatformOperator sets the annotation of its BundleDeployment
			each = &unstructured.Unstructured{}
			each.SetAPIVersion(owner.APIVersion)
			each.SetKind(owner.Kind)
			each.SetName(owner.Name)
		}
		target := fmt.Sprintf("%s.%s/%s", each.GetKind(), each.GroupVersionKind().Group, each.GetName())
		step, err := newStep("patch", map[string]any{"object": target, "metadata": map[string]any{"annotations": map[string]any{platformv1alpha1.AnnotationRetry: "at the end"}}})
		if err != nil {
			return err
		}
		if err := ended.Do(ctx, step); err != nil {
			return err
		}
	}
	return nil
}

// isRolledBack reports whether the manager has rolled back the revision that the present spec asks for.
func isRolledBack(deployment *corev1alpha2.BundleDeployment) bool {
	return slices.ContainsFunc(deployment.Status.Revisions, func(each corev1alpha2.Revision) bool {
		return each.State == corev1alpha2.RevisionFailed && each.FailedGeneration == deployment.Generation
	})
}
