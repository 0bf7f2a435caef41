package resolve

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

var onCluster = Cluster{Version: "4.21.0", KubeVersion: "v1.36.3"}

func TestRequestForCopiesTheSpec(t *testing.T) {
	operator := &platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: "quay"}}
	operator.Spec.Package = platformv1alpha1.Package{Name: "project-quay", Version: "3.x", Channels: []string{"stable"}}

	request, err := RequestFor(operator, "3.1.0", onCluster)
	if err != nil {
		t.Fatal(err)
	}
	if request.Operator != "quay" || request.Package != "project-quay" || request.VersionRange != "3.x" || request.InstalledVersion != "3.1.0" ||
		request.ClusterVersion != "4.21.0" || request.KubeVersion != "v1.36.3" || len(request.Channels) != 1 {
		t.Errorf("RequestFor returned %+v", request)
	}
	if request.Selector != nil {
		t.Error("a spec without a selector does not select every catalog")
	}

	operator.Spec.Package.CatalogSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"tier": "gold"}}
	if request, err = RequestFor(operator, "", onCluster); err != nil {
		t.Fatal(err)
	}
	if !request.Selector.Matches(labels.Set{"tier": "gold"}) || request.Selector.Matches(labels.Set{"tier": "tin"}) {
		t.Errorf("the selector is %s", request.Selector)
	}

	operator.Spec.Package.CatalogSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "a", Operator: "Resembles"}}}
	if _, err = RequestFor(operator, "", onCluster); err == nil || !strings.Contains(err.Error(), "spec.package.catalogSelector") {
		t.Errorf("for an invalid selector, RequestFor returned error %v", err)
	}
}
