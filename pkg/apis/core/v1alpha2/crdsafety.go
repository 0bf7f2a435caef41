package v1alpha2

// Preflight configures the checks of a new revision that run before anything of it is applied.
//
// +kubebuilder:validation:MinProperties=0
type Preflight struct {
	// crdUpgradeSafety configures the check of changed CustomResourceDefinitions. Defaults to the check with all rules.
	// +optional
	CRDUpgradeSafety *CRDUpgradeSafety `json:"crdUpgradeSafety,omitempty"`
}

// CRDSafety returns crdUpgradeSafety. It returns nil, which means all defaults, if p is nil.
func (p *Preflight) CRDSafety() *CRDUpgradeSafety {
	if p == nil {
		return nil
	}
	return p.CRDUpgradeSafety
}

// CRDUpgradeSafety configures the check of changed CustomResourceDefinitions. A change is unsafe if stored custom resources could lose
// data or become invalid.
//
// +kubebuilder:validation:MinProperties=0
// +kubebuilder:validation:XValidation:rule="!(has(self.disabled) && self.disabled && has(self.enforcement) && self.enforcement == 'Strict')",message="disabled: true contradicts enforcement Strict: remove disabled to check CustomResourceDefinitions, or set enforcement to None"
type CRDUpgradeSafety struct {
	// enforcement selects what happens if a new revision changes a CustomResourceDefinition in an unsafe way. Strict means that nothing
	// of the revision is applied. None turns the check off. Defaults to Strict.
	// +optional
	Enforcement CRDEnforcement `json:"enforcement,omitempty"`

	// waivers permit unsafe changes that the admin has reviewed, each for one rule and one CustomResourceDefinition. A waiver that permits
	// nothing is a finding with outcome Unused. The list has 1 to 32 entries. Defaults to no waivers.
	// +optional
	// +listType=map
	// +listMapKey=crd
	// +listMapKey=rule
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	Waivers []CRDWaiver `json:"waivers,omitempty"`

	// disabled turns the check off if it is true, as enforcement None does. It exists so that manifests for rukpak remain valid; use
	// enforcement in new manifests. Defaults to false.
	// +optional
	Disabled bool `json:"disabled,omitempty"`
}

// IsEnforced reports whether an unsafe change of a CustomResourceDefinition blocks a revision. It does if s is nil.
func (s *CRDUpgradeSafety) IsEnforced() bool {
	return s == nil || !s.Disabled && s.Enforcement != CRDEnforcementNone
}

// CRDEnforcement selects what happens if a CustomResourceDefinition changes in an unsafe way.
//
// +kubebuilder:validation:Enum=Strict;None
type CRDEnforcement string

const (
	// CRDEnforcementStrict means that nothing of the revision is applied. It is the default.
	CRDEnforcementStrict CRDEnforcement = "Strict"
	// CRDEnforcementNone turns the check off.
	CRDEnforcementNone CRDEnforcement = "None"
)

// CRDWaiver permits the unsafe changes that one rule finds in one CustomResourceDefinition.
type CRDWaiver struct {
	// rule is the name of the rule, as status.plan.crdFindings shows it, for example "existingFieldRemoval". It has 1 to 64 characters.
	// The rules scope and storedVersionRemoval cannot be waived, because the API server rejects these changes.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	Rule string `json:"rule,omitempty"`

	// crd is the name of the CustomResourceDefinition, for example "grafanas.grafana.integreatly.org". It has 1 to 253 characters.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	CRD string `json:"crd,omitempty"`

	// reason says why the change is acceptable, for the next person who reads the spec. It has 1 to 1024 characters.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Reason string `json:"reason,omitempty"`
}

// CRDFinding is an unsafe change of a CustomResourceDefinition, a waiver that permits no change, or a change whose stored custom resources
// are not checked.
type CRDFinding struct {
	// crd is the name of the CustomResourceDefinition. It has 1 to 253 characters.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	CRD string `json:"crd,omitempty"`

	// rule is the name of the rule that found the change. It has 1 to 64 characters. A waiver names this rule.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	Rule string `json:"rule,omitempty"`

	// path is the version and the field that changed, for example "v1: .spec.ports[*].name". Two versions with an arrow between them
	// mean that both are served and their schemas differ. For the rule storedObjects, path is a custom resource and its field. It has 1
	// to 512 characters, and is absent for Unused and Unchecked. Longer paths are cut.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Path string `json:"path,omitempty"`

	// message describes the change. It has 1 to 1024 characters. Longer messages are cut.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Message string `json:"message,omitempty"`

	// outcome is what follows from the change. Blocking means that nothing of the revision is applied. Waived means that a waiver in
	// spec.preflight.crdUpgradeSafety permits the change. Unused means that there is a waiver and no such change. Unchecked means that
	// the manager has no permission to list the stored custom resources. The change is applied, although it can make some of them invalid.
	// +required
	// +kubebuilder:validation:Enum=Blocking;Waived;Unused;Unchecked
	Outcome CRDFindingOutcome `json:"outcome,omitempty"`
}

// CRDFindingOutcome is what follows from an unsafe change of a CustomResourceDefinition.
type CRDFindingOutcome string

const (
	// CRDFindingBlocking means that nothing of the revision is applied.
	CRDFindingBlocking CRDFindingOutcome = "Blocking"
	// CRDFindingWaived means that a waiver permits the change.
	CRDFindingWaived CRDFindingOutcome = "Waived"
	// CRDFindingUnused means that there is a waiver and no such change.
	CRDFindingUnused CRDFindingOutcome = "Unused"
	// CRDFindingUnchecked means that the manager has no permission to list the stored custom resources.
	CRDFindingUnchecked CRDFindingOutcome = "Unchecked"
)
