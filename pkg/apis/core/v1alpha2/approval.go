package v1alpha2

// Approval selects whether the plan of a revision needs an approval, and records the approval.
//
// +kubebuilder:validation:MinProperties=0
// +kubebuilder:validation:XValidation:rule="has(self.planDigest) == has(self.approvedBy)",message="set planDigest and approvedBy together: approvedBy is the user name of the person who approves the plan"
type Approval struct {
	// mode selects whether the manager waits for an approval before it applies a new revision. Required means that it waits. None
	// means that it does not wait, unless the ProvisionerClass requires an approval. Defaults to None.
	// +optional
	Mode ApprovalMode `json:"mode,omitempty"`

	// planDigest approves one plan: it is the digest in status.plan.digest. It has 1 to 128 characters. The digest of another plan
	// approves nothing. If the field is cleared before all objects of the revision are applied, the approval is withdrawn. A change
	// requires the verb approve on the BundleDeployment. Defaults to no approval.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	PlanDigest string `json:"planDigest,omitempty"`

	// approvedBy is the user name of the person who set planDigest. It has 1 to 512 characters. The API server rejects the name of
	// another user. Defaults to no approval.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	ApprovedBy string `json:"approvedBy,omitempty"`
}

// ApprovalMode selects whether the plan of a revision needs an approval.
//
// +kubebuilder:validation:Enum=None;Required
type ApprovalMode string

const (
	// ApprovalNone means that a revision needs no approval. It is the default.
	ApprovalNone ApprovalMode = "None"
	// ApprovalRequired means that nothing of a new revision is applied before its plan is approved.
	ApprovalRequired ApprovalMode = "Required"
)

// RequiresApproval reports whether a revision of a BundleDeployment needs an approval: because its own spec says so, or its class.
func RequiresApproval(spec BundleDeploymentSpec, class ProvisionerClassSpec) bool {
	return spec.Approval != nil && spec.Approval.Mode == ApprovalRequired || class.Approval == ApprovalRequired
}
