package declaredresources

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	configv1 "github.com/openshift/api/config/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/limits"
	"github.com/openshift/platform-operators/pkg/namespaceuse"
	"github.com/openshift/platform-operators/pkg/operator"
	"github.com/openshift/platform-operators/pkg/store"
)

// Namespace is the manager's own namespace.
const Namespace = "openshift-platform-operators"

// Resource is an entry of the table: objects of one resource that the manager reads, independently of the installed operators.
type Resource struct {
	schema.GroupVersionResource
	// Namespace is the namespace of the objects. It is empty for cluster-scoped objects, and for all namespaces.
	Namespace string
	// Names are the names of the objects; nil for all objects that Selector selects.
	Names []string
	// Selector selects objects by a label; nil for all objects.
	Selector map[string]string
	// Writes is true if the manager also writes the objects. Without Names, the objects that it writes depend on the cluster.
	Writes bool
	// OfBundles is true if the manager reads the objects only because bundles may contain them.
	OfBundles bool
	// Purpose says why the manager reads or writes the objects.
	Purpose string
}

// EventNamespaces returns the namespaces in which the manager creates Events. Events about cluster-scoped objects are in namespace default.
func EventNamespaces() []string { return []string{metav1.NamespaceDefault, Namespace} }

// Table returns the objects that the manager reads and writes, independently of the installed operators.
func Table() []Resource {
	return slices.Concat(own(), ofCluster(), ofOLM(), inOwnNamespace(), ofBundles())
}

// own returns the entries for the manager's own kinds.
func own() []Resource {
	return []Resource{
		{GroupVersionResource: platformOperators, Writes: true, Purpose: "which operators to install; their status and finalizers"},
		{GroupVersionResource: bundleDeployments, Writes: true, Purpose: "which bundles to apply; one is created for each PlatformOperator"},
		{GroupVersionResource: bundles, Writes: true, Purpose: "which bundles to read; their status"},
		{GroupVersionResource: provisionerClasses, Purpose: "the formats and defaults of BundleDeployments"},
		{
			GroupVersionResource: provisionerClasses, Names: []string{corev1alpha2.ProvisionerClassPlain, corev1alpha2.ProvisionerClassRegistry},
			Writes: true, Purpose: "created when they are missing",
		},
		{
			GroupVersionResource: operatorv1alpha1.SchemeGroupVersion.WithResource("platformoperatormanagers"),
			Names:                []string{operatorv1alpha1.PlatformOperatorManagerName}, Writes: true, Purpose: "the configuration of the manager; its status",
		},
	}
}

// ofCluster returns the entries for the state of the cluster.
func ofCluster() []Resource {
	clusterRoles := schema.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles"}
	policies := schema.GroupVersion{Group: "admissionregistration.k8s.io", Version: "v1"}
	approvalPolicies := []string{"platform-operators-bundledeployments", "platform-operators-platformoperators"}
	clusterOperators := configv1.GroupVersion.WithResource("clusteroperators")
	return []Resource{
		{GroupVersionResource: clusterOperators, Names: []string{operator.ClusterOperatorName}, Writes: true, Purpose: "the report to the cluster"},
		{GroupVersionResource: clusterOperators, Names: []string{"kube-apiserver"}, Purpose: "the version of the API server, for apply-configuration"},
		{GroupVersionResource: configv1.GroupVersion.WithResource("clusterversions"), Names: []string{"version"}, Purpose: "the version of the cluster"},
		{GroupVersionResource: configv1.GroupVersion.WithResource("featuregates"), Names: []string{"cluster"}, Purpose: "how the cluster version may be checked"},
		{GroupVersionResource: policies.WithResource("validatingadmissionpolicies"), Names: approvalPolicies, Purpose: "whether an approval of a plan counts"},
		{GroupVersionResource: policies.WithResource("validatingadmissionpolicybindings"), Names: approvalPolicies, Purpose: "whether an approval of a plan counts"},
		{GroupVersionResource: definitions, Writes: true, Purpose: "the kinds that the cluster serves; those of bundles are written"},
		{GroupVersionResource: pods, Purpose: "the images of catalogs, and why Pods of an operator do not start"},
		{
			GroupVersionResource: clusterRoles, Selector: map[string]string{corev1alpha2.LabelAggregateToBundles: "true"},
			Purpose: "the permissions that remain when a revision replaces another",
		},
		{
			GroupVersionResource: clusterRoles, Names: []string{namespaceuse.RoleName}, Writes: true,
			Purpose: "permits the check whether a namespace is in use, for the time of the check",
		},
	}
}

// ofOLM returns the entries for the kinds of OLM.
func ofOLM() []Resource {
	v0 := schema.GroupVersion{Group: "operators.coreos.com", Version: "v1alpha1"}
	v1 := schema.GroupVersion{Group: "olm.operatorframework.io", Version: "v1"}
	return []Resource{
		{GroupVersionResource: v0.WithResource("catalogsources"), Purpose: "catalogs"},
		{GroupVersionResource: v0.WithResource("subscriptions"), Purpose: "packages that OLM has installed"},
		{GroupVersionResource: v1.WithResource("clustercatalogs"), Purpose: "catalogs"},
		{GroupVersionResource: v1.WithResource("clusterextensions"), Purpose: "packages that OLM has installed"},
	}
}

// inOwnNamespace returns the entries for ConfigMaps and Secrets of the manager, and for the cluster's pull secret.
func inOwnNamespace() []Resource {
	pullSecret := operator.GlobalPullSecret()
	return []Resource{
		{
			GroupVersionResource: corev1.SchemeGroupVersion.WithResource("configmaps"), Namespace: Namespace, Names: []string{limits.ConfigMap},
			Writes: true, Purpose: "the limits that stay when PlatformOperatorManager is deleted",
		},
		{
			GroupVersionResource: secrets, Namespace: Namespace, Selector: map[string]string{store.LabelRole: store.RoleIndex},
			Writes: true, Purpose: "the stored revisions",
		},
		{
			GroupVersionResource: secrets, Namespace: Namespace, Selector: map[string]string{store.LabelRole: store.RolePart},
			Writes: true, Purpose: "the objects of the stored revisions",
		},
		{
			GroupVersionResource: corev1.SchemeGroupVersion.WithResource("configmaps"), Namespace: Namespace, Selector: map[string]string{store.LabelRole: store.RolePlan},
			Writes: true, Purpose: "the plans that wait for an approval, and missing permissions",
		},
		{
			GroupVersionResource: secrets, Namespace: Namespace, Names: []string{store.PlanKeySecret},
			Purpose: "the key that hashes the values of Secrets in plans, which only a process that keeps running creates",
		},
		{GroupVersionResource: secrets, Namespace: pullSecret.Namespace, Names: []string{pullSecret.Name}, Purpose: "the credentials for registries"},
	}
}

// ofBundles returns the entries for the resources that the payload permits bundles to contain. The manager reads the objects that a
// BundleDeployment owns. test/rbac compares these resources with the roles of the payload. CustomResourceDefinitions are not among them,
// because the manager reads all of them.
func ofBundles() []Resource {
	var all []Resource
	for _, each := range []struct {
		schema.GroupVersion
		resources []string
	}{
		{corev1.SchemeGroupVersion, []string{"configmaps", "namespaces", "secrets", "serviceaccounts", "services"}},
		{schema.GroupVersion{Group: "admissionregistration.k8s.io", Version: "v1"}, []string{"mutatingwebhookconfigurations", "validatingwebhookconfigurations"}},
		{appsv1.SchemeGroupVersion, []string{"deployments"}},
		{schema.GroupVersion{Group: "autoscaling.k8s.io", Version: "v1"}, []string{"verticalpodautoscalers"}},
		{schema.GroupVersion{Group: "cert-manager.io", Version: "v1"}, []string{"certificates", "issuers"}},
		{
			schema.GroupVersion{Group: "console.openshift.io", Version: "v1"},
			[]string{"consoleclidownloads", "consolelinks", "consoleplugins", "consolequickstarts", "consoleyamlsamples"},
		},
		{schema.GroupVersion{Group: "monitoring.coreos.com", Version: "v1"}, []string{"podmonitors", "prometheusrules", "servicemonitors"}},
		{schema.GroupVersion{Group: "networking.k8s.io", Version: "v1"}, []string{"networkpolicies"}},
		{schema.GroupVersion{Group: "policy", Version: "v1"}, []string{"poddisruptionbudgets"}},
		{schema.GroupVersion{Group: "rbac.authorization.k8s.io", Version: "v1"}, []string{"clusterrolebindings", "clusterroles", "rolebindings", "roles"}},
		{schema.GroupVersion{Group: "scheduling.k8s.io", Version: "v1"}, []string{"priorityclasses"}},
	} {
		for _, resource := range each.resources {
			all = append(all, Resource{
				GroupVersionResource: each.WithResource(resource), Selector: ownedByBundleDeployments(),
				Writes: true, OfBundles: true, Purpose: "objects of bundles",
			})
		}
	}
	return all
}

var (
	platformOperators  = platformv1alpha1.SchemeGroupVersion.WithResource("platformoperators")
	bundleDeployments  = corev1alpha2.SchemeGroupVersion.WithResource("bundledeployments")
	bundles            = corev1alpha2.SchemeGroupVersion.WithResource("bundles")
	provisionerClasses = corev1alpha2.SchemeGroupVersion.WithResource("provisionerclasses")
	definitions        = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	namespaces         = corev1.SchemeGroupVersion.WithResource("namespaces")
	pods               = corev1.SchemeGroupVersion.WithResource("pods")
	secrets            = corev1.SchemeGroupVersion.WithResource("secrets")
	services           = corev1.SchemeGroupVersion.WithResource("services")
)
