package object

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/ownership"
)

// Owner is the BundleDeployment for which objects are applied.
type Owner struct {
	// Name is the name of the BundleDeployment.
	Name string
	// Package is the package of its bundle; empty if the bundle names none. When a package is installed again, it adopts the
	// CustomResourceDefinitions that were kept when it was removed.
	Package string
}

// Manager returns the field manager of all objects that are applied for the owner.
func (o Owner) Manager() string { return corev1alpha2.FieldManagerPrefix + o.Name }

// OrphanMark returns the value of the annotation on a kept CustomResourceDefinition: the mark of the package, or of the BundleDeployment if
// the bundle names no package.
func (o Owner) OrphanMark() string {
	if o.Package == "" {
		return ownership.DeploymentMark(o.Name)
	}
	return ownership.PackageMark(o.Package)
}

// Key identifies an object independently of its API version.
type Key struct {
	schema.GroupKind
	Namespace, Name string
}

// KeyOf returns the key of an object.
func KeyOf(object *unstructured.Unstructured) Key {
	return Key{object.GroupVersionKind().GroupKind(), object.GetNamespace(), object.GetName()}
}

// String returns the kind, namespace and name, such as "Deployment memo/controller", or "ClusterRole memo" for an object without a
// namespace.
func (k Key) String() string {
	if k.Namespace == "" {
		return k.Kind + " " + k.Name
	}
	return k.Kind + " " + k.Namespace + "/" + k.Name
}

// DescribeCommand returns the kubectl command that shows the object. The command includes the API group if the group contains a dot,
// because another group may have a kind of the same name.
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

// IsCRD reports whether the object is a CustomResourceDefinition.
func (k Key) IsCRD() bool { return IsCRD(k.GroupKind) }

// IsCRD reports whether a kind is CustomResourceDefinition.
func IsCRD(kind schema.GroupKind) bool { return kind == CRDKind }

// CRDKind is the kind of CustomResourceDefinitions.
var CRDKind = schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}

// IsNamespace reports whether a kind is Namespace.
func IsNamespace(kind schema.GroupKind) bool { return kind == schema.GroupKind{Kind: "Namespace"} }
