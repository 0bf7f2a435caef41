package scenarios

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/Masterminds/semver/v3"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// kindsOfFields has, by kind, the kinds whose fields messages on it may name. The gate's message on the ClusterOperator is about other kinds.
var kindsOfFields = map[string][]string{
	"PlatformOperator":        {"PlatformOperator"},
	"BundleDeployment":        {"BundleDeployment"},
	"Bundle":                  {"Bundle"},
	"ClusterOperator":         {"PlatformOperator", "BundleDeployment"},
	"PlatformOperatorManager": {"PlatformOperator", "BundleDeployment", "PlatformOperatorManager"},
}

var (
	// headingPattern matches the line of a golden file that names an object, or an Event about one, and conditionPattern one with a condition.
	headingPattern   = regexp.MustCompile(`^\s+(?:event: \w+ \w+ )?([A-Z]\w+)/[a-z0-9.-]+(?:$|:)`)
	conditionPattern = regexp.MustCompile(`^\s+[A-Z]\w+=\w+ \w+: (.*)$`)
	// fieldPattern matches a field of an object, and the kind if the message names another one.
	fieldPattern   = regexp.MustCompile(`\b((?:spec|status)(?:\.[a-zA-Z]+)+)(?: of (?:the )?([A-Z]\w+))?`)
	patchPattern   = regexp.MustCompile(`(?:oc|kubectl) patch \S+ \S+ --type=(merge|json) -p '([^']*)'`)
	rangePattern   = regexp.MustCompile(`(?:update to |name one in spec\.package\.version to permit it, for example ")(>=[^ "]+)`)
	forbiddenRange = regexp.MustCompile(`[≥≤]`)
)

// schemas returns the schemas of the kinds in manifests/, by kind.
func schemas(t *testing.T) map[string]*apiextensionsv1.JSONSchemaProps {
	t.Helper()
	files, err := filepath.Glob("../../manifests/*.crd.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no CRD in manifests/: %v", err)
	}
	found := map[string]*apiextensionsv1.JSONSchemaProps{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.Unmarshal(content, crd); err != nil {
			t.Fatal(err)
		}
		found[crd.Spec.Names.Kind] = crd.Spec.Versions[0].Schema.OpenAPIV3Schema
	}
	return found
}

// hasField reports whether a schema has a field, such as spec.package.version.
func hasField(schema *apiextensionsv1.JSONSchemaProps, path string) bool {
	for _, name := range strings.Split(path, ".") {
		for schema != nil && schema.Type == "array" {
			schema = schema.Items.Schema
		}
		if schema == nil {
			return false
		}
		next, found := schema.Properties[name]
		if !found {
			return false
		}
		schema = &next
	}
	return true
}

// Promise HRD-U7: A PlatformOperator has condition Drifted, too. Each field that a message names exists on the object that carries the message, or on the kind that the message names. Each
// command of a message can be parsed, and each range is valid.
func TestHRD_U7_MessagesNameExistingFieldsAndValidValues(t *testing.T) {
	all := schemas(t)
	fields, commands := 0, 0
	err := fs.WalkDir(os.DirFS("scenarios"), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".golden") {
			return err
		}
		content, err := os.ReadFile(filepath.Join("scenarios", path))
		if err != nil {
			return err
		}
		kind := ""
		for _, line := range strings.Split(string(content), "\n") {
			if heading := headingPattern.FindStringSubmatch(line); heading != nil {
				kind = heading[1]
			}
			message := conditionPattern.FindStringSubmatch(line)
			if message == nil {
				message = []string{"", line} // the next line of a message
			}
			fields += checkFields(t, all, path, kind, message[1])
			commands += checkValues(t, path, message[1])
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if fields == 0 || commands == 0 {
		t.Errorf("the golden files have %d fields and %d commands", fields, commands)
	}
}

// checkFields checks the fields that a message on an object of a kind names, and returns their number.
func checkFields(t *testing.T, all map[string]*apiextensionsv1.JSONSchemaProps, path, kind, message string) (count int) {
	t.Helper()
	for _, named := range fieldPattern.FindAllStringSubmatch(message, -1) {
		kinds := kindsOfFields[kind]
		if named[2] != "" {
			kinds = []string{named[2]}
		}
		found := false
		for _, each := range kinds {
			found = found || hasField(all[each], named[1])
		}
		if count++; !found {
			t.Errorf("%s: a message on a %s names %s, which %v does not have: %s", path, kind, named[1], kinds, message)
		}
	}
	return count
}

// checkValues checks the patches and the ranges in a message, and returns the number of patches.
func checkValues(t *testing.T, path, message string) int {
	t.Helper()
	patches := patchPattern.FindAllStringSubmatch(message, -1)
	for _, patch := range patches {
		if !json.Valid([]byte(patch[2])) {
			t.Errorf("%s: the patch %s is not valid JSON", path, patch[2])
		}
	}
	for _, each := range rangePattern.FindAllStringSubmatch(message, -1) {
		if _, err := semver.NewConstraint(each[1]); err != nil {
			t.Errorf("%s: the range %q is not valid: %v", path, each[1], err)
		}
	}
	if forbiddenRange.MatchString(message) {
		t.Errorf("%s: a range cannot be pasted: %s", path, message)
	}
	return len(patches)
}
