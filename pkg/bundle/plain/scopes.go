package plain

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/platform-operators/pkg/bundle"
)

// scope is the scope of a kind: namespaced or cluster-scoped.
type scope string

const (
	// unknown is the scope of kinds that neither the tables below nor the bundle define; their objects are rendered as written.
	unknown    scope = ""
	namespaced scope = bundle.ScopeNamespaced
	cluster    scope = bundle.ScopeCluster
)

// kubernetesScopes are the scopes of Kubernetes' own persisted kinds, keyed by group. A value lists the namespaced kinds, and then the
// cluster-scoped kinds.
var kubernetesScopes = map[string][2]string{
	"": {
		"ConfigMap Endpoints Event LimitRange PersistentVolumeClaim Pod PodTemplate ReplicationController ResourceQuota Secret Service ServiceAccount",
		"Namespace Node PersistentVolume",
	},
	"admissionregistration.k8s.io": {"", "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration"},
	"apiextensions.k8s.io":         {"", "CustomResourceDefinition"},
	"apiregistration.k8s.io":       {"", "APIService"},
	"apps":                         {"ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet", ""},
	"autoscaling":                  {"HorizontalPodAutoscaler", ""},
	"batch":                        {"CronJob Job", ""},
	"certificates.k8s.io":          {"PodCertificateRequest", "CertificateSigningRequest ClusterTrustBundle"},
	"coordination.k8s.io":          {"Lease LeaseCandidate", ""},
	"discovery.k8s.io":             {"EndpointSlice", ""},
	"events.k8s.io":                {"Event", ""},
	"flowcontrol.apiserver.k8s.io": {"", "FlowSchema PriorityLevelConfiguration"},
	"networking.k8s.io":            {"Ingress NetworkPolicy", "IngressClass IPAddress ServiceCIDR"},
	"node.k8s.io":                  {"", "RuntimeClass"},
	"policy":                       {"PodDisruptionBudget", ""},
	"rbac.authorization.k8s.io":    {"Role RoleBinding", "ClusterRole ClusterRoleBinding"},
	"resource.k8s.io":              {"ResourceClaim ResourceClaimTemplate", "DeviceClass DeviceTaintRule ResourceSlice"},
	"scheduling.k8s.io":            {"PodGroup Workload", "PriorityClass"},
	"storage.k8s.io":               {"CSIStorageCapacity", "CSIDriver CSINode StorageClass VolumeAttachment VolumeAttributesClass"},
	"storagemigration.k8s.io":      {"", "StorageVersionMigration"},
}

// openShiftScopes are the scopes of the additional kinds that every OpenShift cluster has, limited to kinds of which bundles may contain
// objects. docs/bundledeployments.md lists them.
var openShiftScopes = map[string][2]string{
	"apps.openshift.io":                 {"DeploymentConfig", ""},
	"authorization.openshift.io":        {"Role RoleBinding RoleBindingRestriction", "ClusterRole ClusterRoleBinding"},
	"autoscaling.openshift.io":          {"MachineAutoscaler", "ClusterAutoscaler"},
	"build.openshift.io":                {"Build BuildConfig", ""},
	"cloudcredential.openshift.io":      {"CredentialsRequest", ""},
	"config.openshift.io":               {"ImagePolicy", "ClusterImagePolicy ImageDigestMirrorSet ImageTagMirrorSet"},
	"console.openshift.io":              {"", "ConsoleCLIDownload ConsoleExternalLogLink ConsoleLink ConsoleNotification ConsolePlugin ConsoleQuickStart ConsoleSample ConsoleYAMLSample"},
	"helm.openshift.io":                 {"ProjectHelmChartRepository", "HelmChartRepository"},
	"image.openshift.io":                {"ImageStream ImageStreamTag", "Image"},
	"k8s.cni.cncf.io":                   {"NetworkAttachmentDefinition", ""},
	"machine.openshift.io":              {"ControlPlaneMachineSet Machine MachineHealthCheck MachineSet", ""},
	"machineconfiguration.openshift.io": {"", "ContainerRuntimeConfig KubeletConfig MachineConfig MachineConfigPool"},
	"monitoring.coreos.com":             {"Alertmanager AlertmanagerConfig PodMonitor Probe Prometheus PrometheusRule ScrapeConfig ServiceMonitor ThanosRuler", ""},
	"monitoring.openshift.io":           {"AlertRelabelConfig AlertingRule", ""},
	"oauth.openshift.io":                {"", "OAuthClient"},
	"operator.openshift.io":             {"IngressController", "ClusterCSIDriver"},
	"operators.coreos.com":              {"CatalogSource ClusterServiceVersion InstallPlan OperatorCondition OperatorGroup Subscription", "OLMConfig Operator"},
	"project.openshift.io":              {"", "Project"},
	"quota.openshift.io":                {"", "ClusterResourceQuota"},
	"route.openshift.io":                {"Route", ""},
	"security.openshift.io":             {"", "SecurityContextConstraints"},
	"snapshot.storage.k8s.io":           {"VolumeSnapshot", "VolumeSnapshotClass VolumeSnapshotContent"},
	"template.openshift.io":             {"Template TemplateInstance", ""},
	"tuned.openshift.io":                {"Profile Tuned", ""},
	"user.openshift.io":                 {"", "Group Identity User"},
}

// wellKnownScopes are the scopes that are known without a CustomResourceDefinition in the bundle.
var wellKnownScopes = scopesOf(kubernetesScopes, openShiftScopes)

// scopesOf returns the scopes of the kinds in tables of the form of kubernetesScopes.
func scopesOf(tables ...map[string][2]string) map[schema.GroupKind]scope {
	scopes := map[schema.GroupKind]scope{}
	for _, table := range tables {
		for group, kinds := range table {
			for i, scope := range []scope{namespaced, cluster} {
				for _, kind := range strings.Fields(kinds[i]) {
					scopes[schema.GroupKind{Group: group, Kind: kind}] = scope
				}
			}
		}
	}
	return scopes
}

// definedScopes returns the scopes of the kinds that CustomResourceDefinitions among the objects define. It omits definitions with an
// invalid scope.
func definedScopes(objects []bundle.Object) map[schema.GroupKind]scope {
	own := map[schema.GroupKind]scope{}
	for kind, definition := range bundle.DefinitionsIn(objects) {
		if found := scope(definition.Scope); found == namespaced || found == cluster {
			own[kind] = found
		}
	}
	return own
}

func (b *Bundle) scopeOf(kind schema.GroupKind) scope {
	if own, ok := b.ownScopes[kind]; ok {
		return own
	}
	return wellKnownScopes[kind]
}

// isCustomResource reports whether the object may be a custom resource, in which a null may be meaningful.
func (b *Bundle) isCustomResource(o bundle.Object) bool {
	kind := groupKind(o)
	_, own := b.ownScopes[kind]
	_, known := wellKnownScopes[kind]
	return own || !known && strings.Contains(kind.Group, ".")
}

func groupKind(o bundle.Object) schema.GroupKind { return o.GroupVersionKind().GroupKind() }
