package object

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// Owner is the BundleDeployment that objects are applied for.
type Owner struct {
	// Name of the BundleDeployment.
	Name string
	// Package of its bundle; empty when it is unknown. CustomResourceDefinitions that were kept for a package are adopted again by it.
	Package string
}

// Manager is the field manager of everything that is applied for the owner.
func (o Owner) Manager() string { return corev1alpha2.FieldManagerPrefix + o.Name }

// OrphanMark is the package that a kept CustomResourceDefinition is annotated with: the name of the BundleDeployment if the package is
// unknown.
func (o Owner) OrphanMark() string {
	if o.Package == "" {
		return o.Name
	}
	return o.Package
}

// Key identifies an object, whatever its version.
type Key struct {
	schema.GroupKind
	Namespace, Name string
}

// KeyOf returns the key of an object.
func KeyOf(object *unstructured.Unstructured) Key {
	return Key{object.GroupVersionKind().GroupKind(), object.GetNamespace(), object.GetName()}
}

// String returns "Deployment memo/controller", or "ClusterRole memo" without a namespace.
func (k Key) String() string {
	if k.Namespace == "" {
		return k.Kind + " " + k.Name
	}
	return k.Kind + " " + k.Namespace + "/" + k.Name
}

// DescribeCommand returns the command that shows the object to a person. It names the group where another kind may have the name.
func (k Key) DescribeCommand() string {
	kind := strings.ToLower(k.Kind)
	if strings.Contains(k.Group, ".") {
		kind += "." + k.Group
	}
	if k.Namespace == "" {
		return fmt.Sprintf("kubectl describe %s %s", kind, k.Name)
	}
	return fmt.Sprintf("kubectl describe -n %s %s %s", k.Namespace, kind, k.Name)
}

// IsCRD reports whether a kind is CustomResourceDefinition.
func IsCRD(kind schema.GroupKind) bool { return kind == CRDKind }

// CRDKind is the kind of CustomResourceDefinitions.
var CRDKind = schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}

// IsNamespace reports whether a kind is Namespace.
func IsNamespace(kind schema.GroupKind) bool { return kind == schema.GroupKind{Kind: "Namespace"} }
