package unpack

import (
	"errors"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/bundle"
)

const plainProperties = "properties:\n- {type: olm.package, value: {packageName: memo, version: 1.2.3}}\n- {type: olm.maxOpenShiftVersion, value: '4.20'}\n- {type: olm.maxOpenShiftVersion, value: soon}\n"

func TestHRD_M3_BundlesAreReadAsTheClassSays(t *testing.T) {
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
		// refused is a part of the error, and class the class that it names.
		refused, class string
	}{
		"plain, without metadata": {files: plainFiles, format: corev1alpha2.FormatPlainV0},
		"plain, with metadata": {files: with("metadata/properties.yaml", plainProperties), format: corev1alpha2.FormatPlainV0,
			want: bundle.Metadata{Name: "memo.v1.2.3", Package: "memo", Version: "1.2.3", MaxOpenShiftVersions: []string{`"4.20"`, `"soon"`}}},
		"plain, with a ClusterServiceVersion": {files: map[string]string{"manifests/csv.yaml": string(csv)}, format: corev1alpha2.FormatPlainV0,
			want: bundle.Metadata{Warnings: []string{
				`manifests/csv.yaml: ClusterServiceVersion "minimal.v0.1.0" is applied as written: if OLM installs an operator from it, the cluster upgrade gate does not count that operator`,
			}}},
		"plain, configured": {files: plainFiles, format: corev1alpha2.FormatPlainV0, config: `{"watchNamespace":"a"}`,
			refused: "spec.config: plain+v0 bundles have no configuration; remove it"},
		"plain, by the class of registry+v1": {files: with("metadata/annotations.yaml", said("plain+v0")), format: corev1alpha2.FormatRegistryV1,
			refused: `reading "metadata/annotations.yaml": the bundle's format is "plain+v0", but the provisioner class reads only "registry+v1"`, class: "core-rukpak-io-plain"},
		"plain, by the class of registry+v1, and bad": {files: map[string]string{"manifests/a.yaml": "# nothing", "metadata/annotations.yaml": said("plain+v0")}, format: corev1alpha2.FormatRegistryV1,
			refused: `the provisioner class reads only "registry+v1"; read as plain+v0, the bundle cannot be installed either: reading directory "manifests": it has no objects; a plain+v0 bundle must have at least one`},
		"registry+v1, by the class of plain": {files: map[string]string{"manifests/csv.yaml": string(csv), "metadata/annotations.yaml": said("registry+v1")}, format: corev1alpha2.FormatPlainV0,
			refused: `reading "metadata/annotations.yaml": the bundle's format is "registry+v1", but the provisioner class reads only "plain+v0"`, class: "core-rukpak-io-registry"},
		"registry+v1 by its metadata alone, by the class of plain": {files: with("metadata/annotations.yaml", said("registry+v1")), format: corev1alpha2.FormatPlainV0,
			refused: `the provisioner class reads only "plain+v0"; read as registry+v1, the bundle cannot be installed either: loading bundle of package "memo": no manifest is a ClusterServiceVersion; add one`},
		"plain that does not say so, by the class of registry+v1": {files: plainFiles, format: corev1alpha2.FormatRegistryV1,
			refused: `reading "metadata/annotations.yaml": the file does not exist, and no manifest is a ClusterServiceVersion, so the bundle's format is "plain+v0", but the provisioner class reads only "registry+v1"`, class: "core-rukpak-io-plain"},
		"registry+v1 without metadata, by its class": {files: map[string]string{"manifests/csv.yaml": string(csv)}, format: corev1alpha2.FormatRegistryV1,
			refused: `reading "metadata/annotations.yaml": the file does not exist; add it with the package's name under "operators.operatorframework.io.bundle.package.v1"`},
		"helm, by the class of plain": {files: with("metadata/annotations.yaml", said("helm")), format: corev1alpha2.FormatPlainV0,
			refused: `the bundle's format is "helm", but the provisioner class reads only "plain+v0"`},
		"plain, with a name of the manager's": {files: with("manifests/b.yaml", "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: 'reserved:memo'}}"), format: corev1alpha2.FormatPlainV0,
			refused: `"reserved:memo", a name that is reserved for the manager; rename it`},
		"a format of nobody": {files: plainFiles, format: "else", refused: `bundle format "else" is not supported by this manager; use one of: registry+v1, plain+v0`},
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
			if c.refused != "" {
				if got.Invalid == nil || !strings.Contains(got.Invalid.Error(), c.refused) {
					t.Errorf("refused: %v\nwant %s", got.Invalid, c.refused)
				}
				class := ""
				if mismatch := new(bundle.FormatError); errors.As(got.Invalid, &mismatch) {
					class = mismatch.Class()
				}
				if class != c.class {
					t.Errorf("names class %q, want %q", class, c.class)
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
