package bindata

import (
	"embed"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

//go:embed crds/*.yaml
var definitions embed.FS

// Definitions returns new copies of the CustomResourceDefinitions of the manager's own kinds, in the order of the payload.
func Definitions() ([]*apiextensionsv1.CustomResourceDefinition, error) {
	files, err := definitions.ReadDir("crds")
	if err != nil {
		return nil, fmt.Errorf("reading the embedded CustomResourceDefinitions: %w", err)
	}
	var all []*apiextensionsv1.CustomResourceDefinition
	for _, file := range files {
		content, err := definitions.ReadFile("crds/" + file.Name())
		if err != nil {
			return nil, fmt.Errorf("reading an embedded CustomResourceDefinition: %w", err)
		}
		definition := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.UnmarshalStrict(content, definition); err != nil {
			return nil, fmt.Errorf("reading the embedded CustomResourceDefinition %s: %w", file.Name(), err)
		}
		all = append(all, definition)
	}
	return all, nil
}
