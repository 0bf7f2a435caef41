package docs

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	configv1 "github.com/openshift/api/config/v1"
	"sigs.k8s.io/yaml"
)

// vocabulary has all names that pages may mention, by kind. A name is in a set if its value is true.
type vocabulary struct {
	fields     fields
	conditions map[string]bool
	reasons    map[string]bool
	written    pairs           // reasons by condition, of all kinds
	constants  map[string]bool // values of the API's constants
	metrics    map[string]bool
	labels     map[string]bool // of metrics
	resources  map[string]bool // kinds of the project and their names in commands
	manifests  map[string]bool // keys and scalars in manifests/: names of objects, API groups, rights, annotations
	declared   map[string]bool // Go: Test…, package.Name, Type.Name
	literals   []string        // Go: strings that programs may print or write
	exact      map[string]bool // Go: strings of the manager's code
	storyWords map[string]bool // Go: strings of the scenario library and its tests, and fields of the YAML of scenarios
	targets    map[string]bool // of the Makefile
	files      map[string]bool // base names
}

func newVocabulary(t *testing.T) *vocabulary {
	t.Helper()
	v := &vocabulary{
		fields:     fieldsOfCRDs(t),
		conditions: valuesOf(apiConstants(t, "Condition")),
		reasons:    map[string]bool{},
		written:    pairs{},
		constants:  valuesOf(apiConstants(t, "")),
		metrics:    valuesOf(apiConstants(t, "Metric")),
		labels:     valuesOf(apiConstants(t, "MetricLabel")),
		resources:  map[string]bool{},
		manifests:  map[string]bool{},
		declared:   map[string]bool{},
		targets:    map[string]bool{},
		files:      map[string]bool{},
		exact:      map[string]bool{},
		storyWords: map[string]bool{},
	}
	for reason := range reasonsInCode(t) {
		v.reasons[reason] = true
	}
	for _, written := range pairsInCode(t) {
		for condition, reasons := range written {
			v.conditions[condition] = true
			for reason := range reasons {
				v.written.add(condition, reason)
			}
		}
	}
	for _, condition := range []configv1.ClusterStatusConditionType{
		configv1.OperatorAvailable, configv1.OperatorProgressing, configv1.OperatorDegraded, configv1.OperatorUpgradeable, configv1.EvaluationConditionsDetected,
	} {
		v.conditions[string(condition)] = true
	}
	for _, target := range regexp.MustCompile(`(?m)^([a-z0-9-]+):`).FindAllStringSubmatch(readFile(t, "Makefile"), -1) {
		v.targets[target[1]] = true
	}
	for _, isVariable := range regexp.MustCompile(`\$\(([A-Z]+)\)|(?m)^([A-Z]+) \??=`).FindAllStringSubmatch(readFile(t, "Makefile"), -1) {
		v.declared["$"+isVariable[1]+isVariable[2]] = true
	}
	v.addManifests(t)
	v.addCode(t)
	return v
}

func valuesOf(constants map[string]string) map[string]bool {
	values := map[string]bool{}
	for _, value := range constants {
		values[value] = true
	}
	return values
}

// addManifests adds every key and scalar in manifests/, except in the CRDs' schemas, and the resource names of the CRDs.
func (v *vocabulary) addManifests(t *testing.T) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, "manifests", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		content := readFile(t, filepath.Join("manifests", filepath.Base(path)))
		var object map[string]any
		if err := yaml.Unmarshal([]byte(content), &object); err != nil {
			t.Fatalf("reading %s: %v", path, err)
		}
		if object["kind"] == "CustomResourceDefinition" {
			for _, name := range resourceNames(object) {
				v.resources[name] = true
			}
			object = map[string]any{"metadata": object["metadata"]}
		}
		if kind, isText := object["kind"].(string); isText {
			if metadata, isMap := object["metadata"].(map[string]any); isMap {
				name, _ := metadata["name"].(string)
				v.manifests[kind+"/"+name] = true
				if namespace, has := metadata["namespace"].(string); has {
					v.manifests[namespace+"/"+name] = true
				}
			}
		}
		addScalars(object, v.manifests)
		for _, verb := range checkedVerb.FindAllStringSubmatch(content, -1) {
			v.manifests[verb[1]] = true
		}
	}
}

// checkedVerb matches a verb that an admission policy checks.
var checkedVerb = regexp.MustCompile(`\.check\('([a-z-]+)'\)`)

// resourceNames returns the names of a CRD's kind, and its API group with and without the version.
func resourceNames(crd map[string]any) []string {
	spec := crd["spec"].(map[string]any)
	names, group := spec["names"].(map[string]any), spec["group"].(string)
	plural := names["plural"].(string)
	found := []string{names["kind"].(string), plural, names["singular"].(string), plural + "." + group, group}
	for _, short := range list(names["shortNames"]) {
		found = append(found, short.(string))
	}
	for _, version := range list(spec["versions"]) {
		found = append(found, group+"/"+version.(map[string]any)["name"].(string))
	}
	return found
}

func list(value any) []any {
	items, _ := value.([]any)
	return items
}

func addScalars(value any, to map[string]bool) {
	switch value := value.(type) {
	case map[string]any:
		for key, inner := range value {
			to[key] = true
			addScalars(inner, to)
		}
	case []any:
		for _, inner := range value {
			addScalars(inner, to)
		}
	case string:
		to[value] = true
		for _, word := range strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == '|' }) { // feature sets, metrics
			to[word] = true
		}
	case bool:
		to[strconv.FormatBool(value)] = true
	}
}
