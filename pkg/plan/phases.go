package plan

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Names of the phases, in the order in which they are applied.
const (
	// PhaseNamespaces contains namespaces, which contain other objects.
	PhaseNamespaces = "namespaces"
	// PhaseCRDs contains CustomResourceDefinitions: operators do not start without them, and custom resources need them.
	PhaseCRDs = "crds"
	// PhaseRBAC contains ServiceAccounts, roles and bindings: a pod that starts without its permissions crashes.
	PhaseRBAC = "rbac"
	// PhaseConfig contains objects that workloads read, or through which clients reach workloads: ConfigMaps, Secrets, certificates,
	// Services, policies, classes.
	PhaseConfig = "config"
	// PhaseWorkloads contains workloads, and objects that become ready only with them: volume claims that wait for their first consumer,
	// disruption budgets, autoscalers.
	PhaseWorkloads = "workloads"
	// PhaseRegistrations contains objects that make the API server call workloads: a webhook without its server blocks the cluster.
	PhaseRegistrations = "registrations"
	// PhaseOthers contains objects of every other kind, such as monitors.
	PhaseOthers = "others"
	// PhaseCustomResources contains objects whose definition is in the same set.
	PhaseCustomResources = "custom-resources"
)

var order = [...]string{PhaseNamespaces, PhaseCRDs, PhaseRBAC, PhaseConfig, PhaseWorkloads, PhaseRegistrations, PhaseOthers, PhaseCustomResources}

// kinds maps the known kinds to their phases; all other kinds are in PhaseOthers.
var kinds = map[schema.GroupKind]string{
	{Kind: "Namespace"}: PhaseNamespaces,

	{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}: PhaseCRDs,

	{Kind: "ServiceAccount"}:                                             PhaseRBAC,
	{Group: "rbac.authorization.k8s.io", Kind: "ClusterRole"}:            PhaseRBAC,
	{Group: "rbac.authorization.k8s.io", Kind: "ClusterRoleBinding"}:     PhaseRBAC,
	{Group: "rbac.authorization.k8s.io", Kind: "Role"}:                   PhaseRBAC,
	{Group: "rbac.authorization.k8s.io", Kind: "RoleBinding"}:            PhaseRBAC,
	{Group: "security.openshift.io", Kind: "SecurityContextConstraints"}: PhaseRBAC,

	{Kind: "ConfigMap"}:                                 PhaseConfig,
	{Kind: "Secret"}:                                    PhaseConfig,
	{Kind: "Service"}:                                   PhaseConfig,
	{Kind: "Endpoints"}:                                 PhaseConfig,
	{Kind: "LimitRange"}:                                PhaseConfig,
	{Kind: "PersistentVolume"}:                          PhaseConfig,
	{Kind: "ResourceQuota"}:                             PhaseConfig,
	{Group: "cert-manager.io", Kind: "Certificate"}:     PhaseConfig,
	{Group: "cert-manager.io", Kind: "Issuer"}:          PhaseConfig,
	{Group: "networking.k8s.io", Kind: "Ingress"}:       PhaseConfig,
	{Group: "networking.k8s.io", Kind: "NetworkPolicy"}: PhaseConfig,
	{Group: "node.k8s.io", Kind: "RuntimeClass"}:        PhaseConfig,
	{Group: "route.openshift.io", Kind: "Route"}:        PhaseConfig,
	{Group: "scheduling.k8s.io", Kind: "PriorityClass"}: PhaseConfig,
	{Group: "storage.k8s.io", Kind: "StorageClass"}:     PhaseConfig,

	{Kind: "PersistentVolumeClaim"}:                              PhaseWorkloads,
	{Kind: "Pod"}:                                                PhaseWorkloads,
	{Kind: "ReplicationController"}:                              PhaseWorkloads,
	{Group: "apps", Kind: "DaemonSet"}:                           PhaseWorkloads,
	{Group: "apps", Kind: "Deployment"}:                          PhaseWorkloads,
	{Group: "apps", Kind: "ReplicaSet"}:                          PhaseWorkloads,
	{Group: "apps", Kind: "StatefulSet"}:                         PhaseWorkloads,
	{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"}:      PhaseWorkloads,
	{Group: "autoscaling.k8s.io", Kind: "VerticalPodAutoscaler"}: PhaseWorkloads,
	{Group: "batch", Kind: "CronJob"}:                            PhaseWorkloads,
	{Group: "batch", Kind: "Job"}:                                PhaseWorkloads,
	{Group: "policy", Kind: "PodDisruptionBudget"}:               PhaseWorkloads,

	{Group: "admissionregistration.k8s.io", Kind: "MutatingAdmissionPolicy"}:          PhaseRegistrations,
	{Group: "admissionregistration.k8s.io", Kind: "MutatingAdmissionPolicyBinding"}:   PhaseRegistrations,
	{Group: "admissionregistration.k8s.io", Kind: "MutatingWebhookConfiguration"}:     PhaseRegistrations,
	{Group: "admissionregistration.k8s.io", Kind: "ValidatingAdmissionPolicy"}:        PhaseRegistrations,
	{Group: "admissionregistration.k8s.io", Kind: "ValidatingAdmissionPolicyBinding"}: PhaseRegistrations,
	{Group: "admissionregistration.k8s.io", Kind: "ValidatingWebhookConfiguration"}:   PhaseRegistrations,
	{Group: "apiregistration.k8s.io", Kind: "APIService"}:                             PhaseRegistrations,
}

// Phase is a set of objects that can be applied in any order after the previous phases.
type Phase struct {
	// Name is one of the Phase constants.
	Name string
	// Objects are sorted by group, kind, namespace and name. They are not copied.
	Objects []unstructured.Unstructured
}

// Phases returns the objects grouped into the phases in which they are applied. It returns no empty phase. The result does not depend on
// the order of the input.
func Phases(objects []unstructured.Unstructured) []Phase {
	own := ownKinds(objects)
	byName := map[string][]unstructured.Unstructured{}
	for _, o := range sorted(objects) {
		name := phaseOf(o.GroupVersionKind().GroupKind(), own)
		byName[name] = append(byName[name], o)
	}
	var phases []Phase
	for _, name := range order {
		if objects := byName[name]; len(objects) > 0 {
			phases = append(phases, Phase{Name: name, Objects: objects})
		}
	}
	return phases
}

// phaseOf returns the phase of a kind. It is PhaseCustomResources for kinds that the same set defines, even if the variable kinds assigns
// another phase. For example, if the set itself defines the kind Certificate, no controller reconciles a Certificate before the set's own
// workloads run.
func phaseOf(kind schema.GroupKind, own map[schema.GroupKind]bool) string {
	if own[kind] {
		return PhaseCustomResources
	}
	if name, ok := kinds[kind]; ok {
		return name
	}
	return PhaseOthers
}

// ownKinds returns the kinds that are defined by CRDs among the objects.
func ownKinds(objects []unstructured.Unstructured) map[schema.GroupKind]bool {
	own := map[schema.GroupKind]bool{}
	for _, o := range objects {
		if phaseOf(o.GroupVersionKind().GroupKind(), nil) != PhaseCRDs {
			continue
		}
		group, _, _ := unstructured.NestedString(o.Object, "spec", "group")
		kind, _, _ := unstructured.NestedString(o.Object, "spec", "names", "kind")
		own[schema.GroupKind{Group: group, Kind: kind}] = true
	}
	return own
}

// sorted returns the objects in a new slice, sorted by identity. The version is compared last, because two objects that differ only in the
// API version are the same object.
func sorted(objects []unstructured.Unstructured) []unstructured.Unstructured {
	type keyed struct {
		identity
		version string
		object  unstructured.Unstructured
	}
	list := make([]keyed, len(objects))
	for i, o := range objects {
		list[i] = keyed{identify(o), o.GroupVersionKind().Version, o}
	}
	slices.SortStableFunc(list, func(x, y keyed) int {
		return cmp.Or(x.identity.compare(y.identity), cmp.Compare(x.version, y.version))
	})
	out := make([]unstructured.Unstructured, len(list))
	for i, k := range list {
		out[i] = k.object
	}
	return out
}
