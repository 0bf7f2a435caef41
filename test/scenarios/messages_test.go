package scenarios

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/Masterminds/semver/v3"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"sigs.k8s.io/yaml"

	"github.com/openshift/platform-operators/pkg/cli"
	"github.com/openshift/platform-operators/pkg/cli/invocation"
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
	fieldPattern = regexp.MustCompile(`\b((?:spec|status)(?:\.[a-zA-Z]+)+)(?: of (?:the )?([A-Z]\w+))?`)
	patchPattern = regexp.MustCompile(`(?:oc|kubectl) patch (\S+) \S+ --type=(merge|json) -p '([^']*)'`)
	rangePattern = regexp.MustCompile(`(?:update to |write it like |for example )"?([!<>=~^]+[^" ]+)`)
	// pluginPattern matches a command of the plugin. A message has it in double quotes.
	pluginPattern  = regexp.MustCompile(`(.?)\b(?:oc|kubectl) platform ([^"]*)("?)`)
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

// Promise HRD-U7: A PlatformOperator has condition Drifted, too. Each field that a message names exists on the object that carries the
// message, or on the kind that the message names. Each command of a message can be parsed, including commands of the plugin, and each range
// is valid.
func TestHRD_U7_MessagesNameExistingFieldsAndValidValues(t *testing.T) {
	all := schemas(t)
	fields, patches, ranges, ofPlugin := 0, 0, 0, 0
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
			patches += checkPatches(t, all, path, message[1])
			ranges += checkRanges(t, path, message[1])
			ofPlugin += checkPluginCommands(t, path, message[1])
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if fields == 0 || patches == 0 || ranges == 0 || ofPlugin == 0 {
		t.Errorf("the messages in golden files have %d fields, %d patches, %d ranges, and %d commands of the plugin", fields, patches, ranges, ofPlugin)
	}
}

// checkPluginCommands checks that the plugin has the commands in a message, with these flags and arguments, and returns their number.
func checkPluginCommands(t *testing.T, path, message string) int {
	t.Helper()
	found := pluginPattern.FindAllStringSubmatch(message, -1)
	for _, each := range found {
		if each[1] != `"` || each[3] != `"` {
			t.Errorf("%s: a command of the plugin is not in double quotes: %s", path, message)
			continue
		}
		if err := parsePluginCommand(strings.Fields(each[2])); err != nil {
			t.Errorf("%s: the plugin does not take %q: %v", path, each[2], err)
		}
	}
	return len(found)
}

// parsePluginCommand parses the words of a command of the plugin as the plugin does, and does not run it.
func parsePluginCommand(words []string) error {
	root := cli.NewCommand(invocation.New("oc-platform", genericiooptions.NewTestIOStreamsDiscard()))
	command, rest, err := root.Find(words)
	switch {
	case err != nil:
		return err
	case command == root:
		return fmt.Errorf("there is no command %q", words)
	}
	if err := command.ParseFlags(rest); err != nil {
		return err
	}
	return command.ValidateArgs(command.Flags().Args())
}

func TestUnknownPluginCommandsInMessagesAreFound(t *testing.T) {
	for words, want := range map[string]bool{
		"status": true, "status memo": true, "explain upgrade": true, "updates memo": true, "catalog lint DIR": true, "search kafka --versions": true,
		"explane memo": false, "explain": false, "status a b": false, "updates memo --nothing": false, "catalog lint": false,
	} {
		if err := parsePluginCommand(strings.Fields(words)); (err == nil) != want {
			t.Errorf("%s: %v", words, err)
		}
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

// checkPatches checks that the patches in a message are valid, and set fields that the patched kind has. It returns their number.
func checkPatches(t *testing.T, all map[string]*apiextensionsv1.JSONSchemaProps, path, message string) int {
	t.Helper()
	patches := patchPattern.FindAllStringSubmatch(message, -1)
	for _, patch := range patches {
		kind := patchedKind(all, patch[1])
		if kind == "" {
			continue // of another component
		}
		fields, err := patchedFields(patch[2], []byte(patch[3]))
		if err != nil || len(fields) == 0 {
			t.Errorf("%s: the patch %s sets %v: %v", path, patch[3], fields, err)
		}
		for _, field := range fields {
			if !hasField(all[kind], field) {
				t.Errorf("%s: the patch %s sets %s, which a %s does not have", path, patch[3], field, kind)
			}
		}
	}
	return len(patches)
}

// patchedKind returns the kind that a command names in lower case, such as platformoperator; empty if it is not among the schemas.
func patchedKind(all map[string]*apiextensionsv1.JSONSchemaProps, resource string) string {
	for kind := range all {
		if strings.EqualFold(kind, resource) {
			return kind
		}
	}
	return ""
}

// patchedFields returns the fields that a merge patch or a JSON patch sets, such as spec.package.version.
func patchedFields(form string, body []byte) (fields []string, err error) {
	if form == "merge" {
		var value map[string]any
		err := json.Unmarshal(body, &value)
		return leaves(value, ""), err
	}
	var operations []struct {
		Path  string `json:"path"`
		Value any    `json:"value"`
	}
	err = json.Unmarshal(body, &operations)
	for _, each := range operations {
		names := strings.FieldsFunc(each.Path, func(r rune) bool { return r == '/' })
		names = slices.DeleteFunc(names, func(name string) bool { return name == "-" || isNumber.MatchString(name) })
		fields = append(fields, leaves(each.Value, strings.Join(names, "."))...)
	}
	return fields, err
}

// isNumber matches the index of an entry in the path of a JSON patch.
var isNumber = regexp.MustCompile(`^[0-9]+$`)

// leaves returns the paths of the leaves of a JSON value at a path. The entries of a list have the path of the list.
func leaves(value any, at string) (paths []string) {
	switch value := value.(type) {
	case map[string]any:
		for name, each := range value {
			paths = append(paths, leaves(each, strings.TrimPrefix(at+"."+name, "."))...)
		}
	case []any:
		for _, each := range value {
			paths = append(paths, leaves(each, at)...)
		}
	default:
		paths = []string{at}
	}
	return paths
}

// checkRanges checks the ranges of versions in a message, and returns their number.
func checkRanges(t *testing.T, path, message string) int {
	t.Helper()
	ranges := rangePattern.FindAllStringSubmatch(message, -1)
	for _, each := range ranges {
		if _, err := semver.NewConstraint(each[1]); err != nil {
			t.Errorf("%s: the range %q is not valid: %v", path, each[1], err)
		}
	}
	if forbiddenRange.MatchString(message) {
		t.Errorf("%s: a range cannot be pasted: %s", path, message)
	}
	return len(ranges)
}
