package registryv1_test

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/bundle/registryv1"
)

const csvAPIVersion = "apiVersion: operators.coreos.com/v1alpha1"

// Promise HRD-F2: A ClusterServiceVersion under another API group or version is read as one of operators.coreos.com/v1alpha1, and status
// has a warning that names it. If it cannot be read as that, the error names the file and its apiVersion.
func TestHRD_F2_ACSVUnderAnotherAPIVersionIsReadWithAWarning(t *testing.T) {
	want := load(t, sample(nil))
	for _, apiVersion := range []string{"operators.coreos.com/v1", "operators.coreos.com/v1beta1", "v1alpha1", "app.coreos.com/v1alpha1", "a/b/c"} {
		t.Run(apiVersion, func(t *testing.T) {
			b := load(t, sample(map[string]string{"manifests/csv.yaml": csv(csvAPIVersion, "apiVersion: "+apiVersion)}))
			if diff := gocmp.Diff(string(renderedJSON(render(t, want))), string(renderedJSON(render(t, b)))); diff != "" {
				t.Errorf("renders differently (-want +got):\n%s", diff)
			}
			warning := fmt.Sprintf(`manifests/csv.yaml: ClusterServiceVersion "sample.v1.2.3" has apiVersion %q and was read as operators.coreos.com/v1alpha1; set that apiVersion`, apiVersion)
			if diff := gocmp.Diff([]string{warning}, b.Metadata().Warnings); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
	if warnings := want.Metadata().Warnings; len(warnings) > 0 {
		t.Errorf("with the right apiVersion: %q", warnings)
	}
}

func TestHRD_F2_ACSVThatCannotBeReadIsNamedWithItsAPIVersion(t *testing.T) {
	const readAs = `; manifests/csv.yaml has apiVersion "example.com/v7" and was read as operators.coreos.com/v1alpha1`
	other := func(pairs ...string) string {
		return csv(append([]string{csvAPIVersion, "apiVersion: example.com/v7"}, pairs...)...)
	}
	definition := strings.NewReplacer("samples", "clusterserviceversions", "Sample", "ClusterServiceVersion").Replace(crdYAML)
	cases := map[string]struct {
		files map[string]string
		want  string
	}{
		"fields of other types": {map[string]string{"manifests/csv.yaml": other("version: 1.2.3", "version: one")},
			`loading bundle of package "sample": decoding manifests/csv.yaml: ClusterServiceVersion "sample.v1.2.3": spec.version "one" is not a semantic version: Invalid character(s) found in major number "0one"` + readAs},
		"other fields": {map[string]string{"manifests/csv.yaml": other("strategy: deployment", "kind: deployment")},
			`validating bundle "sample.v1.2.3": manifests/csv.yaml: install strategy "" is not known; use "deployment"` + readAs},
		"properties that are no list": {map[string]string{"manifests/csv.yaml": other(), "metadata/properties.yaml": "properties: 7"},
			`loading bundle "sample.v1.2.3": reading "metadata/properties.yaml": document at line 1: line 1: properties must be a list` + readAs},
		"a custom resource of the bundle's own kind is no ClusterServiceVersion": {map[string]string{"manifests/csv.yaml": other(), "manifests/own.yaml": definition},
			`loading bundle of package "sample": no manifest is a ClusterServiceVersion; add one`},
		"one of each apiVersion": {map[string]string{"manifests/other.yaml": other("sample.v1.2.3", "other")},
			`loading bundle of package "sample": two ClusterServiceVersions, "sample.v1.2.3" in manifests/csv.yaml and "other" in manifests/other.yaml; remove one`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := registryv1.Load(sample(c.files))
			if err == nil || err.Error() != c.want {
				t.Errorf("got:  %v\nwant: %s", err, c.want)
			}
		})
	}
}

// changed returns a copy of a real bundle with another text of its ClusterServiceVersion.
func changed(tb testing.TB, dir string, change func(csv string) string) fstest.MapFS {
	tb.Helper()
	files, csvFile := fstest.MapFS{}, ""
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(os.DirFS(dir), name)
		if strings.Contains(string(data), "\nkind: ClusterServiceVersion\n") && path.Dir(name) == "manifests" {
			csvFile, data = name, []byte(change(string(data)))
		}
		files[name] = &fstest.MapFile{Data: data}
		return err
	})
	if err != nil || csvFile == "" {
		tb.Fatalf("changing the ClusterServiceVersion, found in %q: %v", csvFile, err)
	}
	return files
}

// everyFourth calls test for every fourth real bundle that renders, so that all packages with several bundles take part.
func everyFourth(t *testing.T, test func(t *testing.T, dir string)) {
	t.Helper()
	for i, dir := range realBundles(t) {
		if i%4 == 0 && !strings.HasPrefix(realOutcomes()[dir], "refused: ") {
			t.Run(shortName(dir), func(t *testing.T) { test(t, dir) })
		}
	}
}

func TestHRD_F2_RealBundlesRenderTheSameUnderAnotherAPIVersion(t *testing.T) {
	everyFourth(t, func(t *testing.T, dir string) {
		files := changed(t, dir, func(csv string) string {
			if !strings.Contains(csv, csvAPIVersion) {
				t.Error("the test changes nothing")
			}
			return strings.Replace(csv, csvAPIVersion, "apiVersion: operators.coreos.com/v1", 1)
		})
		if got := outcome(files, bundle.ServiceCA); got != realOutcomes()[dir] {
			t.Errorf("got %s, want %s", got, realOutcomes()[dir])
		}
	})
}
