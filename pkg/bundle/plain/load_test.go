package plain_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/bundle/plain"
)

const (
	object   = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n"
	crd      = "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: lamps.example.com}, spec: {group: example.com, scope: %s, names: {kind: Lamp, plural: lamps}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, default: null}}}]}}\n"
	keyed    = "annotations: {operators.operatorframework.io.bundle.package.v1: lamp, operators.operatorframework.io.bundle.mediatype.v1: plain+v0}\n"
	packaged = "- {type: olm.package, value: {packageName: lamp, version: 1.2.3}}\n"
)

func folder(files map[string]string) fs.FS {
	content := fstest.MapFS{}
	for name, text := range files {
		content[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return content
}

func load(t *testing.T, files map[string]string) *plain.Bundle {
	t.Helper()
	b, err := plain.Load(folder(files))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// rendered returns the rendered objects, each as one line of JSON.
func rendered(t *testing.T, b *plain.Bundle) (lines []string) {
	t.Helper()
	objects, err := b.Render(bundle.Options{InstallNamespace: "ns"})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range objects {
		text, err := json.Marshal(o.Object)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(text))
	}
	return lines
}

func TestMetadata(t *testing.T) {
	properties := func(text string) string { return "properties:\n" + text }
	for name, c := range map[string]struct {
		annotations, properties string
		want                    bundle.Metadata
	}{
		"no metadata at all":                {"", "", bundle.Metadata{}},
		"annotations that name the package": {keyed, "", bundle.Metadata{Package: "lamp"}},
		"annotations that name nothing":     {"annotations: {a: b}", "", bundle.Metadata{}},
		"package and version as a property": {"", properties(packaged), bundle.Metadata{Name: "lamp.v1.2.3", Package: "lamp", Version: "1.2.3"}},
		"both, which say the same":          {keyed, properties(packaged + packaged), bundle.Metadata{Name: "lamp.v1.2.3", Package: "lamp", Version: "1.2.3"}},
		"a limit without a name":            {"", properties("- {type: olm.maxOpenShiftVersion, value: 4.10}\n"), bundle.Metadata{MaxOpenShiftVersions: []string{"4.10"}}},
		"two limits": {"", properties(packaged + "- {type: olm.maxOpenShiftVersion, value: '4.20'}\n- {type: olm.maxOpenShiftVersion, value: '4.21'}\n"),
			bundle.Metadata{Name: "lamp.v1.2.3", Package: "lamp", Version: "1.2.3", MaxOpenShiftVersions: []string{`"4.20"`, `"4.21"`}}},
		"a limit twice":             {"", properties("- {type: olm.maxOpenShiftVersion, value: '4.20'}\n- {type: olm.maxOpenShiftVersion, value: '4.20'}\n"), bundle.Metadata{MaxOpenShiftVersions: []string{`"4.20"`, `"4.20"`}}},
		"a limit that nobody reads": {"", properties("- {type: olm.maxOpenShiftVersion, value: [soon]}\n"), bundle.Metadata{MaxOpenShiftVersions: []string{`["soon"]`}}},
		"other properties":          {"", properties("- {type: olm.gvk, value: 3}\n"), bundle.Metadata{}},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{"manifests/a.yaml": object}
			if c.annotations != "" {
				files["metadata/annotations.yaml"] = c.annotations
			}
			if c.properties != "" {
				files["metadata/properties.yaml"] = c.properties
			}
			if diff := cmp.Diff(c.want, load(t, files).Metadata()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestLoadRefusesABundleWithoutManifests(t *testing.T) {
	const want = `reading directory "manifests": open manifests: file does not exist`
	if _, err := plain.Load(folder(map[string]string{"README": ""})); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestLoadRefuses(t *testing.T) {
	const annotations, properties = "metadata/annotations.yaml", "metadata/properties.yaml"
	for name, c := range map[string]struct {
		files map[string]string
		want  string // of the error
	}{
		"without objects":                     {map[string]string{"manifests/a.yaml": "# nothing\n"}, `reading directory "manifests": it has no objects; a plain+v0 bundle must have at least one`},
		"with an empty List alone":            {map[string]string{"manifests/a.yaml": "{apiVersion: v1, kind: List, items: []}"}, `it has no objects`},
		"with a sub-directory":                {map[string]string{"manifests/a/a.yaml": object}, `reading "manifests/a": subdirectories are not allowed among the manifests`},
		"of another format":                   {map[string]string{annotations: strings.Replace(keyed, "plain+v0", "registry+v1", 1)}, `reading "metadata/annotations.yaml": the bundle's format is "registry+v1", but the provisioner class reads only "plain+v0"`},
		"with manifests outside":              {map[string]string{annotations: "annotations: {operators.operatorframework.io.bundle.manifests.v1: ../x}"}, `"../x" is not a path inside the bundle`},
		"with annotations that are a list":    {map[string]string{annotations: "annotations: []"}, `reading "metadata/annotations.yaml": document at line 1: line 1: a mapping "annotations" is required`},
		"with two names":                      {map[string]string{annotations: strings.Replace(keyed, "lamp", "sun", 1), properties: "properties:\n" + packaged}, `reading "metadata/properties.yaml": property "olm.package": it names package "lamp", but package "sun" is declared before; correct one`},
		"with two versions":                   {map[string]string{properties: "properties:\n" + packaged + strings.Replace(packaged, "1.2.3", "1.2.4", 1)}, `it has version "1.2.4", but version "1.2.3" is declared before; correct one`},
		"with a version that is none":         {map[string]string{properties: "properties:\n" + strings.Replace(packaged, "1.2.3", "'1.2'", 1)}, `version "1.2" is not a semantic version; use one such as 1.2.3`},
		"with a package property of a number": {map[string]string{properties: "properties:\n- {type: olm.package, value: 3}\n"}, `3 must have the form {packageName, version}, with two strings`},
		"with a package property without":     {map[string]string{properties: "properties:\n- {type: olm.package, value: {packageName: lamp}}\n"}, `lacks packageName or version; both are required`},
		"with a package that no label takes":  {map[string]string{annotations: strings.Replace(keyed, "lamp", "La mp", 1)}, `reading metadata: package name "La mp": a lowercase RFC 1123 subdomain`},
		"with properties that are none":       {map[string]string{properties: "properties: {a: b}"}, `reading "metadata/properties.yaml": document at line 1: line 1: properties must be a list`},
		"with two objects that differ":        {map[string]string{"manifests/b.yaml": strings.Replace(object, "}}", "}, data: {a: b}}", 1)}, `validating bundle without a name: ConfigMap "a" is defined twice, in manifests/a.yaml and in manifests/b.yaml; remove one`},
		"with a name that is a path":          {map[string]string{"manifests/b.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: ../a}}"}, `ConfigMap "../a": the name may not contain '/'`},
		"with a label that is no string":      {map[string]string{annotations: keyed, "manifests/b.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: b, labels: {a: 1}}}"}, `validating bundle of package "lamp": manifests/b.yaml: ConfigMap "b": the value of "a" in metadata.labels must be a string, not a number; put it in quotes`},
		"with a namespace that is none":       {map[string]string{"manifests/b.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: b, namespace: a/b}}"}, `ConfigMap "b": namespace "a/b" is invalid: `},
		"with a namespace of a number":        {map[string]string{"manifests/b.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: b, namespace: 12}}"}, `validating bundle without a name: manifests/b.yaml: ConfigMap "b": metadata.namespace must be a string, not a number; put it in quotes`},
		"with a namespace of a truth":         {map[string]string{"manifests/b.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: b, namespace: on}}"}, `ConfigMap "b": metadata.namespace must be a string, not a boolean; put it in quotes`},
		"with a namespace of a mapping":       {map[string]string{"manifests/b.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: b, namespace: {}}}"}, `ConfigMap "b": metadata.namespace must be a string, not a mapping`},
		"with a name of a number":             {map[string]string{"manifests/b.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: 12}}"}, `reading "manifests/b.yaml": document at line 1: ConfigMap: metadata.name must be a string, not a number; put it in quotes`},
		"with a group that is a path":         {map[string]string{"manifests/b.yaml": "{apiVersion: ../healthz, kind: Lamp, metadata: {name: b}}"}, `validating bundle without a name: manifests/b.yaml: Lamp "b": apiVersion "../healthz" is invalid; use a version such as v1, or group and version such as apps/v1`},
		"with a version that is a path":       {map[string]string{"manifests/b.yaml": "{apiVersion: policy/.., kind: Lamp, metadata: {name: b}}"}, `apiVersion "policy/.." is invalid; `},
		"with a version that is missing":      {map[string]string{"manifests/b.yaml": "{apiVersion: apps/, kind: Deployment, metadata: {name: b}}"}, `Deployment "b": apiVersion "apps/" is invalid; `},
		"with a group that is missing":        {map[string]string{"manifests/b.yaml": "{apiVersion: /v1, kind: ConfigMap, metadata: {name: b}}"}, `ConfigMap "b": apiVersion "/v1" is invalid; `},
		"with an apiVersion of three parts, twice": {map[string]string{"manifests/b.yaml": "{apiVersion: a/b/c, kind: Lamp, metadata: {name: b}}\n---\n{apiVersion: a/b/d, kind: Shade, metadata: {name: b}}"},
			`validating bundle without a name: manifests/b.yaml: Lamp "b": apiVersion "a/b/c" is invalid; use a version such as v1, or group and version such as apps/v1; manifests/b.yaml: Shade "b": apiVersion "a/b/d" is invalid; `},
		"with a long apiVersion":   {map[string]string{"manifests/b.yaml": "{apiVersion: " + strings.Repeat("x", 1000) + ", kind: Lamp, metadata: {name: b}}"}, `xxx"… is invalid; use a version such as v1`},
		"with a kind of two words": {map[string]string{"manifests/b.yaml": "{apiVersion: v1, kind: Config Map, metadata: {name: b}}"}, `Config Map "b": kind "Config Map" is invalid; use a kind such as ConfigMap, of at most 63 letters and digits`},
		"with an APIService": {map[string]string{"manifests/b.yaml": "{apiVersion: apiregistration.k8s.io/v1, kind: APIService, metadata: {name: v1.example.com}, spec: {group: example.com, version: v1}}"},
			`validating bundle without a name: manifests/b.yaml: APIService "v1.example.com": aggregated APIs (APIServices) are not supported; remove it`},
		"with a Job that deletes itself": {map[string]string{"manifests/b.yaml": "{apiVersion: batch/v1, kind: Job, metadata: {name: b}, spec: {ttlSecondsAfterFinished: 0}}"},
			`validating bundle without a name: manifests/b.yaml: Job "b": with spec.ttlSecondsAfterFinished, Kubernetes deletes a finished Job, and the manager would create and run it again each time; remove the field`},
		"with an old definition": {map[string]string{"manifests/b.yaml": strings.Replace(fmt.Sprintf(crd, "Cluster"), "io/v1,", "io/v1beta1,", 1)}, `Kubernetes does not serve apiextensions.k8s.io/v1beta1; convert the object to apiextensions.k8s.io/v1`},
		"with a template": {map[string]string{"manifests/b.yaml": "{{ if .Values.a }}\n" + object + "{{ end }}\n"},
			`reading "manifests/b.yaml": document at line 1: `},
	} {
		t.Run(name, func(t *testing.T) {
			if c.files["manifests/a.yaml"] == "" {
				c.files["manifests/a.yaml"] = object
			}
			_, err := plain.Load(folder(c.files))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
			var format *bundle.FormatError
			if errors.As(err, &format) != strings.Contains(c.want, "the bundle's format is") {
				t.Errorf("%v as a FormatError is %+v", err, format)
			}
		})
	}
}

func TestHRD_M3_ClusterServiceVersionIsInstalledAsWrittenWithAWarning(t *testing.T) {
	const csv = "{apiVersion: operators.coreos.com/v1alpha1, kind: ClusterServiceVersion, metadata: {name: lamp.v1.2.3}, spec: {version: 1.2.3}}"
	for name, metadata := range map[string]string{"without metadata": "", "declared": keyed, "without a format": "annotations: {operators.operatorframework.io.bundle.package.v1: lamp}"} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{"manifests/b.yaml": csv}
			if metadata != "" {
				files["metadata/annotations.yaml"] = metadata
			}
			b := load(t, files)
			want := []string{`manifests/b.yaml: ClusterServiceVersion "lamp.v1.2.3" is applied as written: if OLM installs an operator from it, the cluster upgrade gate does not count that operator`}
			if diff := cmp.Diff(want, b.Metadata().Warnings); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
			want = []string{`{"apiVersion":"operators.coreos.com/v1alpha1","kind":"ClusterServiceVersion","metadata":{"name":"lamp.v1.2.3","namespace":"ns"},"spec":{"version":"1.2.3"}}`}
			if diff := cmp.Diff(want, rendered(t, b)); diff != "" {
				t.Errorf("objects (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRenderKeepsManifestsAsWritten(t *testing.T) {
	for name, c := range map[string]struct {
		manifests map[string]string
		want      []string
	}{
		"what looks like a template, several documents and a List": {map[string]string{
			"b.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: b}, data: {a: '{{ .Values.x }} {{ range }}'}}\n---\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n",
			"a.json": `{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "c"}, "stringData": {"d": "${HOME}"}}]}`,
		}, []string{
			`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"ns"}}`,
			`{"apiVersion":"v1","data":{"a":"{{ .Values.x }} {{ range }}"},"kind":"ConfigMap","metadata":{"name":"b","namespace":"ns"}}`,
			`{"apiVersion":"v1","kind":"Secret","metadata":{"name":"c","namespace":"ns"},"stringData":{"d":"${HOME}"}}`,
		}},
		"namespaces by scope": {map[string]string{
			"crd.yaml": fmt.Sprintf(crd, "Namespaced"),
			"a.yaml":   "{apiVersion: example.com/v1, kind: Lamp, metadata: {name: a}, spec: {size: null}}\n---\n{apiVersion: example.com/v1, kind: Lamp, metadata: {name: a, namespace: other}}\n",
			"b.yaml":   "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: a, namespace: other}}\n---\n{apiVersion: else.example.com/v1, kind: Unknown, metadata: {name: a}}\n",
		}, []string{
			`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"lamps.example.com"},"spec":{"group":"example.com","names":{"kind":"Lamp","plural":"lamps"},"scope":"Namespaced","versions":[{"name":"v1","schema":{"openAPIV3Schema":{"default":null,"type":"object"}},"served":true,"storage":true}]}}`,
			`{"apiVersion":"else.example.com/v1","kind":"Unknown","metadata":{"name":"a"}}`,
			`{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{"name":"a","namespace":"ns"},"spec":{"size":null}}`,
			`{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{"name":"a","namespace":"other"}}`,
			`{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"a"}}`,
		}},
		"kinds of OpenShift, and of what it brings": {map[string]string{
			"a.yaml": "{apiVersion: image.openshift.io/v1, kind: ImageStream, metadata: {name: a}}\n---\n{apiVersion: cloudcredential.openshift.io/v1, kind: CredentialsRequest, metadata: {name: a, namespace: other}}\n",
			"b.yaml": "{apiVersion: monitoring.coreos.com/v1beta1, kind: AlertmanagerConfig, metadata: {name: a}}\n---\n{apiVersion: oauth.openshift.io/v1, kind: OAuthClient, metadata: {name: a, namespace: other}}\n",
		}, []string{
			`{"apiVersion":"cloudcredential.openshift.io/v1","kind":"CredentialsRequest","metadata":{"name":"a","namespace":"other"}}`,
			`{"apiVersion":"image.openshift.io/v1","kind":"ImageStream","metadata":{"name":"a","namespace":"ns"}}`,
			`{"apiVersion":"monitoring.coreos.com/v1beta1","kind":"AlertmanagerConfig","metadata":{"name":"a","namespace":"ns"}}`,
			`{"apiVersion":"oauth.openshift.io/v1","kind":"OAuthClient","metadata":{"name":"a"}}`,
		}},
		"what servers and generators leave behind": {map[string]string{
			"a.yaml": "{apiVersion: apps/v1, kind: Deployment, metadata: {name: a, creationTimestamp: null, uid: x, finalizers: [example.com/never], ownerReferences: []}, spec: {replicas: null}, status: {}}\n",
		}, []string{`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a","namespace":"ns"},"spec":{}}`}},
		"Jobs that stay, and those of a CronJob that do not": {map[string]string{
			"a.yaml": "{apiVersion: batch/v1, kind: Job, metadata: {name: a}, spec: {ttlSecondsAfterFinished: null}}\n---\n{apiVersion: batch/v1, kind: CronJob, metadata: {name: a}, spec: {jobTemplate: {spec: {ttlSecondsAfterFinished: 60}}}}\n",
		}, []string{
			`{"apiVersion":"batch/v1","kind":"CronJob","metadata":{"name":"a","namespace":"ns"},"spec":{"jobTemplate":{"spec":{"ttlSecondsAfterFinished":60}}}}`,
			`{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"a","namespace":"ns"},"spec":{}}`,
		}},
		"one that occurs twice, alike": {map[string]string{"a.yaml": object, "b.yaml": object},
			[]string{`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"ns"}}`}},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{}
			for file, text := range c.manifests {
				files["manifests/"+file] = text
			}
			b := load(t, files)
			if diff := cmp.Diff(c.want, rendered(t, b)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			objects, err := b.Render(bundle.Options{InstallNamespace: "ns"})
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range objects {
				o.SetLabels(map[string]string{"changed": "yes"})
				o.SetNamespace("changed")
			}
			if diff := cmp.Diff(c.want, rendered(t, b)); diff != "" {
				t.Errorf("a change of what was rendered shows in the next rendering:\n%s", diff)
			}
		})
	}
}

func TestRenderRefusesConflictsWithTheInstallNamespace(t *testing.T) {
	twice := load(t, map[string]string{
		"manifests/a.yaml": object,
		"manifests/b.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: ns}, data: {a: b}}",
	})
	if _, err := twice.Render(bundle.Options{InstallNamespace: "other"}); err != nil {
		t.Errorf("in another namespace: %v", err)
	}
	_, err := twice.Render(bundle.Options{InstallNamespace: "ns"})
	want := `rendering bundle without a name: ConfigMap "a" of namespace "ns", the install namespace, is defined twice, in manifests/a.yaml and in manifests/b.yaml; remove one`
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	_, err = twice.Render(bundle.Options{InstallNamespace: "No namespace"})
	if wrong := (*bundle.NamespaceError)(nil); !errors.As(err, &wrong) || !strings.HasPrefix(err.Error(), `rendering bundle without a name: install namespace "No namespace" is not a namespace name: `) {
		t.Errorf("got %v", err)
	}
}

func TestCheckConfigRefusesConfiguration(t *testing.T) {
	for raw, refused := range map[string]bool{"": false, "null": false, " {}\n": false, `{"watchNamespace": "a"}`: true, "[]": true, "not JSON": true} {
		err := (&plain.Bundle{}).CheckConfig([]byte(raw))
		if wrong := (*bundle.ConfigError)(nil); errors.As(err, &wrong) != refused || (err != nil) != refused {
			t.Errorf("%q: %v", raw, err)
		}
		_, err = load(t, map[string]string{"manifests/a.yaml": object}).Render(bundle.Options{InstallNamespace: "ns", Config: []byte(raw)})
		if wrong := (*bundle.ConfigError)(nil); errors.As(err, &wrong) != refused {
			t.Errorf("%q: rendered, with %v", raw, err)
		}
	}
}
