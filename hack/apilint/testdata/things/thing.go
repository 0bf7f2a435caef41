// Package things breaks rules of the API conventions.
package things

// Thing breaks some.
type Thing struct {
	// It does not begin with the name of the field, and has no minimum.
	// +optional
	// +kubebuilder:validation:MaxLength=10
	Color string `json:"color,omitempty"`

	// size has no maximum, shows a regular expression, and is neither optional nor required.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:Pattern=`^[0-9]+$`
	Size string `json:"size,omitempty"`

	// broken is a boolean.
	// +optional
	Broken *bool `json:"broken,omitempty"`
}
