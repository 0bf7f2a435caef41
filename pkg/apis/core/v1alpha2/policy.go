package v1alpha2

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Drift selects how the manager handles changes that others make to applied objects.
//
// +kubebuilder:validation:MinProperties=0
type Drift struct {
	// policy selects what happens when others change declared fields or delete declared objects. Enforce reverts the changes.
	// Report only reports them, in the Drifted condition and in status.drift. Ignore does neither. Defaults to the policy of
	// the ProvisionerClass, else to Enforce.
	// +optional
	Policy DriftPolicy `json:"policy,omitempty"`

	// additions selects what happens to fields, map entries and list items that others add. Report lists them in status.drift,
	// Ignore does not, and Remove removes them. Additions never set the Drifted condition. Fields that the controllers of
	// Kubernetes, service-ca and cert-manager add do not count as additions. Defaults to the value of the ProvisionerClass. If
	// the class has no value, defaults to Ignore if policy is Ignore, else to Report.
	// +optional
	Additions AdditionsPolicy `json:"additions,omitempty"`

	// ignore selects fields that others may change, whatever the policies are. The list has at most 32 entries. Defaults to no
	// fields.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=0
	// +kubebuilder:validation:MaxItems=32
	Ignore []DriftIgnore `json:"ignore,omitempty"`
}

// DriftPolicy selects what happens to a changed field or a deleted object.
//
// +kubebuilder:validation:Enum=Enforce;Report;Ignore
type DriftPolicy string

const (
	// DriftEnforce reverts drift. It is the default.
	DriftEnforce DriftPolicy = "Enforce"
	// DriftReport reports drift and writes nothing.
	DriftReport DriftPolicy = "Report"
	// DriftIgnoreAll neither reverts nor reports drift.
	DriftIgnoreAll DriftPolicy = "Ignore"
)

// AdditionsPolicy selects what happens to fields that others add.
//
// +kubebuilder:validation:Enum=Report;Ignore;Remove
type AdditionsPolicy string

const (
	// AdditionsReport lists additions in the status. It is the default.
	AdditionsReport AdditionsPolicy = "Report"
	// AdditionsIgnore neither lists nor removes additions.
	AdditionsIgnore AdditionsPolicy = "Ignore"
	// AdditionsRemove removes additions.
	AdditionsRemove AdditionsPolicy = "Remove"
)

// DriftIgnore selects fields of some objects.
type DriftIgnore struct {
	// target selects the objects. Defaults to all objects of the bundle.
	// +optional
	Target DriftTarget `json:"target,omitempty"`

	// jsonPointers select the fields by RFC 6901 pointers, for example "/spec/replicas". The pointer to a list item contains
	// the index that the item has in the bundle. A pointer also selects everything below its field. The list has 1 to 32
	// entries of 1 to 512 characters.
	// +required
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=512
	// +kubebuilder:validation:items:XValidation:rule="self.matches('^(/([^~/]|~[01])*)+$')",message="jsonPointers must be RFC 6901 pointers, for example \"/spec/replicas\": write ~0 for ~ and ~1 for / in a name"
	JSONPointers []string `json:"jsonPointers,omitempty"`
}

// DriftTarget selects objects by group, kind, namespace and name. An absent or empty field selects every value. If kind is set, an absent
// or empty group selects only the core group.
//
// +kubebuilder:validation:MinProperties=0
type DriftTarget struct {
	// group is the API group of the objects. It has at most 253 characters. An absent or empty group means the core group if
	// kind is set, and every group otherwise.
	// +optional
	// +kubebuilder:validation:MinLength=0
	// +kubebuilder:validation:MaxLength=253
	Group string `json:"group,omitempty"`

	// kind is the kind of the objects. It has at most 63 characters. Defaults to every kind.
	// +optional
	// +kubebuilder:validation:MinLength=0
	// +kubebuilder:validation:MaxLength=63
	Kind string `json:"kind,omitempty"`

	// namespace is the namespace of the objects. It has at most 63 characters. Defaults to every namespace.
	// +optional
	// +kubebuilder:validation:MinLength=0
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace,omitempty"`

	// name is the name of the objects. It has at most 253 characters. Defaults to every name.
	// +optional
	// +kubebuilder:validation:MinLength=0
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name,omitempty"`
}

// DriftRecord is one change that somebody else made to an applied object.
type DriftRecord struct {
	// object is the object that was changed.
	// +required
	Object AppliedObject `json:"object,omitzero"`

	// change is the type of the change. Edited means that declared fields were changed or removed. Deleted means that the
	// object was deleted. Added means that fields were added that the bundle does not declare.
	// +required
	// +kubebuilder:validation:Enum=Edited;Deleted;Added
	Change DriftChange `json:"change,omitempty"`

	// paths are JSON pointers to the fields that were changed or added. The list has 1 to 10 entries of 1 to 512 characters.
	// It is absent for a deleted object.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=10
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=512
	Paths []string `json:"paths,omitempty"`

	// manager is the field manager that made the change according to the API server. It has 1 to 256 characters, and is absent
	// if the API server did not record a field manager.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	Manager string `json:"manager,omitempty"`

	// time is the time of the change according to the API server. If the API server did not record one, it is the time when
	// the manager found the change.
	// +required
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Format=date-time
	Time metav1.Time `json:"time"`

	// outcome is what the manager did about the change. Repaired means that it reverted the change. Reported means that it left
	// the change in place. Contested means that the change returns each time that the manager reverts it. The manager then
	// reverts it less and less often.
	// +required
	// +kubebuilder:validation:Enum=Repaired;Reported;Contested
	Outcome DriftOutcome `json:"outcome,omitempty"`
}

// DriftChange is the type of a change to an object.
type DriftChange string

const (
	// DriftEdited means that declared fields were changed or removed.
	DriftEdited DriftChange = "Edited"
	// DriftDeleted means that the object was deleted.
	DriftDeleted DriftChange = "Deleted"
	// DriftAdded means that fields were added that the bundle does not declare.
	DriftAdded DriftChange = "Added"
)

// DriftOutcome is what the manager did about a change.
type DriftOutcome string

const (
	// DriftRepaired means that the change was reverted.
	DriftRepaired DriftOutcome = "Repaired"
	// DriftReported means that the change was left in place.
	DriftReported DriftOutcome = "Reported"
	// DriftContested means that the change returns each time that it is reverted.
	DriftContested DriftOutcome = "Contested"
)

// AppliedObject names an applied object.
type AppliedObject struct {
	// group is the API group of the object. It has 1 to 253 characters, and is absent for the core group.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Group string `json:"group,omitempty"`

	// kind is the kind of the object. It has 1 to 253 characters.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Kind string `json:"kind,omitempty"`

	// namespace is the namespace of the object. It has 1 to 63 characters, and is absent for a cluster-scoped object.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace,omitempty"`

	// name is the name of the object. It has 1 to 253 characters.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name,omitempty"`
}

// OnFailure selects what happens to a revision that misses its deadline.
//
// +kubebuilder:validation:Enum=Hold;Rollback
type OnFailure string

const (
	// OnFailureHold leaves the revision in place. It is the default.
	OnFailureHold OnFailure = "Hold"
	// OnFailureRollback restores the previous revision.
	OnFailureRollback OnFailure = "Rollback"
)

// Adoption selects which existing objects the manager may take over.
//
// +kubebuilder:validation:Enum=SamePackage;None;Any
type Adoption string

const (
	// AdoptionSamePackage takes over objects that were kept when the same package was removed. It is the default.
	AdoptionSamePackage Adoption = "SamePackage"
	// AdoptionNone takes over no object.
	AdoptionNone Adoption = "None"
	// AdoptionAny takes over every object that no other BundleDeployment owns.
	AdoptionAny Adoption = "Any"
)

// Deletion selects what is deleted together with the object that it belongs to.
//
// +kubebuilder:validation:MinProperties=0
type Deletion struct {
	// crds selects what happens to the CustomResourceDefinitions of the bundle. Orphan keeps them with all custom resources.
	// Delete deletes them. With Delete, the whole removal waits until no custom resource exists. Defaults to the value of the
	// ProvisionerClass, else to Orphan.
	// +optional
	CRDs CRDDeletion `json:"crds,omitempty"`
}

// CRDDeletion selects what happens to CustomResourceDefinitions.
//
// +kubebuilder:validation:Enum=Orphan;Delete
type CRDDeletion string

const (
	// CRDsOrphan keeps the CustomResourceDefinitions and marks them with the package. It is the default.
	CRDsOrphan CRDDeletion = "Orphan"
	// CRDsDelete deletes the CustomResourceDefinitions once no custom resource exists.
	CRDsDelete CRDDeletion = "Delete"
)
