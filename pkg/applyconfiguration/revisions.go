package applyconfiguration

import (
	"cmp"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/runtime"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/mustgather"
	"github.com/openshift/platform-operators/pkg/store"
)

// MissingRevision is a stored revision whose objects the input does not have, because the values of its Secrets were removed.
type MissingRevision struct {
	BundleDeployment string `json:"bundleDeployment"`
	Number           int64  `json:"number"`
	// Digest is that of status.revisions; empty if the revision is not in it.
	Digest string `json:"digest,omitempty"`
}

// revisionsWithoutValues returns the stored revisions whose Secrets have no values, sorted.
func revisionsWithoutValues(input *mustgather.Input) []MissingRevision {
	found, deployments := []MissingRevision{}, map[string]mustgather.Object{}
	for _, each := range input.Objects {
		if each.Resource.GroupResource() == corev1alpha2.Resource("bundledeployments") {
			deployments[each.GetName()] = each
		}
	}
	for _, each := range input.Objects {
		labels := each.GetLabels()
		number, err := strconv.ParseInt(labels[store.LabelNumber], 10, 64)
		if !each.IsElided() || labels[store.LabelDeployment] == "" || err != nil {
			continue
		}
		found = append(found, MissingRevision{labels[store.LabelDeployment], number, digestOf(deployments[labels[store.LabelDeployment]], number)})
	}
	slices.SortFunc(found, func(a, b MissingRevision) int {
		return cmp.Or(cmp.Compare(a.BundleDeployment, b.BundleDeployment), cmp.Compare(a.Number, b.Number))
	})
	return slices.Compact(found)
}

// digestOf returns the digest of a revision in the status of its BundleDeployment, or "". The object may be the zero value.
func digestOf(object mustgather.Object, number int64) string {
	if object.Unstructured == nil {
		return ""
	}
	deployment := &corev1alpha2.BundleDeployment{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, deployment); err != nil {
		return "" // the server reports it
	}
	for _, each := range deployment.Status.Revisions {
		if each.Number == number {
			return each.Digest
		}
	}
	return ""
}
