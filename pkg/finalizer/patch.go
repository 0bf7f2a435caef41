// Package finalizer creates patches that change only an object's finalizers. Controllers send them for objects whose spec belongs to a
// user. An update would send the whole object as encoded from the manager's Go types: without empty fields, and without the fields that a
// newer CustomResourceDefinition has added.
package finalizer

import (
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// MergePatch returns a JSON merge patch that replaces the finalizers of an object. If finalizers is empty or nil, the patch removes all of
// them. The patch contains the object's resourceVersion, so that the API server answers 409 Conflict if another client has changed the
// object: a merge patch replaces the whole list, and would remove a finalizer that the other client has added.
func MergePatch(object metav1.Object, finalizers []string) ([]byte, error) {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"resourceVersion": object.GetResourceVersion(),
		"finalizers":      finalizers,
	}})
	if err != nil {
		return nil, fmt.Errorf("encoding the finalizers of %q: %w", object.GetName(), err)
	}
	return patch, nil
}
