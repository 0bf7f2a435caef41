package resolve

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// RequestFor says what a PlatformOperator's spec asks for, on a cluster with these versions. installedVersion is the
// version below which nothing may be chosen; empty when there is none. The error is the user's: a selector that cannot be
// read.
func RequestFor(operator *platformv1alpha1.PlatformOperator, installedVersion, clusterVersion, kubeVersion string) (Request, error) {
	request := Request{
		Operator:         operator.Name,
		Package:          operator.Spec.Package.Name,
		VersionRange:     operator.Spec.Package.Version,
		Channels:         operator.Spec.Package.Channels,
		ClusterVersion:   clusterVersion,
		KubeVersion:      kubeVersion,
		InstalledVersion: installedVersion,
	}
	if install := operator.Spec.Install; install != nil {
		request.InstallNamespace = install.Namespace
		if install.Config != nil {
			request.WatchNamespace = install.Config.WatchNamespace
		}
	}
	if operator.Spec.Package.CatalogSelector == nil {
		return request, nil
	}
	selector, err := metav1.LabelSelectorAsSelector(operator.Spec.Package.CatalogSelector)
	if err != nil {
		return request, fmt.Errorf("reading spec.package.catalogSelector of PlatformOperator %q: %w; correct the selector", operator.Name, err)
	}
	request.Selector = selector
	return request, nil
}
