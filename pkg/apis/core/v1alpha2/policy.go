package v1alpha2

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Drift says what becomes of changes that others make to what was applied.
type Drift struct {
	// policy for declared fields and objects: Enforce puts them back, Report only tells of them (Drifted condition,
	// status.drift), Ignore does neither. Absent, also in the class, means Enforce.
	// +optional
	Policy DriftPolicy `json:"policy,omitempty"`

	// additions is the policy for fields, map entries and list items that others add: Report tells of them in status.drift,
	// Ignore does not, Remove takes them away. They never count as drift, and what Kubernetes' own controllers, service-ca
	// and cert-manager add is no addition. Absent, also in the class, means Report, and Ignore where policy is Ignore.
	// +optional
	Additions AdditionsPolicy `json:"additions,omitempty"`

	// ignore names fields that are left to others, whatever the policies say.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	Ignore []DriftIgnore `json:"ignore,omitempty"`
}

// DriftPolicy is what becomes of a changed field or a deleted object.
//
// +kubebuilder:validation:Enum=Enforce;Report;Ignore
type DriftPolicy string

const (
	// DriftEnforce puts back what was declared; the default.
	DriftEnforce DriftPolicy = "Enforce"
	// DriftReport tells of drift and writes nothing.
	DriftReport DriftPolicy = "Report"
	// DriftIgnoreAll neither repairs drift nor tells of it.
	DriftIgnoreAll DriftPolicy = "Ignore"
)

// AdditionsPolicy is what becomes of what others add.
//
// +kubebuilder:validation:Enum=Report;Ignore;Remove
type AdditionsPolicy string

const (
	// AdditionsReport tells of additions; the default.
	AdditionsReport AdditionsPolicy = "Report"
	// AdditionsIgnore does not tell of them.
	AdditionsIgnore AdditionsPolicy = "Ignore"
	// AdditionsRemove takes them away.
	AdditionsRemove AdditionsPolicy = "Remove"
)

// DriftIgnore names fields of some objects.
type DriftIgnore struct {
	// target selects the objects: what is absent selects all.
	// +optional
	Target DriftTarget `json:"target,omitempty"`
	// jsonPointers are RFC 6901 pointers to the fields, for example "/spec/replicas". A list item is named by its index as
	// it was declared. A field is ignored with everything below it.
	// +required
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=512
	// +kubebuilder:validation:items:Pattern=`^(/([^~/]|~[01])*)+$`
	JSONPointers []string `json:"jsonPointers"`
}

// DriftTarget selects objects by what they are; an empty field selects all.
type DriftTarget struct {
	// group of the objects; "" together with a kind means the core group.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Group string `json:"group,omitempty"`
	// kind of the objects.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Kind string `json:"kind,omitempty"`
	// namespace of the objects.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace,omitempty"`
	// name of the objects.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name,omitempty"`
}

// DriftRecord is one change that somebody else made to one object.
type DriftRecord struct {
	// object is what was changed.
	// +required
	Object AppliedObject `json:"object"`
	// change is Edited, Deleted or Added.
	// +required
	// +kubebuilder:validation:Enum=Edited;Deleted;Added
	Change DriftChange `json:"change"`
	// paths of the fields that were changed or added, at most 10; none for a deleted object.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=10
	// +kubebuilder:validation:items:MaxLength=512
	Paths []string `json:"paths,omitempty"`
	// manager is the field manager that made the change, as the API server recorded it; empty where it keeps no record.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Manager string `json:"manager,omitempty"`
	// time of the change as the API server recorded it, else when it was seen.
	// +required
	Time metav1.Time `json:"time"`
	// outcome is Repaired, Reported or Contested: the last is a change that comes back each time that it is put back, so
	// that it is put back less and less often.
	// +required
	// +kubebuilder:validation:Enum=Repaired;Reported;Contested
	Outcome DriftOutcome `json:"outcome"`
}

// DriftChange is what was done to an object.
type DriftChange string

const (
	// DriftEdited: declared fields were changed or removed.
	DriftEdited DriftChange = "Edited"
	// DriftDeleted: the object was deleted.
	DriftDeleted DriftChange = "Deleted"
	// DriftAdded: fields were added that nobody declared.
	DriftAdded DriftChange = "Added"
)

// DriftOutcome is what was done about a change.
type DriftOutcome string

const (
	// DriftRepaired: it was put back.
	DriftRepaired DriftOutcome = "Repaired"
	// DriftReported: it was left.
	DriftReported DriftOutcome = "Reported"
	// DriftContested: it comes back each time that it is put back.
	DriftContested DriftOutcome = "Contested"
)

// AppliedObject names an object that was applied.
type AppliedObject struct {
	// group of the object's kind; empty for the core group.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Group string `json:"group,omitempty"`
	// kind of the object.
	// +required
	// +kubebuilder:validation:MaxLength=253
	Kind string `json:"kind"`
	// namespace of the object.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace,omitempty"`
	// name of the object.
	// +required
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
}

// OnFailure is what becomes of a revision that missed its deadline.
//
// +kubebuilder:validation:Enum=Hold;Rollback
type OnFailure string

const (
	// OnFailureHold leaves it; the default.
	OnFailureHold OnFailure = "Hold"
	// OnFailureRollback puts the revision before it back.
	OnFailureRollback OnFailure = "Rollback"
)

// Adoption is which objects that exist already may be taken over.
//
// +kubebuilder:validation:Enum=SamePackage;None;Any
type Adoption string

const (
	// AdoptionSamePackage takes over what was kept when the same package was removed; the default.
	AdoptionSamePackage Adoption = "SamePackage"
	// AdoptionNone takes over nothing.
	AdoptionNone Adoption = "None"
	// AdoptionAny takes over whatever is there, except what another BundleDeployment owns.
	AdoptionAny Adoption = "Any"
)

// Deletion says what goes with what was applied.
type Deletion struct {
	// crds is Orphan or Delete: what becomes of the bundle's CustomResourceDefinitions. Orphan keeps them, and with them
	// every custom resource; Delete deletes them, and while custom resources exist nothing at all is taken down. Absent,
	// also in the class, means Orphan.
	// +optional
	CRDs CRDDeletion `json:"crds,omitempty"`
}

// CRDDeletion is what becomes of CustomResourceDefinitions.
//
// +kubebuilder:validation:Enum=Orphan;Delete
type CRDDeletion string

const (
	// CRDsOrphan keeps them, marked with the package; the default.
	CRDsOrphan CRDDeletion = "Orphan"
	// CRDsDelete deletes them once no custom resource is left.
	CRDsDelete CRDDeletion = "Delete"
)

// Preflight is accepted for manifests that were written for rukpak.
type Preflight struct {
	// crdUpgradeSafety is rukpak's check of changed CustomResourceDefinitions.
	// +optional
	CRDUpgradeSafety *CRDUpgradeSafety `json:"crdUpgradeSafety,omitempty"`
}

// CRDUpgradeSafety is rukpak's check of changed CustomResourceDefinitions.
type CRDUpgradeSafety struct {
	// disabled turned rukpak's check off. Nothing is checked here yet, whatever it says.
	// +optional
	Disabled bool `json:"disabled,omitempty"`
}
