package specs

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/openshift/platform-operators/cmd/platform-operators-tests-ext/spec"
)

// definition is what is looked at of a CustomResourceDefinition; a client of its own would be a module more.
type definition struct {
	Spec struct {
		Versions []struct {
			Name         string `json:"name"`
			Subresources struct {
				Status *struct{} `json:"status"`
			} `json:"subresources"`
			Schema struct {
				OpenAPIV3Schema struct {
					Description string `json:"description"`
				} `json:"openAPIV3Schema"`
			} `json:"schema"`
		} `json:"versions"`
	} `json:"spec"`
	Status struct {
		Conditions []metav1.Condition `json:"conditions"`
	} `json:"status"`
}

func definitionOf(t *spec.T, object *unstructured.Unstructured) definition {
	var read definition
	t.Expect(runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &read)).To(succeed())
	return read
}

func (d definition) established() bool {
	return slices.ContainsFunc(d.Status.Conditions, func(condition metav1.Condition) bool {
		return condition.Type == "Established" && condition.Status == metav1.ConditionTrue
	})
}
