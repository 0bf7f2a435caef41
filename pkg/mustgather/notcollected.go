package mustgather

import (
	"errors"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// NotCollected lists the objects of which a directory has none or only some. If such an object is missing in the directory, it may still exist
// in the cluster. NotCollected is the content of not-collected.yaml:
//
//	resources:
//	- group: apiextensions.k8s.io
//	  resource: customresourcedefinitions
//	- resource: secrets
//	namespaces:
//	- kube-system
type NotCollected struct {
	// Resources are not collected in any namespace. A group that is empty or missing is the core group.
	Resources []metav1.GroupResource `json:"resources,omitempty"`
	// Namespaces are not collected: neither the Namespace nor any object in it.
	Namespaces []string `json:"namespaces,omitempty"`
}

// Has reports whether an object was not collected. namespace is empty for a cluster-scoped object.
func (n NotCollected) Has(resource schema.GroupResource, namespace, name string) bool {
	if resource == namespaces {
		namespace = name
	}
	return slices.Contains(n.Namespaces, namespace) || slices.Contains(n.Resources, metav1.GroupResource(resource))
}

// isEmpty reports whether everything was collected.
func (n NotCollected) isEmpty() bool { return len(n.Resources) == 0 && len(n.Namespaces) == 0 }

// readNotCollected reads not-collected.yaml.
func (r *reader) readNotCollected(e entry) {
	content := r.decodeFile(e)
	if content == nil {
		return
	}
	var result NotCollected
	const returnUnknownFields = true
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(content, &result, returnUnknownFields); err != nil {
		r.fault(e.path, fmt.Errorf("%w; its fields are resources, with group and resource, and namespaces", shorten(err)))
		return
	}
	if err := result.validate(); err != nil {
		r.fault(e.path, err)
		return
	}
	r.input.NotCollected = result
}

// validate returns an error if an entry can apply to no object.
func (n NotCollected) validate() error {
	for i, each := range n.Resources {
		switch {
		case each.Resource == "":
			return fmt.Errorf("resources[%d].resource is empty; set it to the plural name of a resource, such as configmaps", i)
		case each.Group == coreFolder:
			return fmt.Errorf("resources[%d].group is %q; delete the field, because the core group has no name", i, coreFolder)
		}
	}
	if slices.Contains(n.Namespaces, "") {
		return errors.New("an entry of namespaces is empty; delete it, and list cluster-scoped objects by their resource")
	}
	return nil
}
