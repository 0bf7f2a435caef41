package v1alpha2

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// BundleDeploymentStatus is the observed state of a BundleDeployment.
//
// +kubebuilder:validation:MinProperties=1
type BundleDeploymentStatus struct {
	// conditions describe the state of the BundleDeployment. Their types are Unpacked, HasValidBundle, Installed, Healthy, Progressing
	// and Drifted; Approved, while an approval is required; and RemovalBlocked, during a removal. The list has 1 to 16 entries. It
	// is absent until the manager has reconciled the object.
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

	// observedAttempt identifies the attempt that this status describes. It has 1 to 64 characters. It is a digest of
	// spec.adoption, spec.progressDeadlineSeconds and annotation platform.openshift.io/retry. The annotation is the reason for
	// this field: a change of it does not change the generation. The field is absent until a manager that supports it has
	// reconciled the object.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	ObservedAttempt string `json:"observedAttempt,omitempty"`

	// resolvedSource is the source of the content of the newest revision, by digest. Its type is image even if the source in
	// the spec names a Bundle. It is absent until the source is resolved.
	// +optional
	ResolvedSource *BundleSource `json:"resolvedSource,omitempty"`

	// mirror is the image reference, by digest, at the mirror that served the content. It has 1 to 1100 characters. The field is
	// absent until the content is read. It stays absent if the repository in resolvedSource served the content.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1100
	Mirror string `json:"mirror,omitempty"`

	// contentDigest is the digest of the image manifest ("sha256:…"). It has 1 to 128 characters. The manager stores the content
	// under this digest. The field is absent until the content is read.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	ContentDigest string `json:"contentDigest,omitempty"`

	// contentURL has 1 to 2048 characters. It exists for compatibility with rukpak, which served unpacked content there. It is
	// absent, because the manager never sets it.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=2048
	ContentURL string `json:"contentURL,omitempty"`

	// bundle is the metadata of the bundle from resolvedSource. After a rollback, it describes the failed revision, and
	// activeBundle describes the active revision.
	// +optional
	Bundle *BundleMetadata `json:"bundle,omitempty"`

	// activeBundle is the metadata of the active bundle while it differs from the bundle that the spec names. It is present
	// during an upgrade and after a rollback. If it is absent, bundle describes the active bundle.
	// +optional
	ActiveBundle *BundleMetadata `json:"activeBundle,omitempty"`

	// activeRevision is the number of the last revision that was complete and healthy, from 1 to 9007199254740991. The manager
	// reverts drift to this revision. The field is absent before the first such revision.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=9007199254740991
	ActiveRevision int64 `json:"activeRevision,omitempty"`

	// revisions are the stored revisions, oldest first. The list has 1 to 8 entries. It is absent before the first revision.
	// +optional
	// +listType=map
	// +listMapKey=number
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	Revisions []Revision `json:"revisions,omitempty"`

	// plan describes what the newest revision applies and which permissions it requires.
	// +optional
	Plan *Plan `json:"plan,omitempty"`

	// drift lists changes that others made to applied objects, newest first. The list has 1 to 20 entries. It is absent if
	// there are none.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=20
	Drift []DriftRecord `json:"drift,omitempty"`

	// installNamespaceUID is the UID of the namespace that the bundle is installed in. It has 1 to 128 characters. The manager
	// compares it with the UID of the current namespace of that name, which somebody else may have created later. The manager
	// installs into such a namespace only if a user chose the namespace. The field is absent before the first installation.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	InstallNamespaceUID string `json:"installNamespaceUID,omitempty"`

	// warnings are the warnings about the newest revision, without duplicates. The API server warns about objects, and the manager
	// about manifests and namespaces. The list has 1 to 20 entries of 1 to 1024 characters. It is absent if there are none.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=20
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=1024
	Warnings []string `json:"warnings,omitempty"`

	// objects counts the objects of the newest revision. After a rollback, it counts those of the restored revision.
	// +optional
	Objects *ObjectCounts `json:"objects,omitempty"`

	// unready lists the first objects that are not healthy, with the reason. The list has 1 to 10 entries of 1 to 1024
	// characters. It is absent if there are none.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=10
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=1024
	Unready []string `json:"unready,omitempty"`
}

// BundleMetadata is the metadata in the files of a bundle.
//
// +kubebuilder:validation:MinProperties=0
type BundleMetadata struct {
	// name is the name of the bundle. It has at most 253 characters. For a registry+v1 bundle, it is the name of the
	// ClusterServiceVersion. For a plain+v0 bundle that names its package and version, it is "<package>.v<version>". For other
	// plain+v0 bundles, it is empty. An absent name means the same as an empty one.
	// +optional
	// +kubebuilder:validation:MinLength=0
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// package is the package that the bundle belongs to. It has 1 to 253 characters, and is absent if the bundle names none.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Package string `json:"package,omitempty"`

	// version is the version of the bundle. It has 1 to 128 characters, and is absent if the bundle names none.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	Version string `json:"version,omitempty"`

	// maxOpenShiftVersions are the values of all olm.maxOpenShiftVersion properties of the bundle, as raw JSON. The list has 1 to
	// 4 entries of at most 128 characters. A bundle may declare only one value. If it declares more, they block upgrades of the
	// cluster, so all of them are listed. The list is absent if the bundle declares none.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=4
	// +kubebuilder:validation:items:MinLength=0
	// +kubebuilder:validation:items:MaxLength=128
	MaxOpenShiftVersions []string `json:"maxOpenShiftVersions,omitempty"`

	// minKubeVersion is the lowest Kubernetes version that the bundle supports. It has 1 to 128 characters, and is absent if the
	// bundle declares none.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	MinKubeVersion string `json:"minKubeVersion,omitempty"`
}

// RevisionState is the state of one revision.
type RevisionState string

const (
	// RevisionRollingOut means that the revision is being applied.
	RevisionRollingOut RevisionState = "RollingOut"
	// RevisionActive means that the revision is, or was, completely applied and healthy.
	RevisionActive RevisionState = "Active"
	// RevisionArchived means that a later revision replaced the revision.
	RevisionArchived RevisionState = "Archived"
	// RevisionFailed means that the revision missed its deadline and was rolled back, or was replaced before it was complete.
	RevisionFailed RevisionState = "Failed"
)

// Revision is one rendering of one bundle, stored in the cluster.
type Revision struct {
	// number is the number of the revision, from 1 to 9007199254740991. Each revision has a higher number than the previous
	// one.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=9007199254740991
	Number int64 `json:"number,omitempty"`

	// digest is the digest of the rendered objects ("sha256:…"). It has 1 to 128 characters.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	Digest string `json:"digest,omitempty"`

	// version is the version of the bundle. It has 1 to 128 characters, and is absent if the bundle names none.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	Version string `json:"version,omitempty"`

	// state is the state of the revision. RollingOut means that the revision is being applied. Active means that it is, or was,
	// completely applied and healthy. Archived means that a later revision replaced it. Failed means that it missed its
	// deadline and was rolled back, or was replaced before it was complete.
	// +required
	// +kubebuilder:validation:Enum=RollingOut;Active;Archived;Failed
	State RevisionState `json:"state,omitempty"`

	// startedTime is the time when the rollout of the revision began. The progress deadline counts from this time.
	// It is absent if the rollout has not begun.
	// +optional
	StartedTime *metav1.Time `json:"startedTime,omitempty"`

	// failedGeneration is the latest generation of the spec for which the revision counts as failed, from 1 to
	// 9007199254740991. The revision is not tried again for this generation. The field is absent if the revision was not rolled
	// back.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=9007199254740991
	FailedGeneration int64 `json:"failedGeneration,omitempty"`

	// failedAttempt identifies the attempt in which the revision missed its deadline. It has 1 to 64 characters. It is a digest
	// of spec.adoption, spec.progressDeadlineSeconds and annotation platform.openshift.io/retry. The revision is tried again
	// when one of them changes. The field is absent if the revision has not missed its deadline.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	FailedAttempt string `json:"failedAttempt,omitempty"`

	// failedFor is the only cause of the failure, if a change in the cluster can remove it. KindsMissing means that the cluster
	// does not serve kinds of the revision. PermissionsMissing means that the manager lacks permissions. The revision is tried
	// again when the kinds or the permissions are available. The field is absent if the revision failed for another reason or has
	// not failed.
	// +optional
	// +kubebuilder:validation:Enum=KindsMissing;PermissionsMissing
	FailedFor FailedFor `json:"failedFor,omitempty"`

	// kindsMissing are the first kinds that the cluster did not serve when the revision failed, in the order of the phases. The
	// list has 1 to 20 entries. The manager tries the revision again when the cluster serves all of these kinds. The list is
	// absent if failedFor is not KindsMissing.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=20
	KindsMissing []MissingKind `json:"kindsMissing,omitempty"`

	// failureMessage is the reason why the revision missed its deadline. It has 1 to 1024 characters. It is set and cleared
	// together with failedAttempt. It is also absent if a manager without this field recorded the failure.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	FailureMessage string `json:"failureMessage,omitempty"`

	// serviceAccountName is the name of the ServiceAccount that applies the objects of the revision. It has 1 to 253 characters,
	// and is absent if the manager applies them.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	ServiceAccountName string `json:"serviceAccountName,omitempty"`

	// serviceAccountUID is the UID of that ServiceAccount when the revision started. It has 1 to 128 characters. Nothing is applied
	// as a ServiceAccount that was created later under the same name. The field is absent while the revision has not started, and
	// if the manager applies the objects.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	ServiceAccountUID string `json:"serviceAccountUID,omitempty"`

	// approvedBy is the user name of the person who approved the plan of the revision. It has 1 to 512 characters. It is set when
	// the revision starts, and absent if the revision was started without an approval.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	ApprovedBy string `json:"approvedBy,omitempty"`

	// approvedPlan is the digest of the plan that was approved. It has 1 to 128 characters. It is set and absent together with
	// approvedBy.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	ApprovedPlan string `json:"approvedPlan,omitempty"`

	// approvalState says whether the approval can be withdrawn. Revocable means that the rollout stops if spec.approval.planDigest is
	// cleared. Final means that all objects of the revision were applied once. The field is set and absent together with approvedBy.
	// +optional
	ApprovalState ApprovalState `json:"approvalState,omitempty"`

	// presence says whether objects of the revision may be on the cluster. Present is set before the first object is written.
	// Absent is set when all objects that are removed with the revision are gone. While the value is Present, the revision counts
	// for upgrades of the cluster. The field is absent in a status that a manager without this field wrote.
	// +optional
	// +kubebuilder:validation:Enum=Present;Absent
	Presence Presence `json:"presence,omitempty"`

	// bundle is the name of the bundle, as in status.bundle. It has 1 to 253 characters, and is absent if the bundle has no
	// name.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Bundle string `json:"bundle,omitempty"`

	// maxOpenShiftVersions are the values that the bundle declares, as in status.bundle. The list has 1 to 4 entries of at most
	// 128 characters. It is absent if the bundle declares none.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=4
	// +kubebuilder:validation:items:MinLength=0
	// +kubebuilder:validation:items:MaxLength=128
	MaxOpenShiftVersions []string `json:"maxOpenShiftVersions,omitempty"`
}

// ApprovalState says whether the approval of a revision can be withdrawn.
//
// +kubebuilder:validation:Enum=Revocable;Final
type ApprovalState string

const (
	// ApprovalRevocable means that not all objects of the revision were applied.
	ApprovalRevocable ApprovalState = "Revocable"
	// ApprovalFinal means that all objects of the revision were applied once.
	ApprovalFinal ApprovalState = "Final"
)

// Presence says whether objects of a revision may be on the cluster.
type Presence string

const (
	// Present means that objects of the revision may be on the cluster.
	Present Presence = "Present"
	// Absent means that no object is on the cluster, except objects that were kept.
	Absent Presence = "Absent"
)

// FailedFor is what a failed revision lacked.
//
// +kubebuilder:validation:MinLength=1
type FailedFor string

const (
	// FailedForKinds means that the cluster did not serve all kinds of the revision's objects.
	FailedForKinds FailedFor = "KindsMissing"
	// FailedForPermissions means that the manager lacked permissions to apply the revision.
	FailedForPermissions FailedFor = "PermissionsMissing"
)

// Plan describes what a revision changes and which permissions it requires.
//
// +kubebuilder:validation:MinProperties=0
type Plan struct {
	// revision is the number of the revision that the plan is about, from 1 to 9007199254740991. It is absent if a manager without
	// this field wrote the plan.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=9007199254740991
	Revision int64 `json:"revision,omitempty"`

	// digest identifies the plan ("sha256:…"). It has 1 to 128 characters. It covers the rendered objects, those that are deleted,
	// and the identity that applies them. It also covers the name of the BundleDeployment, the install namespace, the configuration,
	// spec.adoption, spec.deletion and spec.preflight. It does not depend on the state of the cluster. spec.approval.planDigest approves the plan with this digest.
	// The field is absent if the manager has not planned the revision.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	Digest string `json:"digest,omitempty"`

	// configMaps are the names of the ConfigMaps in the manager's namespace that hold the whole plan as text, in this order. The
	// list has 1 to 16 entries of 1 to 253 characters. It is absent if the plan needs no approval and the ServiceAccount has all
	// permissions.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=253
	ConfigMaps []string `json:"configMaps,omitempty"`

	// create are the objects that no active revision has. It is absent if there are none.
	// +optional
	Create PlannedObjects `json:"create,omitzero"`

	// update are the objects whose declaration differs from that in the active revision. It is absent if there are none.
	// +optional
	Update PlannedObjects `json:"update,omitzero"`

	// delete are the objects that only the active revision has. They are deleted when the new revision is active. It is absent if
	// there are none.
	// +optional
	Delete PlannedObjects `json:"delete,omitzero"`

	// warnings are the warnings about the revision, without duplicates. The API server warns about objects, and the manager about
	// manifests and namespaces. Before the revision is applied, they include the warnings of a dry run, and the objects that the API
	// server refuses in it. The list has 1 to 20 entries of 1 to 1024 characters. It is absent if there are none.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=20
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=1024
	Warnings []string `json:"warnings,omitempty"`

	// permissionsMissing are the first permissions that the manager or the ServiceAccount lacks to apply the revision, in order. The
	// list has 1 to 20 entries. Nothing of the revision is applied until they are granted. To grant the manager a permission, create
	// a ClusterRole with the label platform.openshift.io/aggregate-to-bundles: "true". To permit the manager to impersonate a
	// ServiceAccount, create a RoleBinding in its namespace instead. To grant a ServiceAccount its permissions, apply what the last of
	// configMaps has under permissions.yaml. The list is absent if no permission is missing.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=20
	PermissionsMissing []MissingPermission `json:"permissionsMissing,omitempty"`

	// unlimitedGrants are clauses about the first bindings of the revision that grant all verbs on all resources, sorted by role. The
	// list has 1 to 20 entries of 1 to 1024 characters. It is absent if there are none.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=20
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=1024
	UnlimitedGrants []string `json:"unlimitedGrants,omitempty"`

	// kindsMissing are the first kinds of the revision's objects that the cluster does not serve and the revision does not
	// define. They are in the order of the phases. The list has 1 to 20 entries. Objects of earlier phases are applied
	// meanwhile. The list is absent if no kind is missing.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=20
	KindsMissing []MissingKind `json:"kindsMissing,omitempty"`

	// crdFindings are the first unsafe changes of CustomResourceDefinitions in the revision. Blocking findings come first. Nothing of
	// the revision is applied while a finding blocks it. The list has 1 to 20 entries. It is absent if all changes are safe, or if
	// spec.preflight.crdUpgradeSafety turns the check off.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=20
	CRDFindings []CRDFinding `json:"crdFindings,omitempty"`
}

// PlannedObjects are the objects of a plan for which the manager does the same.
type PlannedObjects struct {
	// total is the number of the objects, from 1 to 1000000.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	Total int32 `json:"total,omitempty"`

	// objects are the first of the objects, in the order of the phases. The list has 1 to 20 entries.
	// +required
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=20
	Objects []PlannedObject `json:"objects,omitempty"`
}

// PlannedObject is an object of a plan.
type PlannedObject struct {
	// object names the object.
	// +required
	Object AppliedObject `json:"object,omitzero"`

	// paths are JSON pointers to the first declared fields that differ from the active revision. The list has 1 to 10 entries of 1
	// to 512 characters. It is absent for objects that are created or deleted.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=10
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=512
	Paths []string `json:"paths,omitempty"`
}

// MissingKind is a kind that the cluster does not serve.
type MissingKind struct {
	// group is the API group of the kind. It has 1 to 253 characters, and is absent for the core group.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Group string `json:"group,omitempty"`

	// version is the version of the API group. It has 1 to 63 characters.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Version string `json:"version,omitempty"`

	// kind is the name of the kind. It has 1 to 253 characters.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Kind string `json:"kind,omitempty"`
}

// MissingPermission is a permission that the manager or a ServiceAccount lacks for one resource, in the terms of a rule of a ClusterRole.
//
// +kubebuilder:validation:XValidation:rule="has(self.resource) != has(self.nonResourceURLs)",message="set either resource or nonResourceURLs"
type MissingPermission struct {
	// verbs are the missing verbs. The list has 1 to 16 entries of 1 to 64 characters.
	// +required
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=64
	Verbs []string `json:"verbs,omitempty"`

	// group is the API group of the resource. It has 1 to 253 characters, and is absent for the core group.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Group string `json:"group,omitempty"`

	// resource is the lower-case plural name of the resource. It has 1 to 253 characters, and is absent for nonResourceURLs.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Resource string `json:"resource,omitempty"`

	// resourceNames are the names of the objects for which the permission is missing. The list has 1 to 16 entries of 1 to 253
	// characters. It is absent if the permission is missing for all objects.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=253
	ResourceNames []string `json:"resourceNames,omitempty"`

	// nonResourceURLs are the URLs for which the permission is missing. The list has 1 to 16 entries of 1 to 253 characters. It is
	// absent for a resource.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=253
	NonResourceURLs []string `json:"nonResourceURLs,omitempty"`

	// serviceAccountName is the name of the ServiceAccount of the install namespace that lacks the permission. It has 1 to 253
	// characters, and is absent if the manager lacks the permission.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	ServiceAccountName string `json:"serviceAccountName,omitempty"`

	// namespace is the namespace in which the permission is missing. It has 1 to 63 characters, and is absent if the permission
	// is missing in the whole cluster.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace,omitempty"`
}

// ObjectCounts counts the objects of a revision.
type ObjectCounts struct {
	// total is the number of objects of the revision, from 0 to 1000000.
	// +required
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000000
	Total int32 `json:"total"`

	// ready is the number of healthy objects of the revision, from 0 to 1000000.
	// +required
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000000
	Ready int32 `json:"ready"`
}
