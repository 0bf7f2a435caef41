package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// PlatformOperator asks for one operator package to be installed on the cluster and kept there: healthy, as it was
// installed, and at the newest version that the spec and the cluster permit.
//
// +genclient
// +genclient:nonNamespaced
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=platformoperators,singular=platformoperator,scope=Cluster,shortName=plop
// +kubebuilder:printcolumn:name="Package",type=string,JSONPath=`.spec.package.name`
// +kubebuilder:printcolumn:name="Version",type=string,JSONPath=`.status.installed.version`
// +kubebuilder:printcolumn:name="Installed",type=string,JSONPath=`.status.conditions[?(@.type=="Installed")].status`
// +kubebuilder:printcolumn:name="Healthy",type=string,JSONPath=`.status.conditions[?(@.type=="Healthy")].status`
// +kubebuilder:printcolumn:name="Progressing",type=string,JSONPath=`.status.conditions[?(@.type=="Progressing")].reason`
// +kubebuilder:printcolumn:name="MaxOCP",type=string,JSONPath=`.status.compatibility.maxOpenShiftVersion`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 63",message="metadata.name must be at most 63 characters: the BundleDeployment has the same name and it is written into labels"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.status) || !has(oldSelf.status.installed) || (has(self.spec.install) && has(self.spec.install.__namespace__) ? has(oldSelf.spec.install) && has(oldSelf.spec.install.__namespace__) && self.spec.install.__namespace__ == oldSelf.spec.install.__namespace__ : !has(oldSelf.spec.install) || !has(oldSelf.spec.install.__namespace__))",message="install.namespace is immutable once the operator is installed: delete the PlatformOperator and create it again to install elsewhere",fieldPath=".spec"
type PlatformOperator struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what is wanted.
	// +required
	Spec PlatformOperatorSpec `json:"spec"`

	// status is what was found and done; only the manager writes it.
	// +optional
	Status PlatformOperatorStatus `json:"status,omitempty"`
}

// PlatformOperatorSpec is what the user wants of one operator.
type PlatformOperatorSpec struct {
	// package names what is installed and limits which versions of it may be.
	// +required
	Package Package `json:"package"`

	// upgrades says when and along which edges the operator may be moved to another version.
	// +optional
	Upgrades *Upgrades `json:"upgrades,omitempty"`

	// install says where and how the operator is installed.
	// +optional
	Install *Install `json:"install,omitempty"`

	// deletion says what goes with the operator when the PlatformOperator is deleted; it may still be changed while that is
	// under way. Absent fields take the value of class core-rukpak-io-registry.
	// +optional
	Deletion *corev1alpha2.Deletion `json:"deletion,omitempty"`

	// paused stops every change for this operator: no installation, no upgrade, no repair of drift, no removal of what
	// a new version left behind. Status is still kept. Deleting the PlatformOperator removes the operator all the same.
	// +optional
	Paused bool `json:"paused,omitempty"`

	// compatibilityOverrides are minor versions that the cluster may go to at an admin's acknowledged risk, although what is
	// installed does not permit it. status.compatibility.acknowledged shows the one that is in effect.
	// +optional
	// +listType=map
	// +listMapKey=openShiftVersion
	// +kubebuilder:validation:MaxItems=8
	CompatibilityOverrides []corev1alpha2.CompatibilityOverride `json:"compatibilityOverrides,omitempty"`
}

// Package names one package of the cluster's operator catalogs.
type Package struct {
	// name is the package's name in its catalog. It cannot be changed: another package is another operator.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=56
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="package.name is immutable: create another PlatformOperator for another package"
	Name string `json:"name"`

	// version is a range of semantic versions that may be installed, for example ">=1.2.0 <2.0.0", "1.2.x" or "1.2.3".
	// Absent means the newest version of the channels. A pre-release is a candidate only when the range names one,
	// when the channels hold nothing else, or when a channel's own edge leads to it from what is installed.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	Version string `json:"version,omitempty"`

	// channels are the package's channels that versions are chosen from. Absent means the package's default channel. The
	// API server refuses an empty list. One stored before that rule selects no channel.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=253
	Channels []string `json:"channels,omitzero"` // omitzero writes an empty list, which is not the default

	// catalogSelector selects catalogs by their labels. It also sees platform.openshift.io/catalog-kind,
	// platform.openshift.io/catalog-namespace and platform.openshift.io/catalog-name. Absent means every trusted catalog.
	// +optional
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || size(self.matchExpressions) <= 16",message="catalogSelector.matchExpressions has at most 16 entries"
	// +kubebuilder:validation:XValidation:rule="!has(self.matchLabels) || size(self.matchLabels) <= 16",message="catalogSelector.matchLabels has at most 16 entries"
	CatalogSelector *metav1.LabelSelector `json:"catalogSelector,omitempty"`
}

// Install says where and how the operator is installed.
type Install struct {
	// namespace is where the operator's own objects go; it is created if it is missing. Absent means what the
	// operator's author suggests (operatorframework.io/suggested-namespace), else "<package>-system", and that is used only if
	// the manager creates it. It may be changed while nothing is installed. default, names that begin with kube-, and the
	// manager's own namespace are refused.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Namespace string `json:"namespace,omitempty"`

	// config is what the operator's bundle is rendered with.
	// +optional
	Config *InstallConfig `json:"config,omitempty"`

	// drift says what becomes of changes that others make to what was installed. Absent fields take the value of class
	// core-rukpak-io-registry.
	// +optional
	Drift *corev1alpha2.Drift `json:"drift,omitempty"`

	// progressDeadlineSeconds is how long a version may take to become complete and healthy before it counts as failed;
	// absent means 1800.
	// +optional
	// +kubebuilder:validation:Minimum=10
	// +kubebuilder:validation:Maximum=86400
	ProgressDeadlineSeconds *int32 `json:"progressDeadlineSeconds,omitempty"`

	// onFailure says what becomes of a version that missed its deadline: Hold leaves it in place, Rollback puts the version
	// before it back. Absent means Hold.
	// +optional
	OnFailure corev1alpha2.OnFailure `json:"onFailure,omitempty"`

	// adoption says which objects that exist already may be taken over: SamePackage those that were kept when the same
	// package was removed, None nothing, Any whatever is there. What two operators declare belongs to the older one, which
	// takes it from the younger one unless this is None. Absent means SamePackage.
	// +optional
	Adoption corev1alpha2.Adoption `json:"adoption,omitempty"`
}

// InstallConfig is what a bundle is rendered with.
type InstallConfig struct {
	// watchNamespace is the namespace that the operator watches, or several with commas between them. Absent means all
	// namespaces, where the bundle supports that, else the install namespace.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=4096
	WatchNamespace string `json:"watchNamespace,omitempty"`

	// deploymentConfig is laid over the operator's Deployments.
	// +optional
	DeploymentConfig *DeploymentConfig `json:"deploymentConfig,omitempty"`
}

// DeploymentConfig is laid over the operator's Deployments, with the meaning that OLM gives to a Subscription's config.
type DeploymentConfig struct {
	// nodeSelector replaces that of the pods.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`
	// tolerations are added to those of the pods.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Tolerations []corev1.Toleration `json:"tolerations,omitempty"`
	// resources replace those of every container.
	// +optional
	Resources *corev1.ResourceRequirements `json:"resources,omitempty"`
	// env is merged by name into that of every container.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=256
	Env []corev1.EnvVar `json:"env,omitempty"`
	// envFrom is added to that of every container.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	EnvFrom []corev1.EnvFromSource `json:"envFrom,omitempty"`
	// volumes are merged by name into those of the pods.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=64
	Volumes []corev1.Volume `json:"volumes,omitempty"`
	// volumeMounts are merged by name into those of every container.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	VolumeMounts []corev1.VolumeMount `json:"volumeMounts,omitempty"`
	// affinity replaces, member by member, that of the pods.
	// +optional
	Affinity *corev1.Affinity `json:"affinity,omitempty"`
	// annotations are added to the Deployments and their pods; those of the bundle win.
	// +optional
	Annotations map[string]string `json:"annotations,omitempty"`
}

// PlatformOperatorStatus is what became of the operator.
type PlatformOperatorStatus struct {
	// observedGeneration is the generation of the spec that this status speaks of.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// conditions are Installed, Progressing, Healthy, Upgradeable and Deprecated.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// activeBundleDeployment names the BundleDeployment that carries the operator; absent while there is none.
	// +optional
	ActiveBundleDeployment *ActiveBundleDeployment `json:"activeBundleDeployment,omitempty"`

	// installed is the bundle that is applied; it changes when a hop has succeeded. While the BundleDeployment is gone that
	// carried it, it is the bundle that is put back.
	// +optional
	Installed *InstalledBundle `json:"installed,omitempty"`

	// target is where the operator is being moved; absent while nothing moves.
	// +optional
	Target *Target `json:"target,omitempty"`

	// availableUpdates are the versions that could be moved to, or could not and why, newest first; at most 20.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=20
	AvailableUpdates []AvailableUpdate `json:"availableUpdates,omitempty"`

	// availableUpdatesTotal counts them all, those beyond the first 20 included.
	// +optional
	// +kubebuilder:validation:Minimum=0
	AvailableUpdatesTotal int32 `json:"availableUpdatesTotal,omitempty"`

	// history are the last 10 moves, the first installation included, newest first.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=10
	History []HistoryEntry `json:"history,omitempty"`

	// compatibility is how far the operator lets the cluster be upgraded; absent while nothing is installed.
	// +optional
	Compatibility *Compatibility `json:"compatibility,omitempty"`

	// warnings are, each once, which catalogs could not be read for some time and are left out or count with what they last had,
	// which compatibilityOverrides do not count, what the API server warned of while the bundle was applied, and what else there
	// is to know that stands in the way of nothing.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=20
	// +kubebuilder:validation:items:MaxLength=1024
	Warnings []string `json:"warnings,omitempty"`

	// relatedObjects are what to look at, and what must-gather collects, when something is wrong with this operator.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=50
	RelatedObjects []ObjectReference `json:"relatedObjects,omitempty"`
}

// ActiveBundleDeployment names a BundleDeployment.
type ActiveBundleDeployment struct {
	// name of the BundleDeployment.
	// +required
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
}

// InstalledBundle is one bundle of a catalog, with what the catalog and the bundle said of it when it was chosen. It is
// recorded so that the cluster's upgrade gate still answers when the catalog is gone.
type InstalledBundle struct {
	// bundle is the bundle's name in its catalog, for example "quay-operator.v3.18.0".
	// +required
	// +kubebuilder:validation:MaxLength=253
	Bundle string `json:"bundle"`
	// version is the bundle's semantic version.
	// +required
	// +kubebuilder:validation:MaxLength=128
	Version string `json:"version"`
	// release is the bundle's release, of a version that was built several times; absent when it has none.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Release string `json:"release,omitempty"`
	// channel is the channel that the bundle was chosen from.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Channel string `json:"channel,omitempty"`
	// catalog is the catalog that the bundle was chosen from, as "CatalogSource/<namespace>/<name>" or
	// "ClusterCatalog/<name>".
	// +optional
	// +kubebuilder:validation:MaxLength=600
	Catalog string `json:"catalog,omitempty"`
	// image is the bundle's image, by digest once it has been resolved.
	// +required
	// +kubebuilder:validation:MaxLength=1000
	Image string `json:"image"`
	// format is what the catalog says of the bundle's content, "plain+v0"; absent for "registry+v1", the format of nearly all.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Format string `json:"format,omitempty"`
	// maxOpenShiftVersion is the last OpenShift minor version ("4.21") that the bundle runs on; absent when nobody says. What
	// the catalog says now of the bundle wins over what its own files say, and what was read last stays while the catalog cannot
	// be read. What cannot be read as one version is shown as it stands, and is in unreadableMaxOpenShiftVersions.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	MaxOpenShiftVersion string `json:"maxOpenShiftVersion,omitempty"`
	// maxOpenShiftVersionFrom says where maxOpenShiftVersion was read: Catalog or Bundle (the bundle's own files).
	// +optional
	// +kubebuilder:validation:Enum=Catalog;Bundle
	MaxOpenShiftVersionFrom string `json:"maxOpenShiftVersionFrom,omitempty"`
	// unreadableMaxOpenShiftVersions are the values of all olm.maxOpenShiftVersion properties as they stand (raw JSON), where
	// they do not come to one minor version: there are two, or one that is none. Upgrades of the cluster are blocked then. Values
	// beyond the fourth are left out, and long ones are cut.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=4
	// +kubebuilder:validation:items:MaxLength=128
	UnreadableMaxOpenShiftVersions []string `json:"unreadableMaxOpenShiftVersions,omitempty"`
	// minKubeVersion is the first Kubernetes version that the bundle says it runs on.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	MinKubeVersion string `json:"minKubeVersion,omitempty"`
}

// ObjectReference names an object, or all objects of a resource when name is empty.
type ObjectReference struct {
	// group of the resource; empty for the core group.
	// +required
	// +kubebuilder:validation:MaxLength=253
	Group string `json:"group"`
	// resource is the lower-case plural.
	// +required
	// +kubebuilder:validation:MaxLength=253
	Resource string `json:"resource"`
	// namespace of the object, for namespaced resources.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace,omitempty"`
	// name of the object.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name,omitempty"`
}

// PlatformOperatorList is a list of PlatformOperators.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
// +kubebuilder:object:root=true
type PlatformOperatorList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []PlatformOperator `json:"items"`
}
