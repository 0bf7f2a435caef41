package v1alpha2

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// DefaultProgressDeadlineSeconds is spec.progressDeadlineSeconds where that is absent.
const DefaultProgressDeadlineSeconds = 1800

// BundleDeployment is the content of one bundle, applied to the cluster and kept as it was applied.
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
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what is wanted.
	// +required
	Spec BundleDeploymentSpec `json:"spec"`

	// status is what was found and done; only the manager writes it.
	// +optional
	Status BundleDeploymentStatus `json:"status,omitempty"`
}

// BundleDeploymentSpec is what is wanted of one bundle.
type BundleDeploymentSpec struct {
	// installNamespace is where the bundle's namespaced objects go; it is created if it is missing.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="installNamespace is immutable: delete the BundleDeployment and create it again to install elsewhere"
	InstallNamespace string `json:"installNamespace"`

	// provisionerClassName names the ProvisionerClass that says who reads the bundle; the shipped ones are
	// "core-rukpak-io-registry", for registry+v1 bundles, and "core-rukpak-io-plain", for plain+v0 bundles. A name that no class has leaves the BundleDeployment waiting for
	// the class, and the Unpacked condition says so.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	ProvisionerClassName string `json:"provisionerClassName"`

	// source is where the bundle's content comes from.
	// +required
	Source BundleSource `json:"source"`

	// config is given to whoever renders the bundle. For registry+v1 bundles it is an object with watchNamespace (a
	// namespace, or several with commas between them) and deploymentConfig (nodeSelector, tolerations, resources, env,
	// envFrom, volumes, volumeMounts, affinity, annotations). What it does not know is an error of HasValidBundle, and so is
	// any configuration of a plain+v0 bundle.
	// +optional
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	Config *runtime.RawExtension `json:"config,omitempty"`

	// preflight is accepted for manifests that were written for rukpak.
	// +optional
	Preflight *Preflight `json:"preflight,omitempty"`

	// drift says what becomes of changes that others make to what was applied. Absent fields take the class's value.
	// +optional
	Drift *Drift `json:"drift,omitempty"`

	// progressDeadlineSeconds is how long a revision may take to become complete and healthy before it counts as failed;
	// absent means 1800.
	// +optional
	// +kubebuilder:validation:Minimum=10
	// +kubebuilder:validation:Maximum=86400
	ProgressDeadlineSeconds *int32 `json:"progressDeadlineSeconds,omitempty"`

	// onFailure says what becomes of a revision that missed its deadline: Hold leaves it in place, and it may still become
	// healthy; Rollback puts the revision before it back, and the failed one is not tried again until the spec changes.
	// Absent means Hold.
	// +optional
	OnFailure OnFailure `json:"onFailure,omitempty"`

	// adoption says which objects that exist already may be taken over: SamePackage those that were kept when the same
	// package was removed, None nothing, Any whatever is there. What two BundleDeployments declare belongs to the older one,
	// which takes it from the younger one unless this is None. Absent means SamePackage.
	// +optional
	Adoption Adoption `json:"adoption,omitempty"`

	// deletion says what goes with the BundleDeployment. Absent fields take the class's value.
	// +optional
	Deletion *Deletion `json:"deletion,omitempty"`

	// paused stops every change: nothing is applied, repaired or pruned. Status is still kept, and deletion still works.
	// +optional
	Paused bool `json:"paused,omitempty"`

	// compatibilityOverrides are minor versions that the cluster may go to at an admin's acknowledged risk, although what is
	// installed does not permit it. They count on a BundleDeployment that no PlatformOperator owns. A BundleDeployment that a
	// PlatformOperator owns uses the overrides of the PlatformOperator.
	// +optional
	// +listType=map
	// +listMapKey=openShiftVersion
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
