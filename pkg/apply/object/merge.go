package object

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// MergeFields writes the fields of from into onto. It merges maps recursively, and replaces all other values. It copies the values, because
// sets are shared.
func MergeFields(onto, from map[string]any) {
	for name, value := range from {
		fields, isMap := value.(map[string]any)
		existing, both := onto[name].(map[string]any)
		if isMap && both {
			MergeFields(existing, fields)
			continue
		}
		onto[name] = (&unstructured.Unstructured{Object: map[string]any{"value": value}}).DeepCopy().Object["value"]
	}
}
