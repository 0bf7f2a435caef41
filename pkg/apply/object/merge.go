package object

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// MergeFields writes the fields of one object over another's: maps are merged, everything else is replaced. Values are copied, because
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
