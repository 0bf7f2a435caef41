package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// PlatformOperator installs one operator package on the cluster and keeps it healthy and unchanged. It upgrades the operator to
// the newest version that the spec and the cluster permit.
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
	metav1.TypeMeta `json:",inline"`

	// metadata is the standard metadata of the object.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the desired state of the operator.
	// +required
	Spec PlatformOperatorSpec `json:"spec,omitzero"`

	// status is the observed state of the operator. Only the manager writes it.
	// +optional
	Status PlatformOperatorStatus `json:"status,omitzero"`
}

// PlatformOperatorSpec is the desired state of one operator.
type PlatformOperatorSpec struct {
	// package names the package and limits the versions that may be installed.
	// +required
	Package Package `json:"package,omitzero"`

	// upgrades selects when and along which edges the operator is upgraded.
	// +optional
	Upgrades *Upgrades `json:"upgrades,omitempty"`

	// install selects where and how the operator is installed.
	// +optional
	Install *Install `json:"install,omitempty"`

	// deletion selects what is deleted together with the PlatformOperator. It can be changed during the deletion. Absent fields
	// default to those of the ProvisionerClass that reads the format of the bundle.
	// +optional
	Deletion *corev1alpha2.Deletion `json:"deletion,omitempty"`

	// paused stops all changes to this operator: installation, upgrade, repair of drift and pruning. The status is still updated.
	// If the PlatformOperator is deleted, the operator is removed even while it is paused. Defaults to false.
	// +optional
	Paused bool `json:"paused,omitempty"`

	// compatibilityOverrides permit upgrades of the cluster to minor versions that the installed operator does not permit. The
	// list has 1 to 8 entries. The override in effect is in status.compatibility.acknowledged. Defaults to no overrides.
	// +optional
	// +listType=map
	// +listMapKey=openShiftVersion
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	CompatibilityOverrides []corev1alpha2.CompatibilityOverride `json:"compatibilityOverrides,omitempty"`
}

// Package selects one package of the operator catalogs.
type Package struct {
	// name is the name of the package in its catalog, a DNS label with 1 to 56 characters. It is immutable: create another
	// PlatformOperator for another package.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=56
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="package.name must be a DNS label: lower-case letters, digits and \"-\", with a letter or digit at both ends"
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="package.name is immutable: create another PlatformOperator for another package"
	Name string `json:"name,omitempty"`

	// version is the range of semantic versions that may be installed. It has 1 to 256 characters. Examples are ">=1.2.0
	// <2.0.0", "1.2.x" and "1.2.3". Defaults to every version of the channels.
	//
	// A prerelease is a candidate only if the range names one, if the channels contain only prereleases, or if an edge leads to it.
	// The edge must start at the installed version or, before the first installation, at the version that would be chosen without
	// prereleases.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	Version string `json:"version,omitempty"`

	// channels are the channels of the package that versions are chosen from. The list has 1 to 16 entries of 1 to 253
	// characters. Defaults to the default channel of the package. An empty list, which earlier versions of this API accepted,
	// selects no channel.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=253
	Channels []string `json:"channels,omitzero"` // omitzero writes an empty list, which is not the default

	// catalogSelector selects catalogs by their labels. Each of its fields has at most 16 entries. The labels
	// platform.openshift.io/catalog-kind, platform.openshift.io/catalog-namespace and platform.openshift.io/catalog-name are
	// always available. Defaults to every trusted catalog.
	// +optional
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || size(self.matchExpressions) <= 16",message="catalogSelector.matchExpressions has at most 16 entries"
	// +kubebuilder:validation:XValidation:rule="!has(self.matchLabels) || size(self.matchLabels) <= 16",message="catalogSelector.matchLabels has at most 16 entries"
	CatalogSelector *metav1.LabelSelector `json:"catalogSelector,omitempty"`
}

// Install selects where and how the operator is installed.
//
// +kubebuilder:validation:MinProperties=0
// +kubebuilder:validation:XValidation:rule="!has(self.serviceAccountName) || has(self.namespace)",message="install.serviceAccountName needs install.namespace: the ServiceAccount is in that namespace",fieldPath=".namespace"
type Install struct {
	// namespace is the namespace of the operator, a DNS label with 1 to 63 characters. The manager creates the namespace if it
	// does not exist. The manager refuses the namespace "default", namespaces whose names begin with "kube-", and its own
	// namespace. The field is immutable once the operator is installed.
	//
	// Defaults to annotation operatorframework.io/suggested-namespace of the bundle, else to "<package>-system". If the default
	// namespace already exists, the manager refuses it until this field names it.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="install.namespace must be a DNS label: lower-case letters, digits and \"-\", with a letter or digit at both ends"
	Namespace string `json:"namespace,omitempty"`

	// serviceAccountName is the name of a ServiceAccount in install.namespace. It has 1 to 253 characters. The manager sends all
	// writes of the operator's objects as this ServiceAccount, so that the operator needs no more permissions than the
	// ServiceAccount has. Defaults to the manager's own ServiceAccount.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",message="install.serviceAccountName must be the name of a ServiceAccount: lower-case letters, digits, \"-\" and \".\", with a letter or digit at both ends"
	ServiceAccountName string `json:"serviceAccountName,omitempty"`

	// config is the configuration that the bundle is rendered with.
	// +optional
	Config *InstallConfig `json:"config,omitempty"`

	// drift selects how the manager handles changes that others make to installed objects. Absent fields default to those of the
	// ProvisionerClass that reads the format of the bundle.
	// +optional
	Drift *corev1alpha2.Drift `json:"drift,omitempty"`

	// progressDeadlineSeconds is the time in which a version must become complete and healthy, from 10 to 86400 seconds. A
	// version that takes longer misses its deadline, and onFailure applies. Defaults to 1800.
	// +optional
	// +kubebuilder:validation:Minimum=10
	// +kubebuilder:validation:Maximum=86400
	ProgressDeadlineSeconds *int32 `json:"progressDeadlineSeconds,omitempty"`

	// onFailure selects what happens to a version that misses its deadline. Hold leaves it in place, and Rollback restores the
	// previous version. Defaults to Hold.
	// +optional
	// +kubebuilder:validation:Enum=Hold;Rollback
	OnFailure corev1alpha2.OnFailure `json:"onFailure,omitempty"`

	// approval selects whether the plan of each version needs an approval. The approval itself is in spec.approval of the
	// BundleDeployment. Defaults to the mode of the ProvisionerClass, else to no approval.
	// +optional
	Approval *InstallApproval `json:"approval,omitempty"`

	// adoption selects which existing objects the manager may take over. SamePackage takes over objects that were kept when the
	// same package was removed. None takes over no object, and Any takes over every object that no other BundleDeployment owns.
	// If two operators declare the same object, it belongs to the older operator. If the younger one already owns the object, the
	// older one takes it over, unless the adoption of the older one is None. Defaults to SamePackage.
	// +optional
	// +kubebuilder:validation:Enum=SamePackage;None;Any
	Adoption corev1alpha2.Adoption `json:"adoption,omitempty"`

	// crdUpgradeSafety configures the check of changed CustomResourceDefinitions in new versions. Defaults to the check with all
	// rules.
	// +optional
	CRDUpgradeSafety *corev1alpha2.CRDUpgradeSafety `json:"crdUpgradeSafety,omitempty"`
}

// InstallApproval selects whether the plan of each version needs an approval.
//
// +kubebuilder:validation:MinProperties=0
type InstallApproval struct {
	// mode selects whether the manager waits for an approval before it applies a version. Required means that it waits. None means
	// that it does not wait, unless the ProvisionerClass requires an approval. Defaults to None.
	// +optional
	// +kubebuilder:validation:Enum=None;Required
	Mode corev1alpha2.ApprovalMode `json:"mode,omitempty"`
}

// InstallConfig is the configuration that a bundle is rendered with.
//
// +kubebuilder:validation:MinProperties=0
type InstallConfig struct {
	// watchNamespace is the namespace that the operator watches. Separate multiple namespaces with commas. The field has 1 to
	// 4096 characters. Defaults to all namespaces if the bundle supports that, else to the install namespace.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=4096
	WatchNamespace string `json:"watchNamespace,omitempty"`

	// deploymentConfig changes the Deployments of the operator.
	// +optional
	DeploymentConfig *DeploymentConfig `json:"deploymentConfig,omitempty"`
}

// DeploymentConfig changes the Deployments of an operator. Its fields have the same meaning as in spec.config of a Subscription of
// OLM.
//
// +kubebuilder:validation:MinProperties=0
type DeploymentConfig struct {
	// nodeSelector replaces the node selector of the pods. The map has at most 64 entries. Defaults to the node selector in the
	// bundle.
	// +optional
	// +kubebuilder:validation:MinProperties=0
	// +kubebuilder:validation:MaxProperties=64
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`

	// tolerations are added to the tolerations of the pods. The list has at most 64 entries. Defaults to no additional
	// tolerations.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=0
	// +kubebuilder:validation:MaxItems=64
	Tolerations []corev1.Toleration `json:"tolerations,omitempty"`

	// resources replaces the resource requirements of every container. Defaults to those in the bundle.
	// +optional
	Resources *corev1.ResourceRequirements `json:"resources,omitempty"`

	// env is merged by name into the environment variables of every container. The list has at most 256 entries. Defaults to no
	// changes.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=0
	// +kubebuilder:validation:MaxItems=256
	Env []corev1.EnvVar `json:"env,omitempty"`

	// envFrom is added to the sources of environment variables of every container. The list has at most 64 entries. Defaults to
	// no additional sources.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=0
	// +kubebuilder:validation:MaxItems=64
	EnvFrom []corev1.EnvFromSource `json:"envFrom,omitempty"`

	// volumes are merged by name into the volumes of the pods. The list has at most 64 entries. Defaults to no changes.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=0
	// +kubebuilder:validation:MaxItems=64
	Volumes []corev1.Volume `json:"volumes,omitempty"`

	// volumeMounts are merged by name into the volume mounts of every container. The list has at most 64 entries. Defaults to no
	// changes.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=0
	// +kubebuilder:validation:MaxItems=64
	VolumeMounts []corev1.VolumeMount `json:"volumeMounts,omitempty"`

	// affinity replaces the node affinity, pod affinity and pod anti-affinity of the pods. Each of the three is replaced only if
	// it is set here. Defaults to those in the bundle.
	// +optional
	Affinity *corev1.Affinity `json:"affinity,omitempty"`

	// annotations are added to the Deployments and their pods. Annotations in the bundle take precedence. The map has at most
	// 256 entries. Defaults to no additional annotations.
	// +optional
	// +kubebuilder:validation:MinProperties=0
	// +kubebuilder:validation:MaxProperties=256
	Annotations map[string]string `json:"annotations,omitempty"`
}

// PlatformOperatorStatus is the observed state of the operator.
//
// +kubebuilder:validation:MinProperties=1
type PlatformOperatorStatus struct {
	// conditions describe the state of the operator. Their types are Installed, Progressing, Healthy, Drifted, Upgradeable and
	// Deprecated. The list has 1 to 16 entries. It is absent until the manager has reconciled the object.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// observedGeneration is the generation of the spec that this status describes, from 1 to 9007199254740991. It is absent until
	// the manager has reconciled the object.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=9007199254740991
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// activeBundleDeployment names the BundleDeployment of the operator. It is absent while there is none.
	// +optional
	ActiveBundleDeployment *ActiveBundleDeployment `json:"activeBundleDeployment,omitempty"`

	// installed is the installed bundle. It is set when the first version is applied, and changes when an upgrade step has
	// succeeded. If the BundleDeployment is deleted, the manager installs this bundle again. The field is absent while nothing is
	// installed.
	// +optional
	Installed *InstalledBundle `json:"installed,omitempty"`

	// target is the version that the operator is being upgraded to. It is absent while there is no upgrade.
	// +optional
	Target *Target `json:"target,omitempty"`

	// availableUpdates are the versions above the installed one, newest first. If an update is blocked, its entry has the
	// reason. The list has 1 to 20 entries. It is absent if there are none.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=20
	AvailableUpdates []AvailableUpdate `json:"availableUpdates,omitempty"`

	// availableUpdatesTotal is the number of all available updates, from 1 to 1000000. It includes updates that
	// availableUpdates does not list. It is absent if there are none.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	AvailableUpdatesTotal int32 `json:"availableUpdatesTotal,omitempty"`

	// history lists the last upgrade steps and the first installation, newest first. The list has 1 to 10 entries. It is absent
	// before the first installation.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=10
	History []HistoryEntry `json:"history,omitempty"`

	// compatibility describes which minor versions the operator permits the cluster to be upgraded to. It is absent while nothing
	// is installed.
	// +optional
	Compatibility *Compatibility `json:"compatibility,omitempty"`

	// warnings list problems that do not block the operator, without duplicates. Examples are unreadable catalogs, overrides
	// without effect, and warnings of the API server. The list has 1 to 20 entries of 1 to 1024 characters. It is absent if
	// there are none.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=20
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=1024
	Warnings []string `json:"warnings,omitempty"`

	// relatedObjects are the objects to inspect if the operator has a problem. must-gather collects them. The list has 1 to 50
	// entries. It is absent while there is no BundleDeployment.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=50
	RelatedObjects []ObjectReference `json:"relatedObjects,omitempty"`
}

// ActiveBundleDeployment names a BundleDeployment.
type ActiveBundleDeployment struct {
	// name is the name of the BundleDeployment. It has 1 to 253 characters.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name,omitempty"`
}

// InstalledBundle is one bundle, with the declarations of its catalog and its files. They are recorded because upgrades of the cluster
// depend on them even while the catalog is unavailable.
type InstalledBundle struct {
	// bundle is the name of the bundle in its catalog, for example "quay-operator.v3.18.0". It has 1 to 253 characters.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Bundle string `json:"bundle,omitempty"`

	// version is the semantic version of the bundle. It has at most 128 characters.
	// +required
	// +kubebuilder:validation:MinLength=0
	// +kubebuilder:validation:MaxLength=128
	Version string `json:"version"`

	// release distinguishes several builds of one version. It has 1 to 128 characters, and is absent if the bundle has none.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	Release string `json:"release,omitempty"`

	// channel is the channel that the bundle was chosen from. It has 1 to 253 characters, and is absent if it is unknown.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Channel string `json:"channel,omitempty"`

	// catalog is the catalog that the bundle was chosen from. It has 1 to 600 characters. Its format is
	// "CatalogSource/<namespace>/<name>" or "ClusterCatalog/<name>". It is absent if it is unknown.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=600
	Catalog string `json:"catalog,omitempty"`

	// image is the image of the bundle. It has at most 1000 characters. It is a reference by digest once the digest is known.
	// +required
	// +kubebuilder:validation:MinLength=0
	// +kubebuilder:validation:MaxLength=1000
	Image string `json:"image"`

	// format is the format of the bundle according to the catalog. It has 1 to 64 characters. The only value is plain+v0. The
	// field is absent for the format registry+v1.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	Format string `json:"format,omitempty"`

	// maxOpenShiftVersion is the last OpenShift minor version that the bundle supports, for example "4.21". It has 1 to 128
	// characters. The declaration in the catalog takes precedence over the files of the bundle. While the catalog is
	// unavailable, the field keeps its last value. An unreadable value is shown as it is, and is also in
	// unreadableMaxOpenShiftVersions. The field is absent if nothing is declared.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	MaxOpenShiftVersion string `json:"maxOpenShiftVersion,omitempty"`

	// maxOpenShiftVersionFrom is the origin of maxOpenShiftVersion. Valid values are Catalog and Bundle. Catalog means the entry
	// of the bundle in the catalog, and Bundle means the files of the bundle. The field is absent if nothing is declared.
	// +optional
	// +kubebuilder:validation:Enum=Catalog;Bundle
	MaxOpenShiftVersionFrom string `json:"maxOpenShiftVersionFrom,omitempty"`

	// unreadableMaxOpenShiftVersions are the values of all olm.maxOpenShiftVersion properties as raw JSON, if they do not declare
	// exactly one minor version. They block upgrades of the cluster. The list has 1 to 4 entries of at most 128 characters.
	// Further values are omitted, and longer values are cut. The list is absent if the declaration is readable.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=4
	// +kubebuilder:validation:items:MinLength=0
	// +kubebuilder:validation:items:MaxLength=128
	UnreadableMaxOpenShiftVersions []string `json:"unreadableMaxOpenShiftVersions,omitempty"`

	// minKubeVersion is the lowest Kubernetes version that the bundle supports. It has 1 to 128 characters, and is absent if the
	// bundle declares none.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	MinKubeVersion string `json:"minKubeVersion,omitempty"`
}

// ObjectReference names one object, or all objects of a resource if name is absent.
type ObjectReference struct {
	// group is the API group of the resource. It has at most 253 characters. It is empty for the core group.
	// +required
	// +kubebuilder:validation:MinLength=0
	// +kubebuilder:validation:MaxLength=253
	Group string `json:"group"`

	// resource is the lower-case plural name of the resource. It has 1 to 253 characters.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Resource string `json:"resource,omitempty"`

	// namespace is the namespace of the object. It has 1 to 63 characters, and is absent for cluster-scoped resources.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace,omitempty"`

	// name is the name of the object. It has 1 to 253 characters. If it is absent, the reference is to all objects of the
	// resource.
	// +optional
	// +kubebuilder:validation:MinLength=1
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
