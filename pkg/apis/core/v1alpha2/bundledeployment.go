package v1alpha2

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// DefaultProgressDeadlineSeconds is the default of spec.progressDeadlineSeconds.
const DefaultProgressDeadlineSeconds = 1800

// BundleDeployment installs the content of one bundle on the cluster and keeps it as it was applied.
//
// +genclient
// +genclient:nonNamespaced
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=bundledeployments,singular=bundledeployment,scope=Cluster,shortName=bd;bds
// +kubebuilder:printcolumn:name="Version",type=string,JSONPath=`.status.revisions[?(@.state=="Active")].version`
// +kubebuilder:printcolumn:name="Install State",type=string,JSONPath=`.status.conditions[?(@.type=="Installed")].reason`
// +kubebuilder:printcolumn:name="Healthy",type=string,JSONPath=`.status.conditions[?(@.type=="Healthy")].status`
// +kubebuilder:printcolumn:name="Progressing",type=string,JSONPath=`.status.conditions[?(@.type=="Progressing")].reason`
// +kubebuilder:printcolumn:name="Drifted",type=string,JSONPath=`.status.conditions[?(@.type=="Drifted")].status`
// +kubebuilder:printcolumn:name="Ready",type=integer,JSONPath=`.status.objects.ready`
// +kubebuilder:printcolumn:name="Objects",type=integer,JSONPath=`.status.objects.total`
// +kubebuilder:printcolumn:name="Provisioner",type=string,JSONPath=`.spec.provisionerClassName`,priority=1
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 63",message="metadata.name must be at most 63 characters: it is written into labels"
type BundleDeployment struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is the standard metadata of the object.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the desired state of the bundle.
	// +required
	Spec BundleDeploymentSpec `json:"spec,omitzero"`

	// status is the observed state of the bundle. Only the manager writes it.
	// +optional
	Status BundleDeploymentStatus `json:"status,omitzero"`
}

// BundleDeploymentSpec is the desired state of one bundle.
type BundleDeploymentSpec struct {
	// installNamespace is the namespace for the namespaced objects of the bundle, a DNS label with 1 to 63 characters. The
	// manager creates the namespace if it does not exist. The field is immutable.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="installNamespace must be a DNS label: lower-case letters, digits and \"-\", with a letter or digit at both ends"
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="installNamespace is immutable: delete the BundleDeployment and create it again to install elsewhere"
	InstallNamespace string `json:"installNamespace,omitempty"`

	// provisionerClassName is the name of the ProvisionerClass that selects the format of the bundle. It has 1 to 63 characters.
	// Class core-rukpak-io-registry reads registry+v1 bundles, and class core-rukpak-io-plain reads plain+v0 bundles. While the
	// class does not exist, the BundleDeployment waits and its Unpacked condition is Unknown.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="provisionerClassName must be a DNS label: lower-case letters, digits and \"-\", with a letter or digit at both ends"
	ProvisionerClassName string `json:"provisionerClassName,omitempty"`

	// source describes where the content of the bundle comes from.
	// +required
	Source BundleSource `json:"source,omitzero"`

	// config is the configuration that the bundle is rendered with, an object with at most 16 entries. For registry+v1
	// bundles, the entries are watchNamespace and deploymentConfig, as in spec.install.config of a PlatformOperator. A
	// plain+v0 bundle has no configuration. An unknown entry makes the HasValidBundle condition False. Defaults to no
	// configuration.
	// +optional
	// +kubebuilder:validation:Type=object
	// +kubebuilder:validation:MinProperties=0
	// +kubebuilder:validation:MaxProperties=16
	// +kubebuilder:pruning:PreserveUnknownFields
	Config *runtime.RawExtension `json:"config,omitempty"`

	// preflight configures the checks of a new revision that run before anything of it is applied.
	// +optional
	Preflight *Preflight `json:"preflight,omitempty"`

	// serviceAccountName is the name of a ServiceAccount in the install namespace. It has 1 to 253 characters. The manager sends all
	// writes of the bundle's objects as this ServiceAccount, so that the bundle needs no more permissions than the ServiceAccount
	// has. The manager watches the objects with its own permissions. If the ServiceAccount is deleted and created again, set the
	// field to another name or create the BundleDeployment again. Defaults to the manager's own ServiceAccount.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",message="serviceAccountName must be the name of a ServiceAccount: lower-case letters, digits, \"-\" and \".\", with a letter or digit at both ends"
	ServiceAccountName string `json:"serviceAccountName,omitempty"`

	// approval selects whether the plan of a new revision needs an approval, and records the approval. Defaults to the mode of the
	// ProvisionerClass, else to no approval.
	// +optional
	Approval *Approval `json:"approval,omitempty"`

	// drift selects how the manager handles changes that others make to applied objects. Absent fields default to those of
	// the ProvisionerClass.
	// +optional
	Drift *Drift `json:"drift,omitempty"`

	// progressDeadlineSeconds is the time in which a revision must become complete and healthy, from 10 to 86400 seconds. A
	// revision that takes longer misses its deadline, and onFailure applies. Defaults to 1800.
	// +optional
	// +kubebuilder:validation:Minimum=10
	// +kubebuilder:validation:Maximum=86400
	ProgressDeadlineSeconds *int32 `json:"progressDeadlineSeconds,omitempty"`

	// onFailure selects what happens to a revision that misses its deadline. Hold leaves it in place, and it can still become
	// healthy. Rollback restores the previous revision. The manager tries the failed revision again when the source, config,
	// adoption or progressDeadlineSeconds changes, or when annotation platform.openshift.io/retry is set to a new value. Defaults
	// to Hold.
	// +optional
	OnFailure OnFailure `json:"onFailure,omitempty"`

	// adoption selects which existing objects the manager may take over. SamePackage takes over objects that were kept when the
	// same package was removed. None takes over no object, and Any takes over every object that no other BundleDeployment owns.
	// If two BundleDeployments declare the same object, it belongs to the older BundleDeployment. If the younger one already owns
	// the object, the older one takes it over, unless the adoption of the older one is None. Defaults to SamePackage.
	// +optional
	Adoption Adoption `json:"adoption,omitempty"`

	// deletion selects what is deleted together with the BundleDeployment. Absent fields default to those of the
	// ProvisionerClass.
	// +optional
	Deletion *Deletion `json:"deletion,omitempty"`

	// paused stops every change to the cluster: nothing is applied, repaired or pruned. The status is still updated, and the
	// BundleDeployment can still be deleted. Defaults to false.
	// +optional
	Paused bool `json:"paused,omitempty"`

	// compatibilityOverrides permit upgrades of the cluster to minor versions that the installed bundle does not permit. The
	// list has 1 to 8 entries. It has an effect only on a BundleDeployment that no PlatformOperator owns. The overrides of a
	// PlatformOperator are in its own spec. Defaults to no overrides.
	// +optional
	// +listType=map
	// +listMapKey=openShiftVersion
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	CompatibilityOverrides []CompatibilityOverride `json:"compatibilityOverrides,omitempty"`
}

// BundleDeploymentList is a list of BundleDeployments.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
// +kubebuilder:object:root=true
type BundleDeploymentList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []BundleDeployment `json:"items"`
}
