package hosted

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	configv1 "github.com/openshift/api/config/v1"
)

const (
	// ComponentName is the name of the component and of its Deployment, and the key of its image in the release payload.
	ComponentName = "platform-operators"
	// GuestNamespace is the manager's namespace in the guest. The manager stores its Lease, its Events and the revisions there.
	GuestNamespace = "openshift-platform-operators"
	// GuestServiceAccount is the ServiceAccount in GuestNamespace as which the manager acts in the guest.
	GuestServiceAccount = "platform-operators"
)

// CatalogPlacement says in which cluster the Pods of OLM's default catalogs run.
type CatalogPlacement string

// Values of CatalogPlacement. The catalogs run in the guest, or in the namespace of the control plane in the management cluster.
const (
	GuestCatalogs      CatalogPlacement = "guest"
	ManagementCatalogs CatalogPlacement = "management"
)

// isRequestServing and needsManagementAPIServer are two of the CPO's ComponentOptions. The manager serves only metrics, and has no access to
// the management cluster's API server: its Pod gets no token. The third option, MultiZoneSpread, has no effect with one replica.
const (
	isRequestServing         = false
	needsManagementAPIServer = false
)

// kubeconfigDir is the folder with the kubeconfig of GuestServiceAccount. The CPO creates it, with a client certificate
// (InjectServiceAccountKubeConfig). The kubeconfig of an admin is not enough: the guest's admission policies identify the manager by this
// user.
const kubeconfigDir = "/etc/openshift/kubeconfig"

// proxyPort is the port of the konnectivity sidecar, a SOCKS5 proxy into the guest's network.
const proxyPort = 8090

// requiredAPIs returns the kinds that the guest must serve before the manager starts: its own.
func requiredAPIs() []schema.GroupVersionKind {
	return []schema.GroupVersionKind{
		{Group: "core.rukpak.io", Version: "v1alpha2", Kind: "BundleDeployment"},
		{Group: "core.rukpak.io", Version: "v1alpha2", Kind: "Bundle"},
		{Group: "operator.openshift.io", Version: "v1alpha1", Kind: "PlatformOperatorManager"},
		{Group: "platform.openshift.io", Version: "v1alpha1", Kind: "PlatformOperator"},
		{Group: "core.rukpak.io", Version: "v1alpha2", Kind: "ProvisionerClass"},
	}
}

// isEnabled reports whether the component exists with a feature set (WithPredicate). It has no feature gate of its own; the annotations of
// its manifests name the same feature sets.
func isEnabled(set configv1.FeatureSet) bool {
	return slices.Contains([]configv1.FeatureSet{configv1.TechPreviewNoUpgrade, configv1.DevPreviewNoUpgrade, configv1.CustomNoUpgrade}, set)
}

// noProxy returns the value of NO_PROXY: the servers that the manager reaches without the konnectivity sidecar, because they run in its
// namespace.
func noProxy(placement CatalogPlacement) string {
	servers := []string{"kube-apiserver"}
	if placement == ManagementCatalogs {
		servers = append(servers, "certified-operators", "community-operators", "redhat-operators", "redhat-marketplace")
	}
	return strings.Join(servers, ",")
}
