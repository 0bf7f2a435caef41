package payload

import (
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// node is one part of a CRD's schema.
type node struct {
	apiextensionsv1.JSONSchemaProps
	// path is the field: "spec.package.name". Items of a list have "[]" at the end, values of a map "{}".
	path string
	// parent is the schema that the node is in; nil for the root.
	parent *node
}

// isProperty says whether the node is a field, and not the items of a list or the values of a map.
func (n node) isProperty() bool {
	return n.path != "" && !strings.HasSuffix(n.path, "[]") && !strings.HasSuffix(n.path, "{}")
}

// name is the last part of the path.
func (n node) name() string { return n.path[strings.LastIndex(n.path, ".")+1:] }

// isRequired says whether the field must be present in its parent.
func (n node) isRequired() bool {
	return n.parent != nil && slices.Contains(n.parent.Required, n.name())
}

// deploymentConfig contains fields whose types belong to Kubernetes.
const deploymentConfig = "spec.install.config.deploymentConfig."

// foreignTypes are the fields whose types belong to other projects. The field is described, and what is below is not.
var foreignTypes = []string{
	"metadata", "status.conditions", "status.generations", "spec.catalogSelector", "spec.package.catalogSelector",
	deploymentConfig + "nodeSelector", deploymentConfig + "tolerations", deploymentConfig + "resources",
	deploymentConfig + "env", deploymentConfig + "envFrom", deploymentConfig + "volumes", deploymentConfig + "volumeMounts",
	deploymentConfig + "affinity", deploymentConfig + "annotations",
}

// foreignFields are those that Kubernetes and openshift/api declare themselves, and describe in their own words. Every other field of
// the same path would be one of those too.
var foreignFields = []string{
	"apiVersion", "kind", "metadata",
	"spec.managementState", "spec.logLevel", "spec.operatorLogLevel", "spec.observedConfig", "spec.unsupportedConfigOverrides",
	"status.version", "status.latestAvailableRevision", "status.readyReplicas",
}

// embedded are fields of the PlatformOperatorManager only, by the names that other kinds have for fields of their own.
var embedded = map[string][]string{
	"platformoperatormanagers.operator.openshift.io": {"status.conditions", "status.generations", "status.observedGeneration"},
}

// isForeign says whether another project declares and describes the field of a CRD.
func isForeign(crd string, n node) bool {
	return slices.Contains(foreignFields, n.path) || slices.Contains(embedded[crd], n.path) || belowForeign(n)
}

// belowForeign says whether a node is a part of a foreign type.
func belowForeign(n node) bool {
	return slices.ContainsFunc(foreignTypes, func(foreign string) bool {
		rest, below := strings.CutPrefix(n.path, foreign)
		return below && rest != "" && strings.ContainsAny(rest[:1], ".[{")
	})
}

// walk visits every part of a schema.
func walk(n node, visit func(node)) {
	visit(n)
	path := n.path
	if path != "" {
		path += "."
	}
	for _, name := range slices.Sorted(maps.Keys(n.Properties)) {
		walk(node{n.Properties[name], path + name, &n}, visit)
	}
	if n.Items != nil && n.Items.Schema != nil {
		walk(node{*n.Items.Schema, n.path + "[]", &n}, visit)
	}
	if n.AdditionalProperties != nil && n.AdditionalProperties.Schema != nil {
		walk(node{*n.AdditionalProperties.Schema, n.path + "{}", &n}, visit)
	}
}

// eachNode visits every part of the schemas of all CRDs.
func eachNode(p *payload, visit func(faults *[]string, crd object, n node)) []string {
	return allTyped(p, "CustomResourceDefinition", func(o object, crd apiextensionsv1.CustomResourceDefinition) (faults []string) {
		for _, version := range crd.Spec.Versions {
			if version.Schema != nil && version.Schema.OpenAPIV3Schema != nil {
				walk(node{JSONSchemaProps: *version.Schema.OpenAPIV3Schema}, func(n node) { visit(&faults, o, n) })
			}
		}
		return faults
	})
}
