package v1alpha2

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// BundleDeploymentStatus is what became of the bundle.
type BundleDeploymentStatus struct {
	// observedGeneration is the generation of the spec that this status speaks of.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// conditions are Unpacked, HasValidBundle, Installed, Healthy, Progressing and Drifted, and RemovalBlocked once
	// it is being removed.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// resolvedSource is where the content of the newest revision comes from, by digest: of type image, also where spec.source
	// names a Bundle.
	// +optional
	ResolvedSource *BundleSource `json:"resolvedSource,omitempty"`

	// contentDigest is the digest of the content ("sha256:…"), by which it is stored: the image manifest's.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	ContentDigest string `json:"contentDigest,omitempty"`

	// contentURL is accepted and never set: rukpak served unpacked content there.
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	ContentURL string `json:"contentURL,omitempty"`

	// bundle is what the content of resolvedSource says of itself. After a roll-back it is that of the failed revision;
	// activeBundle is of the one that runs.
	// +optional
	Bundle *BundleMetadata `json:"bundle,omitempty"`

	// activeBundle is what the content of the active revision says of itself, while that is not the revision of spec.source:
	// during an upgrade, and after a roll-back. Otherwise it is absent, and bundle tells of the active one.
	// +optional
	ActiveBundle *BundleMetadata `json:"activeBundle,omitempty"`

	// activeRevision is the number of the revision that was completely applied and healthy last; repairs come from it. Zero
	// before there is one.
	// +optional
	ActiveRevision int64 `json:"activeRevision,omitempty"`

	// revisions are the revisions that are kept, oldest first.
	// +optional
	// +listType=map
	// +listMapKey=number
	// +kubebuilder:validation:MaxItems=8
	Revisions []Revision `json:"revisions,omitempty"`

	// plan is what the newest revision amounts to.
	// +optional
	Plan *Plan `json:"plan,omitempty"`

	// drift is what others changed of what was applied, newest first, with what was done about it.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=20
	Drift []DriftRecord `json:"drift,omitempty"`

	// installNamespaceUID is the UID of the namespace that the bundle is installed in. The manager does not install in another namespace
	// of the same name that somebody else created later, unless the user chose the namespace. Empty before the first installation.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	InstallNamespaceUID string `json:"installNamespaceUID,omitempty"`

	// warnings are what the API server warned of while the newest revision was applied, each once.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=20
	// +kubebuilder:validation:items:MaxLength=1024
	Warnings []string `json:"warnings,omitempty"`

	// objects counts the objects of the newest revision; after a roll-back, of the one that was put back.
	// +optional
	Objects *ObjectCounts `json:"objects,omitempty"`

	// unready names the first objects that do not pass their probe, and why.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=10
	// +kubebuilder:validation:items:MaxLength=1024
	Unready []string `json:"unready,omitempty"`
}

// BundleMetadata is what a bundle's own files say of it.
type BundleMetadata struct {
	// name of the bundle: a registry+v1 bundle's ClusterServiceVersion name; "<package>.v<version>" for a plain+v0 bundle that
	// says both, else empty.
	// +required
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// package that the bundle belongs to.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Package string `json:"package,omitempty"`
	// version of the bundle.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Version string `json:"version,omitempty"`
	// maxOpenShiftVersions are the values of all olm.maxOpenShiftVersion properties as they stand (raw JSON). One is the
	// legal number; all are kept, so that whoever judges them can refuse two.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=4
	// +kubebuilder:validation:items:MaxLength=128
	MaxOpenShiftVersions []string `json:"maxOpenShiftVersions,omitempty"`
	// minKubeVersion is the first Kubernetes version that the bundle says it runs on.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	MinKubeVersion string `json:"minKubeVersion,omitempty"`
}

// RevisionState is the state of one revision.
type RevisionState string

const (
	// RevisionRollingOut is being applied.
	RevisionRollingOut RevisionState = "RollingOut"
	// RevisionActive is completely applied and healthy, or was.
	RevisionActive RevisionState = "Active"
	// RevisionArchived was replaced by a later one.
	RevisionArchived RevisionState = "Archived"
	// RevisionFailed missed its deadline and was rolled back, or was given up for another before it was complete.
	RevisionFailed RevisionState = "Failed"
)

// Revision is one rendering of one bundle, stored in the cluster.
type Revision struct {
	// number counts up from 1.
	// +required
	// +kubebuilder:validation:Minimum=1
	Number int64 `json:"number"`
	// digest of the rendered objects, "sha256:…".
	// +required
	// +kubebuilder:validation:MaxLength=128
	Digest string `json:"digest"`
	// version of the bundle.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Version string `json:"version,omitempty"`
	// state is RollingOut, Active, Archived or Failed.
	// +required
	// +kubebuilder:validation:Enum=RollingOut;Active;Archived;Failed
	State RevisionState `json:"state"`
	// startedTime is when it began to roll out; its deadline counts from then.
	// +optional
	StartedTime *metav1.Time `json:"startedTime,omitempty"`
	// failedGeneration is the spec's generation for which the revision failed: it is not tried again for that one.
	// +optional
	FailedGeneration int64 `json:"failedGeneration,omitempty"`
	// failureMessage says why the revision missed its deadline. It is set and cleared together with failedGeneration, and is at most
	// 1,024 bytes long. It is also empty if a manager without this field recorded the failure.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	FailureMessage string `json:"failureMessage,omitempty"`
	// presence is Present from before the first object of the revision is written until the last object that is removed with the
	// revision is gone, and Absent before and after that. While presence is Present, the revision counts for the upgrade gate. Unset in
	// a status that an older manager wrote.
	// +optional
	// +kubebuilder:validation:Enum=Present;Absent
	Presence Presence `json:"presence,omitempty"`
	// bundle is the name of the bundle, as in status.bundle.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Bundle string `json:"bundle,omitempty"`
	// maxOpenShiftVersions are what the bundle declares, as in status.bundle.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=4
	// +kubebuilder:validation:items:MaxLength=128
	MaxOpenShiftVersions []string `json:"maxOpenShiftVersions,omitempty"`
}

// Presence says whether objects of a revision may be on the cluster.
type Presence string

const (
	// Present: some may be there.
	Present Presence = "Present"
	// Absent: nothing was written yet, or all of it is gone that was not kept.
	Absent Presence = "Absent"
)

// Plan is what a revision amounts to.
type Plan struct {
	// digest of everything that the revision applies, "sha256:…": the rendered objects, in the order of their phases.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Digest string `json:"digest,omitempty"`
	// warnings are what the API server warned of while the revision was applied, each once.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=20
	// +kubebuilder:validation:items:MaxLength=1024
	Warnings []string `json:"warnings,omitempty"`
	// permissionsMissing is what the manager may not do and would have to, to apply the revision: the first 20, sorted. Nothing of
	// the revision is applied before they are granted; a ClusterRole with the label
	// platform.openshift.io/aggregate-to-bundles: "true" grants them.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=20
	PermissionsMissing []MissingPermission `json:"permissionsMissing,omitempty"`
}

// MissingPermission is what the manager may not do with the objects of one resource, in the words of a rule of a ClusterRole.
type MissingPermission struct {
	// verbs that are missing.
	// +required
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=64
	Verbs []string `json:"verbs"`
	// group of the resource; empty is the core group.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Group string `json:"group,omitempty"`
	// resource in the plural.
	// +required
	// +kubebuilder:validation:MaxLength=253
	Resource string `json:"resource"`
	// namespace that it is missing in; empty is the whole cluster.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace,omitempty"`
}

// ObjectCounts counts the objects of a revision.
type ObjectCounts struct {
	// total number of objects.
	Total int32 `json:"total"`
	// ready is how many of them pass their probe.
	Ready int32 `json:"ready"`
}
