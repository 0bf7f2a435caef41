package payload

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/openshift/library-go/pkg/manifest"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

const (
	folder    = "../../manifests"
	component = "platform-operators"
	namespace = "openshift-platform-operators"
	account   = "platform-operators"
	snapshot  = "0.0.1-snapshot"

	imageReferences = "image-references"
)

// payload is the content of a manifests folder. objects are in the order in which the CVO applies them.
type payload struct {
	files   map[string]string // content by name
	objects []object
}

type object struct {
	file string
	manifest.Manifest
}

func (o object) String() string {
	return fmt.Sprintf("%s (%s %s)", o.file, o.GVK.Kind, o.Obj.GetName())
}

// rule is one rule for the whole payload. check returns the violations; none if the payload follows the rule.
type rule struct {
	name  string
	check func(*payload) []string
}

func allRules() []rule {
	return slices.Concat(fileRules, crdRules, podRules, networkRules, rbacRules, admissionRules, reportRules, monitoringRules)
}

// Promise CLU-P1: Every file in `manifests/` keeps the rules for the payload: order of names, annotations, image references, CRDs, Pods,
// network policies, RBAC, admission policies and monitoring.
func TestCLU_P1ThePayloadKeepsEveryRule(t *testing.T) {
	p := read(t)
	for _, rule := range allRules() {
		t.Run(rule.name, func(t *testing.T) {
			for _, violation := range rule.check(p) {
				t.Error(violation)
			}
		})
	}
}

// read parses the payload of this checkout.
func read(t *testing.T) *payload {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, entry := range entries {
		content, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[entry.Name()] = string(content)
	}
	p, err := parse(files)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// parse parses manifests, by file name, as the CVO does. It does not parse image-references.
func parse(files map[string]string) (*payload, error) { return reparse(files, &payload{}) }

// reparse returns the payload of files. It parses the files that differ from before, and copies the objects of the other files.
func reparse(files map[string]string, before *payload) (*payload, error) {
	p := &payload{files: files}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if name == imageReferences {
			continue
		}
		if content, exists := before.files[name]; exists && content == files[name] {
			p.objects = append(p.objects, before.ofFile(name)...)
			continue
		}
		manifests, err := manifest.ParseManifests(strings.NewReader(files[name]))
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", name, err)
		}
		for _, m := range manifests {
			p.objects = append(p.objects, object{file: name, Manifest: m})
		}
	}
	return p, nil
}

// ofFile returns the objects of a file.
func (p *payload) ofFile(name string) []object {
	return slices.DeleteFunc(slices.Clone(p.objects), func(o object) bool { return o.file != name })
}

// ofKind returns the objects of a kind.
func (p *payload) ofKind(kind string) []object {
	return slices.DeleteFunc(slices.Clone(p.objects), func(o object) bool { return o.GVK.Kind != kind })
}

// typed returns an object as a T. It returns an error if the object has a field that T does not have.
func typed[T any](o object) (T, error) {
	var result T
	err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(o.Obj.Object, &result, true)
	if err != nil {
		err = fmt.Errorf("%s: %w", o, err)
	}
	return result, err
}

// allTyped calls check with every object of a kind, converted to T, and returns the violations. A payload without such an object is a
// violation, and so is an object that cannot be converted.
func allTyped[T any](p *payload, kind string, check func(object, T) []string) []string {
	var violations []string
	objects := p.ofKind(kind)
	if len(objects) == 0 {
		return []string{"the payload has no " + kind}
	}
	for _, o := range objects {
		converted, err := typed[T](o)
		if err != nil {
			violations = append(violations, err.Error())
			continue
		}
		violations = append(violations, check(o, converted)...)
	}
	return violations
}

// expect appends a violation unless the condition holds.
func expect(violations *[]string, condition bool, format string, args ...any) {
	if !condition {
		*violations = append(*violations, fmt.Sprintf(format, args...))
	}
}

func nested(o *unstructured.Unstructured, fields ...string) any {
	value, _, _ := unstructured.NestedFieldNoCopy(o.Object, fields...)
	return value
}
