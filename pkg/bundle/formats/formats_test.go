package formats_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/bundle/formats"
)

// named returns the values of the API's constants whose names begin with Format.
func named(t *testing.T) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../../apis/core/v1alpha2/formats.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	ast.Inspect(file, func(node ast.Node) bool {
		spec, ok := node.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(spec.Names[0].Name, "Format") {
			return true
		}
		literal, ok := spec.Values[0].(*ast.BasicLit)
		if !ok {
			t.Fatalf("%s is no literal", spec.Names[0])
		}
		value, err := strconv.Unquote(literal.Value)
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, value)
		return true
	})
	return values
}

func TestEveryFormatOfTheAPIIsSupported(t *testing.T) {
	var read []string
	for _, each := range formats.All() {
		read = append(read, each.Name())
		if corev1alpha2.ClassOf(each.Name()) == "" {
			t.Errorf("format %q has no ProvisionerClass", each.Name())
		}
		if strings.Contains(each.Name(), "/") || each.RendererVersion() < 1 {
			t.Errorf("format %q has renderer %q, from which the format cannot be derived", each.Name(), bundle.RendererOf(each))
		}
	}
	if api := named(t); !slices.Equal(api, read) || len(api) == 0 {
		t.Errorf("the API names the formats %q, and %q are read", api, read)
	}
}

// TestRenderersOfStoredRevisions pins the values that are stored with revisions: after a change, all bundles are rendered again.
func TestRenderersOfStoredRevisions(t *testing.T) {
	for name, want := range map[string]string{"registry+v1": "registry+v1/2", "plain+v0": "plain+v0/1", "else": ""} {
		if got := formats.Renderer(name); got != want {
			t.Errorf("the renderer of %q is %q, want %q", name, got, want)
		}
	}
}

func TestFindNamesAnUnknownFormat(t *testing.T) {
	if _, err := formats.Find("else"); err == nil || err.Error() != `bundle format "else" is not supported by this manager; use one of: registry+v1, plain+v0` {
		t.Errorf("got %v", err)
	}
}
