package classlimits

import (
	"fmt"
	"slices"
	"strings"
)

// Limit is a limit of a class, named by its field in the spec of the class.
type Limit string

// The limits of a class.
const (
	SourceType       Limit = "allowedSources.types"
	Registry         Limit = "allowedSources.image.registries"
	ServiceAccount   Limit = "serviceAccount"
	InstallNamespace Limit = "allowedNamespaces"
	BundleBytes      Limit = "limits.bundleBytes"
	Objects          Limit = "limits.objects"
)

// Problem is a limit of a class that a request exceeds.
type Problem struct {
	// Class is the name of the class, and Limit the limit that Value exceeds. Value is empty if something is missing.
	Class string
	Limit Limit
	Value string
	// Cause is a clause that begins with the class. Remedy says what to do. It names only fields of the object that asks.
	Cause, Remedy string
}

// Error returns the cause and the remedy, without a full stop.
func (p *Problem) Error() string { return p.Cause + "; " + p.Remedy }

// problem returns the problem with a limit. what is the predicate of a sentence about the class.
func (c Class) problem(request Request, limit Limit, value, what string) *Problem {
	return &Problem{
		Class: c.Name, Limit: limit, Value: value,
		Cause: fmt.Sprintf("ProvisionerClass %q %s", c.Name, what), Remedy: remedy(limit, request),
	}
}

// remedy returns what a user can do about a limit.
func remedy(limit Limit, request Request) string {
	const changeClass = "ask a cluster admin to change the class"
	switch {
	case limit == InstallNamespace && !request.Namespace.Exists:
		return "create the namespace with these labels, or " + changeClass
	case limit == InstallNamespace:
		return "ask a cluster admin to set these labels on the namespace, or to change the class"
	case limit == ServiceAccount:
		return "set spec.serviceAccountName to a ServiceAccount of the install namespace, or " + changeClass
	case request.From == PlatformOperator:
		return "choose another version or another package, or " + changeClass
	case request.From == Bundle:
		return fmt.Sprintf("delete the Bundle and create it again with another %s or another spec.provisionerClassName, or %s", fieldOf(limit), changeClass)
	}
	return fmt.Sprintf("change %s, set spec.provisionerClassName to another class, or %s", fieldOf(limit), changeClass)
}

// fieldOf returns the field of a BundleDeployment or Bundle that a limit of the source applies to.
func fieldOf(limit Limit) string {
	if limit == SourceType {
		return "spec.source.type"
	}
	return "spec.source"
}

// SizeError is a limit of its size that a bundle exceeds. Limit is BundleBytes or Objects, and Max is its value.
type SizeError struct {
	Limit Limit
	Max   int64
	// Objects is the number of objects if Limit is Objects. The number of bytes is not known, because unpacking stops at the limit.
	Objects int
}

// Error returns a clause that says how large the bundle is.
func (e *SizeError) Error() string {
	if e.Limit == Objects {
		return fmt.Sprintf("the bundle renders to %d objects", e.Objects)
	}
	return fmt.Sprintf("the unpacked files of the bundle have more than %d bytes", e.Max)
}

// Sizes are the limits for the size of a bundle. Zero means that the class has none.
type Sizes struct {
	Bytes   int64
	Objects int
}

// Sizes returns the limits of a class for the size of a bundle.
func (c Class) Sizes() Sizes {
	if c.Spec.Limits == nil {
		return Sizes{}
	}
	return Sizes{Bytes: c.Spec.Limits.BundleBytes, Objects: int(c.Spec.Limits.Objects)}
}

// CheckBytes returns a *SizeError if the files of a bundle have too many bytes.
func (s Sizes) CheckBytes(bytes int64) error {
	if s.Bytes == 0 || bytes <= s.Bytes {
		return nil
	}
	return &SizeError{Limit: BundleBytes, Max: s.Bytes}
}

// CheckObjects returns a *SizeError if a bundle renders to too many objects.
func (s Sizes) CheckObjects(objects int) error {
	if s.Objects == 0 || objects <= s.Objects {
		return nil
	}
	return &SizeError{Limit: Objects, Max: int64(s.Objects), Objects: objects}
}

// maxListed is the maximum number of entries that a message lists.
const maxListed = 8

// listed returns entries for a message, sorted.
func listed(entries []string) string {
	entries = slices.Sorted(slices.Values(entries))
	if more := len(entries) - maxListed; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(entries[:maxListed], ", "), more)
	}
	return strings.Join(entries, ", ")
}
