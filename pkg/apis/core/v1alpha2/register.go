package v1alpha2

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupName is the API group of the BundleDeployment kind.
const GroupName = "core.rukpak.io"

var (
	// SchemeGroupVersion is the group and version that this package registers.
	SchemeGroupVersion = schema.GroupVersion{Group: GroupName, Version: "v1alpha2"}

	schemeBuilder = runtime.NewSchemeBuilder(addKnownTypes)

	// AddToScheme adds the types of this package to a scheme.
	AddToScheme = schemeBuilder.AddToScheme
)

// Resource qualifies a resource name with this package's group; the generated listers call it.
func Resource(resource string) schema.GroupResource {
	return SchemeGroupVersion.WithResource(resource).GroupResource()
}

func addKnownTypes(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(SchemeGroupVersion, &BundleDeployment{}, &BundleDeploymentList{}, &Bundle{}, &BundleList{}, &ProvisionerClass{}, &ProvisionerClassList{})
	metav1.AddToGroupVersion(scheme, SchemeGroupVersion)
	return nil
}
