package registryv1_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/bundle/registryv1"
)

const (
	annotationsYAML = "annotations:\n  operators.operatorframework.io.bundle.package.v1: sample\n"

	csvYAML = `apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata:
  name: sample.v1.2.3
spec:
  version: 1.2.3
  installModes:
  - {type: AllNamespaces, supported: true}
  - {type: OwnNamespace, supported: true}
  customresourcedefinitions:
    owned:
    - {name: samples.example.com, version: v1, kind: Sample}
  install:
    strategy: deployment
    spec:
      deployments:
      - name: sample
        spec:
          selector: {matchLabels: {app: sample}}
          template:
            metadata: {labels: {app: sample}}
            spec:
              serviceAccountName: sample
              containers:
              - {name: manager, image: example.com/sample}
`
	crdYAML = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: samples.example.com
spec:
  group: example.com
  names: {kind: Sample, plural: samples}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, default: null}}
`
)

// sample returns a small valid bundle with the given files replaced; an empty text removes a file.
func sample(files map[string]string) fstest.MapFS {
	all := map[string]string{
		"metadata/annotations.yaml": annotationsYAML,
		"manifests/csv.yaml":        csvYAML,
		"manifests/crd.yaml":        crdYAML,
	}
	maps.Copy(all, files)
	fsys := fstest.MapFS{}
	for name, text := range all {
		if text != "" {
			fsys[name] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	return fsys
}

// csv returns the sample's ClusterServiceVersion with replacements: pairs of old and new text.
func csv(pairs ...string) string {
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(csvYAML, pairs[i]) {
			panic("the sample has no " + pairs[i])
		}
	}
	return strings.NewReplacer(pairs...).Replace(csvYAML)
}

// TestENG_F7_ErrorsNameFileAndObject compares the complete error of each fault: the file, the object, and the fix.
//
// Promise ENG-F7: A registry+v1 bundle with missing annotations, subdirectories, hidden or non-UTF-8 files, two CSVs, unsupported kinds,
// APIServices, or missing or conflicting CRDs is refused with an error that names the file and the object.
func TestENG_F7_ErrorsNameFileAndObject(t *testing.T) {
	cases := map[string]struct {
		files map[string]string
		want  string
	}{
		"a directory without annotations.yaml": {map[string]string{"metadata/annotations.yaml": ""},
			`reading "metadata/annotations.yaml": the file does not exist; add it with the package's name under "operators.operatorframework.io.bundle.package.v1"`},
		"a plain+v0 bundle without metadata": {map[string]string{"metadata/annotations.yaml": "", "manifests/csv.yaml": ""},
			`reading "metadata/annotations.yaml": the file does not exist, and no manifest is a ClusterServiceVersion, so the bundle's format is "plain+v0", but the provisioner class reads only "registry+v1"`},
		"a sub-directory":          {map[string]string{"manifests/more/a.yaml": "a: b"}, `reading "manifests/more": subdirectories are not allowed among the manifests; move the files up`},
		"a hidden file":            {map[string]string{"manifests/.a.yaml": "a: b"}, `reading "manifests/.a.yaml": hidden files are not allowed among the manifests; remove it`},
		"a file that is not UTF-8": {map[string]string{"manifests/a.yaml": "a: \xff"}, `reading "manifests/a.yaml": it is not UTF-8 text; save it as UTF-8`},
		"two ClusterServiceVersions": {map[string]string{"manifests/other.yaml": csv("sample.v1.2.3", "other")},
			`loading bundle of package "sample": two ClusterServiceVersions, "sample.v1.2.3" in manifests/csv.yaml and "other" in manifests/other.yaml; remove one`},
		"a kind that the format does not have": {map[string]string{"manifests/a.yaml": "{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: a}}"},
			`validating bundle "sample.v1.2.3": manifests/a.yaml: DaemonSet "a": registry+v1 bundles must not contain objects of kind DaemonSet (apps/v1); remove it`},
		"a kind that is called Secret and is none": {map[string]string{"manifests/a.yaml": "{apiVersion: example.com/v1, kind: Secret, metadata: {name: a}}"},
			`validating bundle "sample.v1.2.3": manifests/a.yaml: Secret "a": registry+v1 bundles must not contain objects of kind Secret (example.com/v1); add the CustomResourceDefinition of this kind, or remove it`},
		"an owned definition that is not there": {map[string]string{"manifests/crd.yaml": ""},
			`validating bundle "sample.v1.2.3": manifests/csv.yaml owns CustomResourceDefinition "samples.example.com", which no manifest defines; add it`},
		"two definitions of one name that differ": {map[string]string{"manifests/crd2.yaml": strings.Replace(crdYAML, "Namespaced", "Cluster", 1)},
			`validating bundle "sample.v1.2.3": CustomResourceDefinition "samples.example.com" is defined twice, in manifests/crd.yaml and in manifests/crd2.yaml; remove one`},
		"an API server of its own": {map[string]string{"manifests/csv.yaml": csv("  install:\n", "  apiservicedefinitions: {owned: [{name: a, group: b.c, version: v1, kind: A}], required: [{group: d.e, version: v2}]}\n  install:\n")},
			`validating bundle "sample.v1.2.3": manifests/csv.yaml owns APIService "v1.b.c"; aggregated APIs (APIServices) are not supported; remove it from spec.apiservicedefinitions.owned; manifests/csv.yaml requires APIService "v2.d.e"; aggregated APIs (APIServices) are not supported; remove it from spec.apiservicedefinitions.required`},
		"a kind of Kubernetes that is not for bundles": {map[string]string{"manifests/a.yaml": "{apiVersion: v1, kind: Namespace, metadata: {name: a}}"},
			`validating bundle "sample.v1.2.3": manifests/a.yaml: Namespace "a": registry+v1 bundles must not contain objects of kind Namespace (v1); remove it`},
		"metadata that is not UTF-8": {map[string]string{"metadata/annotations.yaml": annotationsYAML + "  a: \xff\n"}, `reading "metadata/annotations.yaml": it is not UTF-8 text; save it as UTF-8`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := registryv1.Load(sample(c.files))
			if err == nil {
				t.Fatalf("is loaded; want %s", c.want)
			}
			if diff := cmp.Diff(c.want, err.Error()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestLoadRefuses(t *testing.T) {
	cases := map[string]struct {
		files map[string]string
		want  string
	}{
		"annotations that name no package": {map[string]string{"metadata/annotations.yaml": "annotations: {a: b}"},
			`reading "metadata/annotations.yaml": annotation "operators.operatorframework.io.bundle.package.v1" is missing; add it with the package's name`},
		"annotations without annotations": {map[string]string{"metadata/annotations.yaml": "a: b"},
			`reading "metadata/annotations.yaml": document at line 1: line 1: a mapping "annotations" is required`},
		"a bundle of another format": {map[string]string{"metadata/annotations.yaml": annotationsYAML + "  operators.operatorframework.io.bundle.mediatype.v1: plain+v0\n"},
			`reading "metadata/annotations.yaml": the bundle's format is "plain+v0", but the provisioner class reads only "registry+v1"`},
		"manifests outside of the bundle": {map[string]string{"metadata/annotations.yaml": annotationsYAML + "  operators.operatorframework.io.bundle.manifests.v1: ../etc/\n"},
			`reading "metadata/annotations.yaml": annotation "operators.operatorframework.io.bundle.manifests.v1": "../etc" is not a path inside the bundle`},
		"a file that is no manifest": {map[string]string{"manifests/README.md": "# Hi"}, `reading "manifests/README.md": only .yaml, .yml and .json files are allowed among the manifests; remove it`},
		"a file that is no YAML": {map[string]string{"manifests/a.yaml": "kind: A\n---\na: [b"},
			`reading "manifests/a.yaml": document at line 1: a Kubernetes object requires apiVersion and kind`},
		"broken YAML in a second document": {map[string]string{"manifests/zz.yaml": crdYAML + "---\na: [b"},
			`reading "manifests/zz.yaml": document at line 14: yaml: line 14: did not find expected ',' or ']'`},
		"an object without a name": {map[string]string{"manifests/a.yaml": "{apiVersion: v1, kind: Secret}"},
			`reading "manifests/a.yaml": document at line 1: Secret: metadata.name is required`},
		"a list of numbers": {map[string]string{"manifests/a.yaml": "[1]"}, `reading "manifests/a.yaml": document at line 1: it must be a Kubernetes object, not a list`},
		"no ClusterServiceVersion": {map[string]string{"manifests/csv.yaml": ""},
			`loading bundle of package "sample": no manifest is a ClusterServiceVersion; add one`},
		"a ClusterServiceVersion with a field of the wrong type": {map[string]string{"manifests/csv.yaml": csv("app: sample}}", "app: 7}}")},
			`loading bundle of package "sample": decoding manifests/csv.yaml: ClusterServiceVersion "sample.v1.2.3": json: cannot unmarshal number into Go struct field`},
		"a version that is no semantic version": {map[string]string{"manifests/csv.yaml": csv("version: 1.2.3", "version: one")},
			`loading bundle of package "sample": decoding manifests/csv.yaml: ClusterServiceVersion "sample.v1.2.3": spec.version "one" is not a semantic version: `},
		"a strategy that is no deployment": {map[string]string{"manifests/csv.yaml": csv("strategy: deployment", "strategy: helm")},
			`validating bundle "sample.v1.2.3": manifests/csv.yaml: install strategy "helm" is not known; use "deployment"`},
		"a bundle that supports no mode": {map[string]string{"manifests/csv.yaml": csv("supported: true", "supported: false")},
			`validating bundle "sample.v1.2.3": manifests/csv.yaml supports no install mode, so the operator can watch nothing; set supported: true for one of spec.installModes`},
		"a definition of v1beta1": {map[string]string{"manifests/crd.yaml": strings.Replace(crdYAML, "k8s.io/v1", "k8s.io/v1beta1", 1)},
			`validating bundle "sample.v1.2.3": manifests/crd.yaml: CustomResourceDefinition "samples.example.com": Kubernetes does not serve apiextensions.k8s.io/v1beta1; convert the object to apiextensions.k8s.io/v1`},
		"a version that is a path": {map[string]string{"manifests/a.yaml": "{apiVersion: policy/.., kind: PodDisruptionBudget, metadata: {name: a}}"},
			`validating bundle "sample.v1.2.3": manifests/a.yaml: PodDisruptionBudget "a": apiVersion "policy/.." is invalid; use a version such as v1, or group and version such as apps/v1`},
		"a namespace that is no string": {map[string]string{"manifests/a.yaml": "{apiVersion: v1, kind: Secret, metadata: {name: a, namespace: 12}}"},
			`validating bundle "sample.v1.2.3": manifests/a.yaml: Secret "a": metadata.namespace must be a string, not a number; put it in quotes`},
		"an owned version that is not there": {map[string]string{"manifests/csv.yaml": csv("com, version: v1", "com, version: v2")},
			`validating bundle "sample.v1.2.3": manifests/csv.yaml owns version "v2" of CustomResourceDefinition "samples.example.com", which does not have this version; correct the version, or add it to the CustomResourceDefinition`},
		"a Deployment defined twice": {map[string]string{"manifests/csv.yaml": csv("      deployments:\n", "      deployments:\n      - {name: sample, spec: {}}\n")},
			`validating bundle "sample.v1.2.3": manifests/csv.yaml: deployment "sample" is defined twice in the install strategy; remove one`},
		"a deployment name that cannot be": {map[string]string{"manifests/csv.yaml": csv("- name: sample\n", "- name: Sample!\n")},
			`validating bundle "sample.v1.2.3": manifests/csv.yaml: deployment name "Sample!": a lowercase RFC 1123 subdomain must consist of`},
		"properties that are no list": {map[string]string{"metadata/properties.yaml": "properties: {a: b}"},
			`loading bundle "sample.v1.2.3": reading "metadata/properties.yaml": document at line 1: line 1: properties must be a list`},
		"a properties annotation that is no JSON": {map[string]string{"manifests/csv.yaml": csv("name: sample.v1.2.3", "name: sample.v1.2.3\n  annotations: {olm.properties: oops}")},
			`loading bundle "sample.v1.2.3": reading annotation "olm.properties" of manifests/csv.yaml: invalid character 'o' looking for beginning of value; it must be a JSON list of {type, value}`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := registryv1.Load(sample(c.files))
			if err == nil {
				t.Fatalf("is loaded; want %s", c.want)
			}
			if !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got:  %s\nwant: %s", err, c.want)
			}
		})
	}
}

func TestLoadReportsAnAbsentFileAsErrNotExist(t *testing.T) {
	if _, err := registryv1.Load(fstest.MapFS{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want an error that wraps fs.ErrNotExist", err)
	}
}

func TestLoadBoundsItsFindings(t *testing.T) {
	var many strings.Builder
	for i := range 25 {
		fmt.Fprintf(&many, "---\n{apiVersion: example.com/v1, kind: A, metadata: {name: a%02d}}\n", i)
	}
	_, err := registryv1.Load(sample(map[string]string{"manifests/a.yaml": many.String()}))
	if err == nil || !strings.HasSuffix(err.Error(), "; and 15 more") || len(err.Error()) > 5000 {
		t.Errorf("got %v, want ten findings and a count of the rest", err)
	}
}

func TestLoadAccepts(t *testing.T) {
	cases := map[string]struct {
		files map[string]string
		want  int // objects rendered
	}{
		"the sample":                         {nil, 3},
		"the same object under two names":    {map[string]string{"manifests/crd2.yaml": crdYAML}, 3},
		"several documents in a file":        {map[string]string{"manifests/a.yaml": "---\n{apiVersion: v1, kind: Secret, metadata: {name: a}}\n---\n# nothing\n---\n{apiVersion: v1, kind: Secret, metadata: {name: b}}\n"}, 5},
		"a List":                             {map[string]string{"manifests/a.json": `{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}}]}`}, 4},
		"manifests in a directory it names":  {map[string]string{"metadata/annotations.yaml": annotationsYAML + "  operators.operatorframework.io.bundle.manifests.v1: manifests/\n  operators.operatorframework.io.bundle.channel.default.v1: 4.10\n"}, 3},
		"an account that a manifest defines": {map[string]string{"manifests/a.yaml": "{apiVersion: v1, kind: ServiceAccount, metadata: {name: sample, labels: {a: b}}}"}, 3},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			b, err := registryv1.Load(sample(c.files))
			if err != nil {
				t.Fatal(err)
			}
			objects, err := b.Render(bundle.Options{InstallNamespace: "ns"})
			if err != nil || len(objects) != c.want {
				t.Errorf("rendered %d objects, %v; want %d", len(objects), err, c.want)
			}
		})
	}
}

func TestMetadata(t *testing.T) {
	property := func(value string) string {
		return "properties:\n- type: olm.maxOpenShiftVersion\n  value: " + value + "\n"
	}
	annotated := func(properties string) string {
		return csv("name: sample.v1.2.3", "name: sample.v1.2.3\n  annotations:\n    olm.properties: '"+properties+"'\n    operatorframework.io/suggested-namespace: sample-ns",
			"  install:\n", "  minKubeVersion: 1.25.0\n  install:\n")
	}
	cases := map[string]struct {
		files map[string]string
		want  bundle.Metadata
	}{
		"a bundle that declares nothing": {nil, bundle.Metadata{Name: "sample.v1.2.3", Package: "sample", Version: "1.2.3"}},
		"an unquoted version keeps its zero": {map[string]string{"metadata/properties.yaml": property("4.10")},
			bundle.Metadata{Name: "sample.v1.2.3", Package: "sample", Version: "1.2.3", MaxOpenShiftVersions: []string{"4.10"}}},
		"a quoted version keeps its quotes": {map[string]string{"metadata/properties.yaml": property("'4.10'")},
			bundle.Metadata{Name: "sample.v1.2.3", Package: "sample", Version: "1.2.3", MaxOpenShiftVersions: []string{`"4.10"`}}},
		"everything a CSV declares": {map[string]string{"manifests/csv.yaml": annotated(`[{"type": "olm.maxOpenShiftVersion", "value": 4.10}, {"type": "x", "value": {}}]`)},
			bundle.Metadata{Name: "sample.v1.2.3", Package: "sample", Version: "1.2.3", SuggestedNamespace: "sample-ns", MinKubeVersion: "1.25.0", MaxOpenShiftVersions: []string{"4.10"}}},
		"the same value in both places is one": {map[string]string{"metadata/properties.yaml": property(`"4.10"`), "manifests/csv.yaml": annotated(`[{"type": "olm.maxOpenShiftVersion", "value": "4.10"}]`)},
			bundle.Metadata{Name: "sample.v1.2.3", Package: "sample", Version: "1.2.3", SuggestedNamespace: "sample-ns", MinKubeVersion: "1.25.0", MaxOpenShiftVersions: []string{`"4.10"`}}},
		"what one file says twice stays two": {map[string]string{"metadata/properties.yaml": property(`"4.10"`) + "- type: olm.maxOpenShiftVersion\n  value: '4.10'\n"},
			bundle.Metadata{Name: "sample.v1.2.3", Package: "sample", Version: "1.2.3", MaxOpenShiftVersions: []string{`"4.10"`, `"4.10"`}}},
		"two values stay two": {map[string]string{"metadata/properties.yaml": property(`"4.11"`), "manifests/csv.yaml": annotated(`[{"type": "olm.maxOpenShiftVersion", "value": "4.10"}]`)},
			bundle.Metadata{Name: "sample.v1.2.3", Package: "sample", Version: "1.2.3", SuggestedNamespace: "sample-ns", MinKubeVersion: "1.25.0", MaxOpenShiftVersions: []string{`"4.11"`, `"4.10"`}}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			b, err := registryv1.Load(sample(c.files))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, b.Metadata()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
