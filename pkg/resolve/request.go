package resolve

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/compat"
)

// Cluster holds the parts of a request that are the same for all PlatformOperators of a cluster.
type Cluster struct {
	// Version and KubeVersion are the same as ClusterVersion and KubeVersion in Request.
	Version, KubeVersion string
	// Hold is the reason why nothing may be chosen in the whole cluster; empty if choosing is permitted. If it is set, the limits in
	// Manager are outdated.
	Hold string
	// Manager is the spec of PlatformOperatorManager "cluster". The zero value stands for the defaults.
	Manager operatorv1alpha1.PlatformOperatorManagerSpec
}

// Compare compares requests by the age of their PlatformOperators, the oldest first, and then by name.
func (r Request) Compare(other Request) int {
	return cmp.Or(r.Created.Compare(other.Created), cmp.Compare(r.Operator, other.Operator))
}

// RequestFor returns the request of a PlatformOperator on a cluster. installedVersion is the version from which the operator is upgraded;
// empty for a first installation. It returns an error for a problem that the user or the cluster admin must fix: Cluster.Hold, or an
// invalid selector, glob or list, with the name of the object that contains it. In that case, the request is incomplete.
func RequestFor(operator *platformv1alpha1.PlatformOperator, installedVersion string, on Cluster) (Request, error) {
	request := Request{
		Operator:         operator.Name,
		Package:          operator.Spec.Package.Name,
		VersionRange:     operator.Spec.Package.Version,
		Channels:         operator.Spec.Package.Channels,
		ClusterVersion:   on.Version,
		KubeVersion:      on.KubeVersion,
		InstalledVersion: installedVersion,
		Created:          operator.CreationTimestamp.Time,
	}
	if install := operator.Spec.Install; install != nil {
		request.InstallNamespace = install.Namespace
		if install.Config != nil {
			request.WatchNamespace = install.Config.WatchNamespace
		}
	}
	if on.Hold != "" {
		return request, errors.New(on.Hold)
	}
	request.addUpgrades(operator, on.Manager.DefaultApproval)
	if err := request.addManager(on.Manager); err != nil {
		return request, err
	}
	if request.Channels != nil && len(request.Channels) == 0 {
		return request, fmt.Errorf("spec.package.channels of PlatformOperator %q is an empty list, which selects no channel: "+
			"fill it, or remove it to choose from the package's default channel: kubectl patch platformoperator %s --type merge -p '{\"spec\":{\"package\":{\"channels\":null}}}'",
			operator.Name, operator.Name)
	}
	if operator.Spec.Package.CatalogSelector == nil {
		return request, nil
	}
	selector, err := metav1.LabelSelectorAsSelector(operator.Spec.Package.CatalogSelector)
	if err != nil {
		return request, fmt.Errorf("spec.package.catalogSelector of PlatformOperator %q is invalid: %w; correct the selector", operator.Name, err)
	}
	request.Selector = selector
	return request, nil
}

// addUpgrades adds spec.upgrades of a PlatformOperator to a request; approval is the default for spec.upgrades.approval. If something is
// installed, it also adds the installed bundle, and the versions in the history at which the operator was ready.
func (r *Request) addUpgrades(operator *platformv1alpha1.PlatformOperator, approval platformv1alpha1.Approval) {
	if upgrades := operator.Spec.Upgrades; upgrades != nil {
		r.Edges, r.Approved = upgrades.Edges, upgrades.ApprovedVersion
		approval = cmp.Or(upgrades.Approval, approval)
	}
	r.Manual = approval == platformv1alpha1.ApprovalManual
	if r.InstalledVersion == "" {
		return
	}
	if installed := operator.Status.Installed; installed != nil && installed.Version == r.InstalledVersion {
		r.InstalledBundle, r.InstalledRelease = installed.Bundle, installed.Release
	}
	for _, entry := range slices.Backward(operator.Status.History) {
		if entry.ReadyTime != nil {
			r.Ready = append(r.Ready, entry.Version)
		}
	}
}

// OverridesOf returns the compatibility overrides of a PlatformOperator's spec, including those that have no effect.
func OverridesOf(operator *platformv1alpha1.PlatformOperator) []compat.Override {
	return Overrides(operator.Spec.CompatibilityOverrides)
}

// Overrides converts compatibility overrides for pkg/compat.
func Overrides(declared []corev1alpha2.CompatibilityOverride) (overrides []compat.Override) {
	for _, each := range declared {
		override := compat.Override{Version: each.OpenShiftVersion, Reason: each.Reason}
		if each.Expires != nil {
			override.Expires = each.Expires.Time
		}
		overrides = append(overrides, override)
	}
	return overrides
}

// BundlesOf returns the bundles of a BundleDeployment that has no PlatformOperator, as the upgrade gate counts them. It applies the
// overrides in the spec of the BundleDeployment that are valid at the time now. If the version of the cluster cannot be parsed, overrides
// are neither applied nor reported as ignored, because the gate already reports the version.
func BundlesOf(deployment *corev1alpha2.BundleDeployment, clusterVersion string, now time.Time) (bundles []compat.Operator) {
	overrides := Overrides(deployment.Spec.CompatibilityOverrides)
	var effective *compat.Override
	var ignored []compat.IgnoredOverride
	if current, err := compat.ParseClusterVersion(clusterVersion); err == nil && len(overrides) > 0 {
		effective, ignored = compat.JudgeOverrides(current.Next(), overrides, now)
	}
	for _, bundle := range compat.CountedBundles(nil, deployment) {
		bundles = append(bundles, compat.Operator{
			Kind: compat.KindBundleDeployment, Name: deployment.Name, Package: bundle.Package, Version: bundle.Version, Max: bundle.Max,
			ServiceAccount: deployment.Spec.ServiceAccountName, AwaitedPlan: compat.AwaitedPlanOf(deployment),
			Acknowledged: effective, Ignored: ignored, Overrides: len(overrides),
		})
	}
	return bundles
}
