// Package finalizer makes patches that change an object's finalizers and nothing else. The controllers send them for objects whose spec
// belongs to a user. An update would send the whole object as this manager's Go types hold it: without empty fields, and without fields of
// a newer CustomResourceDefinition.
package finalizer

import (
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// MergePatch returns a JSON merge patch that replaces the finalizers of an object; without finalizers, it removes all of them. The API
// server refuses the patch as a conflict if the object is no longer at the given object's resourceVersion, because a merge patch replaces
// the whole list.
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
