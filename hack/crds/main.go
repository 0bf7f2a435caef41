// Command crds converts the output of controller-gen to the CRD manifests of the payload. It sets the file names and
// annotations that the CVO requires, and the defaults of the API server. It removes the descriptions of external types, which
// would make the files much larger, and adds maximums to external types that have none. hack/update-codegen.sh runs it.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

const header = "# Code generated from pkg/apis by `make update`. DO NOT EDIT.\n"

// annotations lists what every manifest of the payload must have; see test/payload. The CVO applies a manifest only if its annotations
// match the cluster.
var annotations = map[string]any{
	"include.release.openshift.io/self-managed-high-availability": "true",
	"release.openshift.io/feature-set":                            "TechPreviewNoUpgrade,DevPreviewNoUpgrade,CustomNoUpgrade",
}

// externalProperties are the paths of properties whose types belong to other projects. trim keeps the description of such a property, and
// removes the descriptions of all fields below it.
var externalProperties = []string{
	"status.conditions",
	"status.generations",
	"spec.catalogSelector", "spec.package.catalogSelector", "spec.allowedNamespaces",
	deploymentConfig + "nodeSelector", deploymentConfig + "tolerations", deploymentConfig + "resources",
	deploymentConfig + "env", deploymentConfig + "envFrom", deploymentConfig + "volumes", deploymentConfig + "volumeMounts",
	deploymentConfig + "affinity", deploymentConfig + "annotations",
	// Fields of OperatorSpec and OperatorStatus, which PlatformOperatorManager embeds.
	"spec.managementState", "spec.logLevel", "spec.operatorLogLevel", "spec.observedConfig", "spec.unsupportedConfigOverrides",
	"status.version", "status.latestAvailableRevision", "status.readyReplicas",
}

const deploymentConfig = "spec.install.config.deploymentConfig."

func main() {
	from := flag.String("from", "", "folder that controller-gen wrote CRDs to")
	to := flag.String("to", "manifests", "folder that manifests are written to")
	flag.Parse()
	if err := convert(*from, *to); err != nil {
		fmt.Fprintln(os.Stderr, "writing CRD manifests:", err)
		os.Exit(1)
	}
}

func convert(from, to string) error {
	inputs, err := filepath.Glob(filepath.Join(from, "*.yaml"))
	if err != nil {
		return err
	}
	if len(inputs) == 0 {
		return fmt.Errorf("%q contains no CRDs; run controller-gen first, as hack/update-codegen.sh does", from)
	}
	for _, input := range inputs {
		content, err := os.ReadFile(input)
		if err != nil {
			return err
		}
		name, output, err := manifest(content)
		if err != nil {
			return fmt.Errorf("converting %q: %w", input, err)
		}
		if err := os.WriteFile(filepath.Join(to, name), output, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// manifest returns the file name and the content of one CRD's manifest. It returns an error for other kinds and for a version without a
// schema.
func manifest(content []byte) (name string, output []byte, err error) {
	var crd map[string]any
	if err := yaml.UnmarshalStrict(content, &crd); err != nil {
		return "", nil, err
	}
	plural, found := at(crd, "spec", "names")["plural"].(string)
	if !found {
		return "", nil, fmt.Errorf("spec.names.plural is missing; is it a CustomResourceDefinition?")
	}
	all := at(crd, "metadata", "annotations")
	for key, value := range annotations {
		all[key] = value
	}
	at(crd, "spec")["conversion"] = map[string]any{"strategy": "None"}

	versions, _ := at(crd, "spec")["versions"].([]any)
	for _, version := range versions {
		schema := at(version, "schema", "openAPIV3Schema")
		if len(schema) == 0 {
			return "", nil, fmt.Errorf("a version of %s has no schema", plural)
		}
		trim(schema, nil)
	}
	output, err = yaml.Marshal(crd)
	if err != nil {
		return "", nil, err
	}
	return "0000_50_platform-operators_10-" + plural + ".crd.yaml", append([]byte(header), output...), nil
}

// trim removes the descriptions below the external properties of a schema, and adds maximums to these properties. path is the position of
// schema in the CRD, as in externalProperties.
func trim(schema map[string]any, path []string) {
	properties, _ := schema["properties"].(map[string]any)
	for name, property := range properties {
		child, ok := property.(map[string]any)
		if !ok {
			continue
		}
		childPath := append(slices.Clone(path), name)
		if slices.Contains(externalProperties, strings.Join(childPath, ".")) {
			for key, below := range child {
				if key != "description" {
					dropDescriptions(below)
				}
			}
			bound(child)
			continue
		}
		trim(child, childPath)
	}
}

// dropDescriptions removes every description in a part of a schema. It keeps a property that is named "description".
func dropDescriptions(part any) {
	switch part := part.(type) {
	case map[string]any:
		if _, isText := part["description"].(string); isText {
			delete(part, "description")
		}
		for _, below := range part {
			dropDescriptions(below)
		}
	case []any:
		for _, below := range part {
			dropDescriptions(below)
		}
	}
}

// maxForeignString is the maximum length of a string in an external type. maxForeignItems is the maximum number of items of a list or map
// in an external type. Both are far above any realistic value.
const (
	maxForeignString = 32 << 10
	maxForeignItems  = 256
	// maxQuantity is the maximum length of a Quantity or a port. A pattern does not limit the length, and the API server parses
	// every digit.
	maxQuantity = 256
)

// bound adds a maximum length or size to each string, list and map in a part of a schema that has none. Strings with an enum or a format
// need none, because the API server rejects values that do not match.
func bound(part any) {
	switch part := part.(type) {
	case map[string]any:
		if part["x-kubernetes-int-or-string"] == true { // the other fields must stay as they are
			setDefault(part, "maxLength", maxQuantity)
			return
		}
		boundOne(part)
		for _, below := range part {
			bound(below)
		}
	case []any:
		for _, below := range part {
			bound(below)
		}
	}
}

func boundOne(schema map[string]any) {
	_, enumerated := schema["enum"]
	_, formatted := schema["format"]
	switch schema["type"] {
	case "string":
		if !enumerated && !formatted {
			setDefault(schema, "maxLength", maxForeignString)
		}
	case "array":
		setDefault(schema, "maxItems", maxForeignItems)
	case "object":
		_, isMap := schema["additionalProperties"]
		if isMap || schema["x-kubernetes-preserve-unknown-fields"] == true {
			setDefault(schema, "maxProperties", maxForeignItems)
		}
	}
}

// setDefault sets the field name of a schema, such as "maxItems", unless the schema already has that field.
func setDefault(schema map[string]any, name string, maximum int) {
	if _, set := schema[name]; !set {
		schema[name] = maximum
	}
}

// at returns the map at a path of keys. It creates missing maps. If object is not a map, the result is a new map that is not part of
// object.
func at(object any, keys ...string) map[string]any {
	current, ok := object.(map[string]any)
	if !ok {
		return map[string]any{}
	}
	for _, key := range keys {
		next, ok := current[key].(map[string]any)
		if !ok {
			next = map[string]any{}
			current[key] = next
		}
		current = next
	}
	return current
}
