package namespaceuse

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
)

// builtIn are the built-in resources that a check lists first, with the manager's own roles: resources that hold users' data, run users'
// workloads or expose them.
var builtIn = []schema.GroupResource{
	{Resource: "pods"},
	{Resource: "persistentvolumeclaims"},
	{Resource: "services"},
	{Resource: "configmaps"},
	{Resource: "secrets"},
	{Resource: "serviceaccounts"},
	{Group: "apps", Resource: "deployments"},
	{Group: "apps", Resource: "statefulsets"},
	{Group: "apps", Resource: "daemonsets"},
	{Group: "batch", Resource: "jobs"},
	{Group: "batch", Resource: "cronjobs"},
}

// moreBuiltIn are built-in resources with the same purpose that a check can list only with its grant. Other built-in resources are not a
// reason to keep a namespace: controllers create them from listed ones (EndpointSlices), they only limit or permit others (NetworkPolicies,
// quotas, roles), or operators leave them behind when they stop (Leases, Events).
var moreBuiltIn = []schema.GroupResource{
	{Resource: "replicationcontrollers"},
	{Group: "apps", Resource: "replicasets"},
	{Group: "autoscaling", Resource: "horizontalpodautoscalers"},
	{Group: "networking.k8s.io", Resource: "ingresses"},
	{Group: "resource.k8s.io", Resource: "resourceclaims"},
}

// viewGroups are API groups that serve views of other objects: metrics of Pods, packages of catalogs, roles of another group.
var viewGroups = []string{
	"metrics.k8s.io", "custom.metrics.k8s.io", "external.metrics.k8s.io", "packages.operators.coreos.com", "authorization.openshift.io",
}

// views are single resources that are views of other objects, in groups that also contain other resources. AppliedClusterResourceQuotas are
// views of ClusterResourceQuotas.
var views = []schema.GroupResource{{Group: "quota.openshift.io", Resource: "appliedclusterresourcequotas"}}

// IsListed reports whether a check lists a resource. A check lists all custom resources and aggregated APIs except views.
func IsListed(resource schema.GroupResource) bool {
	if scheme.Scheme.IsGroupRegistered(resource.Group) {
		return isBuiltIn(resource) || slices.Contains(moreBuiltIn, resource)
	}
	return !isView(resource.Group) && !slices.Contains(views, resource)
}

func isBuiltIn(resource schema.GroupResource) bool { return slices.Contains(builtIn, resource) }

// isView reports whether all resources of an API group are views of other objects.
func isView(group string) bool { return slices.Contains(viewGroups, group) }

// isGroupListed reports whether a check may list a resource of an API group. It returns false for built-in groups without a listed
// resource, and for groups of views.
func isGroupListed(group string) bool {
	if !scheme.Scheme.IsGroupRegistered(group) {
		return !isView(group)
	}
	return slices.ContainsFunc(slices.Concat(builtIn, moreBuiltIn), func(resource schema.GroupResource) bool { return resource.Group == group })
}

// sorted sorts resources in place, and returns them. Built-in ones come first, in the order of builtIn, because admins are familiar with
// them.
func sorted(resources []schema.GroupVersionResource) []schema.GroupVersionResource {
	slices.SortFunc(resources, func(a, b schema.GroupVersionResource) int {
		i, j := slices.Index(builtIn, a.GroupResource()), slices.Index(builtIn, b.GroupResource())
		switch {
		case i >= 0 && j >= 0:
			return i - j
		case i >= 0 || j >= 0:
			return j - i
		}
		return strings.Compare(a.String(), b.String())
	})
	return resources
}

const (
	secretType = "type"
	// pullSecretSelector selects Secrets of the type that OpenShift generates as pull secrets of ServiceAccounts.
	pullSecretSelector = secretType + "=" + string(corev1.SecretTypeDockercfg)
)

// selectorsOf returns the field selectors with which a check lists a resource. Secrets need two lists: their metadata does not contain
// their type, so the check derives it from the selector.
func selectorsOf(resource schema.GroupResource) []string {
	if resource != (schema.GroupResource{Resource: "secrets"}) {
		return []string{""}
	}
	return []string{
		secretType + "!=" + string(corev1.SecretTypeServiceAccountToken) + "," + secretType + "!=" + string(corev1.SecretTypeDockercfg),
		pullSecretSelector,
	}
}

// isOfOthers reports whether the manager must keep a namespace because of an object. It returns false for objects that are being deleted,
// and for those that Kubernetes, OpenShift or OLM create in every namespace. selector is the field selector with which the object was
// listed.
func isOfOthers(resource schema.GroupResource, selector string, object *metav1.PartialObjectMetadata) bool {
	if object.DeletionTimestamp != nil {
		return false
	}
	switch resource.String() {
	case "configmaps":
		return object.Name != "kube-root-ca.crt" && object.Name != "openshift-service-ca.crt"
	case "serviceaccounts":
		return object.Name != "default" && object.Name != "builder" && object.Name != "deployer"
	case "secrets":
		made := object.Annotations[corev1.ServiceAccountNameKey] != "" || object.Annotations["openshift.io/internal-registry-auth-token.service-account"] != ""
		return selector != pullSecretSelector || !made
	case "clusterserviceversions.operators.coreos.com":
		return object.Labels["olm.copiedFrom"] == "" // OLM copies those of global operators into every namespace
	}
	return true
}
