package bundle

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/Masterminds/semver/v3"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"

	"github.com/openshift/platform-operators/test/realdata"
)

// kubernetesDecode reads objects the way Kubernetes' own tools do: YAML to JSON to object.
func kubernetesDecode(data []byte) ([]map[string]any, error) {
	decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), 4096)
	var objects []map[string]any
	for {
		var u unstructured.Unstructured
		if err := decoder.Decode(&u); err == io.EOF {
			return objects, nil
		} else if err != nil {
			return nil, err
		}
		if len(u.Object) > 0 {
			objects = append(objects, u.Object)
		}
	}
}

// latestManifests returns the paths of the manifests of each real package's latest version. Kubernetes' decoder is too slow for all
// versions.
func latestManifests(t *testing.T) []string {
	t.Helper()
	var files []string
	for _, dir := range realdata.Glob(t, "bundles/*") {
		versions, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil || len(versions) == 0 {
			t.Fatalf("%s holds no version: %v", dir, err)
		}
		latest := slices.MaxFunc(versions, func(a, b string) int { return versionOf(t, a).Compare(versionOf(t, b)) })
		manifests, err := filepath.Glob(filepath.Join(latest, "manifests", "*"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, manifests...)
	}
	return files
}

// versionOf parses the version in the name of a directory, with or without a leading "v".
func versionOf(t *testing.T, dir string) *semver.Version {
	t.Helper()
	version, err := semver.NewVersion(filepath.Base(dir))
	if err != nil {
		t.Fatalf("%s is named after no version: %v", dir, err)
	}
	return version
}

func TestRealManifestsDecodeAsKubernetesDecodesThem(t *testing.T) {
	for _, file := range latestManifests(t) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want, err := kubernetesDecode(data)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		objects, err := decodeObjects(file, data)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		var got []map[string]any
		for _, o := range objects {
			got = append(got, o.Object)
		}
		// cmp takes seconds for what reflect compares in milliseconds here.
		if !reflect.DeepEqual(want, got) {
			t.Errorf("%s (-kubernetes +here):\n%.2000s", file, cmp.Diff(want, got))
		}
	}
}
