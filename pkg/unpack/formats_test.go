package unpack

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/bundle"
)

const plainProperties = "properties:\n- {type: olm.package, value: {packageName: memo, version: 1.2.3}}\n- {type: olm.maxOpenShiftVersion, value: '4.20'}\n- {type: olm.maxOpenShiftVersion, value: soon}\n"

func TestBundlesAreReadAsTheClassSays(t *testing.T) {
	plainFiles := map[string]string{"manifests/a.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {text: '{{ .Release }}'}}"}
	with := func(name, text string) map[string]string {
		files := map[string]string{name: text}
		for each, text := range plainFiles {
			files[each] = text
		}
		return files
	}
	said := func(format string) string {
		return "annotations: {operators.operatorframework.io.bundle.package.v1: memo, operators.operatorframework.io.bundle.mediatype.v1: " + format + "}"
	}
	csv, err := os.ReadFile(bundles + "/minimal/manifests/csv.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		files  map[string]string
		format string
		config string
		want   bundle.Metadata
		advice string
	}{
		"plain, without metadata": {files: plainFiles, format: corev1alpha2.FormatPlainV0},
		"plain, with metadata": {files: with("metadata/properties.yaml", plainProperties), format: corev1alpha2.FormatPlainV0,
			want: bundle.Metadata{Name: "memo.v1.2.3", Package: "memo", Version: "1.2.3", MaxOpenShiftVersions: []string{`"4.20"`, `"soon"`}}},
		"plain, configured": {files: plainFiles, format: corev1alpha2.FormatPlainV0, config: `{"watchNamespace":"a"}`,
			advice: "spec.config: plain+v0 bundles take no configuration; remove it. Correct spec.config."},
		"plain, by the class of registry+v1": {files: with("metadata/annotations.yaml", said("plain+v0")), format: corev1alpha2.FormatRegistryV1,
			advice: `reading "metadata/annotations.yaml": the bundle's format is "plain+v0"; only "registry+v1" is read here. Name class "core-rukpak-io-plain" in spec.provisionerClassName, which reads that format; `},
		"registry+v1, by the class of plain": {files: with("metadata/annotations.yaml", said("registry+v1")), format: corev1alpha2.FormatPlainV0,
			advice: `reading "metadata/annotations.yaml": the bundle's format is "registry+v1"; only "plain+v0" is read here. Name class "core-rukpak-io-registry" in spec.provisionerClassName, which reads that format; `},
		"registry+v1 that does not say so, by the class of plain": {files: map[string]string{"manifests/csv.yaml": string(csv)}, format: corev1alpha2.FormatPlainV0,
			advice: `reading "manifests/csv.yaml": the bundle's format is "registry+v1"; only "plain+v0" is read here. Name class "core-rukpak-io-registry"`},
		"plain that does not say so, by the class of registry+v1": {files: plainFiles, format: corev1alpha2.FormatRegistryV1,
			advice: `reading "metadata/annotations.yaml": the file is absent, so this is no registry+v1 bundle`},
		"helm, by the class of plain": {files: with("metadata/annotations.yaml", said("helm")), format: corev1alpha2.FormatPlainV0,
			advice: `the bundle's format is "helm"; only "plain+v0" is read here. No shipped ProvisionerClass reads that format; choose another version or another package.`},
		"plain, with a name of the manager's": {files: with("manifests/b.yaml", "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: 'reserved:memo'}}"), format: corev1alpha2.FormatPlainV0,
			advice: `"reserved:memo", a name that is kept for the manager's own; rename it`},
		"a format of nobody": {files: plainFiles, format: "else", advice: `bundles of format "else" are not read here`},
	} {
		t.Run(name, func(t *testing.T) {
			files := fstest.MapFS{}
			for name, text := range c.files {
				files[name] = &fstest.MapFile{Data: []byte(text)}
			}
			got, err := newRenderer(t).Render(t.Context(), Request{Source: from("a", files), Format: c.format, Namespace: "ns", Config: c.config})
			if err != nil {
				t.Fatal(err)
			}
			if c.advice != "" {
				if got.Invalid == nil || !strings.Contains(got.Advice(), c.advice) {
					t.Errorf("refused: %v\nwant %s", got.Invalid, c.advice)
				}
				return
			}
			if got.Invalid != nil || len(got.Objects) != 1 || got.Objects[0].GetNamespace() != "ns" {
				t.Fatalf("%d objects, refused: %v", len(got.Objects), got.Invalid)
			}
			if diff := cmp.Diff(c.want, got.Metadata); diff != "" {
				t.Errorf("metadata (-want +got):\n%s", diff)
			}
		})
	}
}
