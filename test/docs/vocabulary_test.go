package docs

import (
	"go/ast"
	"io/fs"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	configv1 "github.com/openshift/api/config/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// vocabulary is every name that pages may mention, by what it is a name of.
type vocabulary struct {
	fields     fields
	conditions map[string]bool
	reasons    map[string]bool
	written    pairs           // reasons by the condition that code gives them to, on any kind
	constants  map[string]bool // values of the API's constants
	metrics    map[string]bool
	labels     map[string]bool // of metrics
	resources  map[string]bool // kinds of the project, and what a command may call them
	manifests  map[string]bool // keys and scalars of manifests/: names of objects, API groups, rights, annotations
	declared   map[string]bool // Go: Test…, package.Name, Type.Name
	literals   []string        // Go: strings that programs may print or write
	exact      map[string]bool // Go: those of the manager's code
	ofStories  map[string]bool // Go: those of the scenario library and its tests, and what the YAML of stories has
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
		ofStories:  map[string]bool{},
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
	for _, variable := range regexp.MustCompile(`\$\(([A-Z]+)\)|(?m)^([A-Z]+) \??=`).FindAllStringSubmatch(readFile(t, "Makefile"), -1) {
		v.declared["$"+variable[1]+variable[2]] = true
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

// addManifests adds every key and scalar of manifests/ but those of the CRDs' schemas, and what the CRDs call their kinds.
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
	}
}

// resourceNames are what a CRD calls its kind, and its API group with and without the version.
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

var environmentVariable = regexp.MustCompile(`^[A-Z]+(_[A-Z]+)+$`)

// skipped are folders that have no code of the project.
var skipped = []string{"vendor", "_output", ".git"}

// addCode adds what Go files declare, the strings of the manager's and the extension's, and the base names of all files.
func (v *vocabulary) addCode(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if slices.Contains(skipped, entry.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		v.files[entry.Name()] = true
		if filepath.Ext(path) == ".go" && !strings.HasPrefix(path, filepath.Join(root, "pkg", "client")) {
			v.addFile(t, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (v *vocabulary) addFile(t *testing.T, path string) {
	t.Helper()
	file := parsed(t, path)
	inStories := strings.Contains(path, "/scenario") || strings.Contains(path, "/parity/")
	inManager := strings.HasPrefix(path, filepath.Join(root, "pkg")) && !inStories
	isTest := strings.HasSuffix(path, "_test.go")
	folder, err := filepath.Rel(root, filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	declare := func(name string) {
		v.declared[name], v.declared[file.Name.Name+"."+name], v.declared[folder+"."+name] = true, true, true
	}
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.FuncDecl:
			declare(node.Name.Name)
			v.declared["."+node.Name.Name] = v.declared["."+node.Name.Name] || node.Recv != nil // a method
		case *ast.TypeSpec:
			declare(node.Name.Name)
			if fields, isStruct := node.Type.(*ast.StructType); isStruct {
				for _, field := range fields.Fields.List {
					for _, name := range field.Names {
						v.declared[node.Name.Name+"."+name.Name] = true
					}
				}
			}
		case *ast.Field:
			for _, name := range node.Names {
				v.declared[folder+"."+name.Name] = true
			}
			if node.Tag != nil {
				words := strings.Split(reflect.StructTag(strings.Trim(node.Tag.Value, "`")).Get("json"), ",")
				v.exact[words[0]] = v.exact[words[0]] || inManager && !isTest
				v.ofStories[words[0]] = v.ofStories[words[0]] || inStories
			}
		case *ast.CallExpr:
			if strings.HasPrefix(selected(node.Fun), "flag.") && len(node.Args) > 1 {
				if name, isText := node.Args[0].(*ast.BasicLit); isText {
					v.declared["flag "+strings.Trim(name.Value, `"`)] = true
				}
			}
		case *ast.ValueSpec:
			for _, name := range node.Names {
				declare(name.Name)
			}
		case *ast.BasicLit:
			text, err := strconv.Unquote(node.Value)
			if err == nil && (!isTest || inManager) { // a test beside the code expects what that puts together
				v.literals = append(v.literals, text)
			}
			if err == nil && !isTest {
				v.exact[text] = v.exact[text] || inManager
				v.ofStories[text] = v.ofStories[text] || inStories
			}
			if err == nil && environmentVariable.MatchString(text) {
				v.declared["$"+text] = true
			}
		}
		return true
	})
}

// fields are the paths of what CRDs' schemas have, without indices: "spec.install.drift.policy"; with what may be there.
type fields map[string][]any

func fieldsOfCRDs(t *testing.T) fields {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, "manifests", "*.crd.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	all := fields{}
	for _, path := range paths {
		var crd struct {
			Spec struct {
				Versions []struct {
					Schema struct{ OpenAPIV3Schema map[string]any }
				}
			}
		}
		if err := yaml.Unmarshal([]byte(readFile(t, filepath.Join("manifests", filepath.Base(path)))), &crd); err != nil {
			t.Fatalf("reading %s: %v", path, err)
		}
		for _, version := range crd.Spec.Versions {
			all.add("", version.Schema.OpenAPIV3Schema)
		}
	}
	for i := range reflect.TypeFor[metav1.ObjectMeta]().NumField() {
		all["metadata."+strings.Split(reflect.TypeFor[metav1.ObjectMeta]().Field(i).Tag.Get("json"), ",")[0]] = nil
	}
	if len(all) < 300 {
		t.Fatalf("found %d fields; the CRDs must look otherwise now", len(all))
	}
	return all
}

func (f fields) add(path string, schema map[string]any) {
	properties, _ := schema["properties"].(map[string]any)
	for name, inner := range properties {
		at := strings.TrimPrefix(path+"."+name, ".")
		described, _ := inner.(map[string]any)
		f[at] = append(f[at], list(described["enum"])...)
		f.add(at, described)
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if inner, isMap := schema[key].(map[string]any); isMap {
			if key == "items" {
				f[path] = append(f[path], list(inner["enum"])...)
			}
			f.add(path, inner)
		}
	}
}

// find gives the values that fields accept of which a path is the end, or an inner part; found says whether there are any.
func (f fields) find(path string) (accepted []string, found bool) {
	path = strings.ReplaceAll(strings.TrimPrefix(path, "."), "[]", "")
	for known, values := range f {
		if known == path || strings.HasSuffix(known, "."+path) {
			found = true
			for _, value := range values {
				if text, isText := value.(string); isText {
					accepted = append(accepted, text)
				}
			}
		}
	}
	return accepted, found
}

// accepts is whether a field has a value in its enumeration.
func (f fields) accepts(value string) bool {
	for _, values := range f {
		if slices.Contains(values, any(value)) {
			return true
		}
	}
	return false
}
