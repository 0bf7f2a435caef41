package plain

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/platform-operators/pkg/bundle"
)

// scope says where the objects of a kind are.
type scope string

const (
	// unknown is the scope of kinds that neither the tables below have nor the bundle itself defines: their objects are as the author wrote them.
	unknown    scope = ""
	namespaced scope = "Namespaced"
	cluster    scope = "Cluster"
)

// kubernetes are the scopes of Kubernetes' own kinds that are kept, and not only answered: for each group, the namespaced ones and the cluster-scoped ones.
var kubernetes = map[string][2]string{
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

// openShift are the scopes of kinds that every OpenShift cluster has beside those, as far as bundles may have such objects.
// docs/bundledeployments.md lists them.
var openShift = map[string][2]string{
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
	"project.openshift.io":              {"", "Project"},
	"quota.openshift.io":                {"", "ClusterResourceQuota"},
	"route.openshift.io":                {"Route", ""},
	"security.openshift.io":             {"", "SecurityContextConstraints"},
	"snapshot.storage.k8s.io":           {"VolumeSnapshot", "VolumeSnapshotClass VolumeSnapshotContent"},
	"template.openshift.io":             {"Template TemplateInstance", ""},
	"tuned.openshift.io":                {"Profile Tuned", ""},
	"user.openshift.io":                 {"", "Group Identity User"},
}

// wellKnown are the scopes that are known without a CustomResourceDefinition in the bundle.
var wellKnown = scopesOf(kubernetes, openShift)

// scopesOf reads tables that have, for each group, the namespaced and the cluster-scoped kinds.
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

// ownKinds are the scopes of the kinds that CustomResourceDefinitions among the objects define.
func ownKinds(objects []bundle.Object) map[schema.GroupKind]scope {
	own := map[schema.GroupKind]scope{}
	for _, o := range objects {
		if !bundle.IsCRD(o) {
			continue
		}
		group, _, _ := unstructured.NestedString(o.Object, "spec", "group")
		kind, _, _ := unstructured.NestedString(o.Object, "spec", "names", "kind")
		text, _, _ := unstructured.NestedString(o.Object, "spec", "scope")
		if found := scope(text); found == namespaced || found == cluster {
			own[schema.GroupKind{Group: group, Kind: kind}] = found
		}
	}
	return own
}

func (b *Bundle) scopeOf(kind schema.GroupKind) scope {
	if own, ok := b.own[kind]; ok {
		return own
	}
	return wellKnown[kind]
}

// custom tells whether the object may be a custom resource, in which a null may have a meaning.
func (b *Bundle) custom(o bundle.Object) bool {
	kind := groupKind(o)
	_, own := b.own[kind]
	_, known := wellKnown[kind]
	return own || !known && strings.Contains(kind.Group, ".")
}

func groupKind(o bundle.Object) schema.GroupKind { return o.GroupVersionKind().GroupKind() }
