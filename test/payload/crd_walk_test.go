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
	// path is the path of the field, as in "spec.package.name". The items of a list end in "[]", and the values of a map in
	// "{}".
	path string
	// parent is the enclosing node; nil for the root.
	parent *node
}

// isProperty reports whether the node is a field, and not the items of a list or the values of a map.
func (n node) isProperty() bool {
	return n.path != "" && !strings.HasSuffix(n.path, "[]") && !strings.HasSuffix(n.path, "{}")
}

// name returns the last segment of the path.
func (n node) name() string { return n.path[strings.LastIndex(n.path, ".")+1:] }

// isRequired reports whether the parent requires the field.
func (n node) isRequired() bool {
	return n.parent != nil && slices.Contains(n.parent.Required, n.name())
}

// deploymentConfig is the prefix of the fields whose types belong to Kubernetes.
const deploymentConfig = "spec.install.config.deploymentConfig."

// externalTypes are the fields whose types belong to other projects. The field needs a description; the fields below it must
// have none.
var externalTypes = []string{
	"metadata", "status.conditions", "status.generations", "spec.catalogSelector", "spec.package.catalogSelector", "spec.allowedNamespaces",
	deploymentConfig + "nodeSelector", deploymentConfig + "tolerations", deploymentConfig + "resources",
	deploymentConfig + "env", deploymentConfig + "envFrom", deploymentConfig + "volumes", deploymentConfig + "volumeMounts",
	deploymentConfig + "affinity", deploymentConfig + "annotations",
}

// externalFields are the fields that Kubernetes and openshift/api declare and describe. No field of this project may have one
// of these paths.
var externalFields = []string{
	"apiVersion", "kind", "metadata",
	"spec.managementState", "spec.logLevel", "spec.operatorLogLevel", "spec.observedConfig", "spec.unsupportedConfigOverrides",
	"status.version", "status.latestAvailableRevision", "status.readyReplicas",
}

// externalFieldsByCRD are further external fields, by the name of their CRD. In other CRDs, the fields with these paths belong to
// this project.
var externalFieldsByCRD = map[string][]string{
	"platformoperatormanagers.operator.openshift.io": {"status.conditions", "status.generations", "status.observedGeneration"},
}

// isExternal reports whether another project declares and describes the field.
func isExternal(crd string, n node) bool {
	return slices.Contains(externalFields, n.path) || slices.Contains(externalFieldsByCRD[crd], n.path) || isInExternalType(n)
}

// isInExternalType reports whether a node is below a field of externalTypes. The field itself is not in the type.
func isInExternalType(n node) bool {
	return slices.ContainsFunc(externalTypes, func(external string) bool {
		rest, below := strings.CutPrefix(n.path, external)
		return below && rest != "" && strings.ContainsAny(rest[:1], ".[{")
	})
}

// walk calls visit for a node and all nodes below it.
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

// eachNode calls visit for every node of the schemas of all CRDs, and returns the violations that visit appended.
func eachNode(p *payload, visit func(violations *[]string, crd object, n node)) []string {
	return allTyped(p, "CustomResourceDefinition", func(o object, crd apiextensionsv1.CustomResourceDefinition) (violations []string) {
		for _, version := range crd.Spec.Versions {
			if version.Schema != nil && version.Schema.OpenAPIV3Schema != nil {
				walk(node{JSONSchemaProps: *version.Schema.OpenAPIV3Schema}, func(n node) { visit(&violations, o, n) })
			}
		}
		return violations
	})
}
