package applyconfiguration

import (
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/openshift/platform-operators/pkg/manifestserver"
)

const versionField = "resourceVersion"

// hasMadeUpIdentity reports whether a mutation names a uid or a resourceVersion that the server in memory has generated. No cluster has it,
// so the mutation depends on an earlier one. The resourceVersion of the object itself does not count, because bodyOf replaces it.
func (r *run) hasMadeUpIdentity(m manifestserver.Mutation) bool {
	var body any
	if len(m.Body) == 0 || utiljson.Unmarshal(m.Body, &body) != nil {
		return false
	}
	if object, isObject := body.(map[string]any); isObject && m.Action != manifestserver.ActionDelete {
		unstructured.RemoveNestedField(object, "metadata", versionField)
	}
	return r.isMadeUp("", body)
}

// isMadeUp reports whether a value, or a value inside it, is a uid or resourceVersion that the server has generated. field is the name of the
// field with the value. In a JSON patch, the path contains the name.
func (r *run) isMadeUp(field string, value any) bool {
	switch value := value.(type) {
	case string:
		return r.server.HasMadeUp(value) || field == versionField && r.isMadeUpVersion(value)
	case []any:
		for _, each := range value {
			if r.isMadeUp(field, each) {
				return true
			}
		}
	case map[string]any:
		path, _ := value["path"].(string)
		for name, each := range value {
			if name == "value" && strings.HasSuffix(path, "/"+versionField) {
				name = versionField
			}
			if r.isMadeUp(name, each) {
				return true
			}
		}
	}
	return false
}

func (r *run) isMadeUpVersion(version string) bool {
	number, err := strconv.ParseUint(version, 10, 64)
	return err == nil && number > r.server.InputResourceVersion()
}

// withoutMadeUp removes the uid and the resourceVersion of the object that an Event is about, if the server has generated them.
func (r *run) withoutMadeUp(event map[string]any) {
	involved, _, _ := unstructured.NestedMap(event, "involvedObject")
	if involved == nil {
		return
	}
	for _, field := range []string{"uid", versionField} {
		if r.isMadeUp(field, involved[field]) {
			unstructured.RemoveNestedField(event, "involvedObject", field)
		}
	}
}
