package scenarios

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/pkg/scenario/harness"
)

// excessWrites is the ExcessWrites function of an Oracle. During a rollout, a new manager process does not know what the process before it
// has applied, and may apply each object again, once. A BundleDeployment that is refused an object of another owner tries once to create it.
func excessWrites(ctx context.Context, restarted *harness.System, writes []scenario.Request) ([]scenario.Request, error) {
	objects, err := restarted.Runner.Cluster.Objects(ctx)
	if err != nil {
		return nil, err
	}
	permitted, refused := map[string]int{}, []string{}
	for i := range objects[bundleDeployments.GroupResource()] {
		deployment := &corev1alpha2.BundleDeployment{}
		if err := into(&objects[bundleDeployments.GroupResource()][i], deployment); err != nil {
			return nil, err
		}
		installed := meta.FindStatusCondition(deployment.Status.Conditions, corev1alpha2.ConditionInstalled)
		if installed == nil || installed.Reason != corev1alpha2.ReasonInstallationSucceeded {
			refused = append(refused, deployment.Name)
		}
		if !isRollingOut(deployment) {
			continue
		}
		// The first status of the new process lacks what only the earlier process knew, such as the drift. The PlatformOperator follows it.
		permitted[writeKey("update", bundleDeployments.GroupResource().String()+"/status", "", deployment.Name)] += 2
		permitted[writeKey("update", platformOperators.GroupResource().String()+"/status", "", deployment.Name)] += 2
		for resource, all := range objects {
			for _, each := range all {
				if each.GetLabels()[corev1alpha2.LabelOwnerName] != deployment.Name {
					continue
				}
				for _, verb := range []string{"patch", "apply"} { // the patch converts the managedFields entry of a POST to that of an apply
					permitted[writeKey(verb, resource.String(), each.GetNamespace(), each.GetName())]++
				}
			}
		}
	}
	return slices.DeleteFunc(writes, func(r scenario.Request) bool {
		resource := r.Resource.String()
		if r.Subresource != "" {
			resource += "/" + r.Subresource
		}
		key := writeKey(r.Verb, resource, r.Namespace, r.Name)
		if _, isKnown := permitted[key]; !isKnown && r.Verb == "create" && r.Code == http.StatusConflict && mayBeRefused(objects, r, refused) {
			permitted[key] = 1
		}
		permitted[key]--
		return permitted[key] >= 0
	}), nil
}

// mayBeRefused reports whether one of the named BundleDeployments may have tried to create an object that exists and that it does not own.
func mayBeRefused(objects map[schema.GroupResource][]unstructured.Unstructured, r scenario.Request, names []string) bool {
	for _, each := range objects[r.Resource] {
		if each.GetNamespace() == r.Namespace && each.GetName() == r.Name {
			owner := each.GetLabels()[corev1alpha2.LabelOwnerName]
			return slices.ContainsFunc(names, func(name string) bool { return name != owner })
		}
	}
	return false
}

func writeKey(verb, resource, namespace, name string) string {
	return fmt.Sprintf("%s %s %s/%s", verb, resource, namespace, name)
}

// isRollingOut reports whether the rollout of a revision has begun and is not complete.
func isRollingOut(deployment *corev1alpha2.BundleDeployment) bool {
	return slices.ContainsFunc(deployment.Status.Revisions, func(each corev1alpha2.Revision) bool {
		return each.State == corev1alpha2.RevisionRollingOut && each.StartedTime != nil
	})
}
