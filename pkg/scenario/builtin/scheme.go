package builtin

import (
	"fmt"
	"reflect"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
)

// NewScheme returns a scheme with all built-in kinds. The internal version of each kind, which generic registries use, has the same Go type
// as the served version.
func NewScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	utilruntime.Must(clientscheme.AddToScheme(scheme))
	utilruntime.Must(metainternalversion.AddToScheme(scheme))
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	for _, kind := range Kinds() {
		register(scheme, kind)
	}
	for _, review := range Reviews() {
		scheme.AddKnownTypes(schema.GroupVersion{Group: review.Group, Version: runtime.APIVersionInternal}, review.Object)
	}
	for _, object := range []struct {
		group  string
		object runtime.Object
	}{{corev1.GroupName, &corev1.Binding{}}, {policyv1.GroupName, &policyv1.Eviction{}}, {autoscalingv1.GroupName, &autoscalingv1.Scale{}}} {
		scheme.AddKnownTypes(schema.GroupVersion{Group: object.group, Version: runtime.APIVersionInternal}, object.object)
	}
	addDefaults(scheme)
	return scheme
}

func register(scheme *runtime.Scheme, kind Kind) {
	internal := schema.GroupVersion{Group: kind.Group, Version: runtime.APIVersionInternal}
	scheme.AddKnownTypes(internal, kind.Object, kind.List)
	if kind.fields == nil {
		return
	}
	selectable := kind.fields(kind.Object)
	utilruntime.Must(scheme.AddFieldLabelConversionFunc(kind.kind(), func(label, value string) (string, string, error) {
		_, known := selectable[label]
		if known || label == metav1.ObjectNameField || label == "metadata.namespace" && kind.Namespaced {
			return label, value, nil
		}
		return "", "", fmt.Errorf("field label not supported: %s", label)
	}))
}

// kind returns the GroupVersionKind. The kind is the name of the Go type.
func (k Kind) kind() schema.GroupVersionKind {
	return k.WithKind(reflect.TypeOf(k.Object).Elem().Name())
}
