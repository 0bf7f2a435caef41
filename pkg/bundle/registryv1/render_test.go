package registryv1_test

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	gocmp "github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/bundle/registryv1"
)

func load(tb testing.TB, fsys fstest.MapFS) *registryv1.Bundle {
	tb.Helper()
	b, err := registryv1.Load(fsys)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func render(tb testing.TB, b *registryv1.Bundle) []unstructured.Unstructured {
	tb.Helper()
	return renderWith(tb, b, bundle.Options{})
}

// renderWith renders with the given options; the defaults are install-ns and certificates by service-ca.
func renderWith(tb testing.TB, b *registryv1.Bundle, opts bundle.Options) []unstructured.Unstructured {
	tb.Helper()
	opts.InstallNamespace = cmp.Or(opts.InstallNamespace, "install-ns")
	opts.Certificates = cmp.Or(opts.Certificates, bundle.ServiceCA)
	objects, err := b.Render(opts)
	if err != nil {
		tb.Fatal(err)
	}
	return objects
}

// watching returns a configuration of namespaces to watch.
func watching(namespaces string) []byte {
	return fmt.Appendf(nil, `{"watchNamespace": %q}`, namespaces)
}

// goldens are the golden renderings: a directory of testdata/bundles, whose CSV begins with a comment on its purpose, and the options. The
// golden file is next to the directory, with the name given here.
var goldens = map[string]struct {
	bundle string
	config string
	by     bundle.CertificateProvider
}{
	"minimal":               {bundle: "minimal"},
	"everything":            {bundle: "everything"},
	"webhooks":              {bundle: "webhooks"},
	"webhooks-cert-manager": {bundle: "webhooks", by: bundle.CertManager},
	"scoped": {bundle: "scoped", config: `{"watchNamespace": "two,one", "deploymentConfig": {
		"nodeSelector": {"infra": "true"},
		"tolerations": [{"key": "own", "operator": "Exists"}, {"key": "infra", "operator": "Exists"}],
		"resources": {"limits": {"memory": "1Gi"}},
		"env": [{"name": "B", "value": "config"}, {"name": "C", "value": "config"}, {"name": "OPERATOR_CONDITION_NAME", "value": "no"}],
		"envFrom": [{"configMapRef": {"name": "own"}}, {"secretRef": {"name": "config"}}],
		"volumes": [{"name": "data", "configMap": {"name": "config"}}, {"name": "more", "emptyDir": {}}],
		"volumeMounts": [{"name": "more", "mountPath": "/more"}, {"name": "data", "mountPath": "/elsewhere"}],
		"affinity": {"nodeAffinity": {}, "podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "host"}]}},
		"annotations": {"both": "the config loses", "more": "config"}}}`},
}

func TestRenderGolden(t *testing.T) {
	dirs, err := filepath.Glob("testdata/bundles/*/metadata")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no bundles: %v", err)
	}
	for _, dir := range dirs {
		if name := filepath.Base(filepath.Dir(dir)); goldens[name].bundle != name {
			t.Errorf("bundle %s is not rendered", name)
		}
	}
	for name, c := range goldens {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join("testdata/bundles", c.bundle)
			text := func(fsys fs.FS) []byte {
				b, err := registryv1.Load(fsys)
				if err != nil {
					t.Fatal(err)
				}
				var out bytes.Buffer
				for _, o := range renderWith(t, b, bundle.Options{Config: []byte(c.config), Certificates: c.by}) {
					data, err := yaml.Marshal(o.Object)
					if err != nil {
						t.Fatal(err)
					}
					out.WriteString("---\n" + string(data))
				}
				return out.Bytes()
			}
			got := text(os.DirFS(dir))
			checkGolden(t, "testdata/bundles/"+name+".golden.yaml", got)
			if diff := gocmp.Diff(string(got), string(text(shuffled{os.DirFS(dir)}))); diff != "" {
				t.Errorf("with its files in reverse order (-first +then):\n%s", diff)
			}
		})
	}
}

func TestRenderRefuses(t *testing.T) {
	cases := map[string]struct {
		files     map[string]string
		namespace string
		want      string
	}{
		"no install namespace":          {nil, "", `rendering bundle "sample.v1.2.3": install namespace "" is not a namespace name: a lowercase RFC 1123 label`},
		"a namespace that cannot exist": {nil, "a.b", `rendering bundle "sample.v1.2.3": install namespace "a.b" is not a namespace name: must not contain dots`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := load(t, sample(c.files)).Render(bundle.Options{InstallNamespace: c.namespace})
			if wrong := (*bundle.NamespaceError)(nil); !errors.As(err, &wrong) || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got %v, want %s, as a *bundle.NamespaceError", err, c.want)
			}
		})
	}
}

func TestAManifestOfAnObjectOfTheClusterServiceVersionIsRefused(t *testing.T) {
	files := map[string]string{"manifests/csv.yaml": csv("      deployments:\n",
		"      clusterPermissions: [{serviceAccountName: sample, rules: [{verbs: [get], apiGroups: [''], resources: [pods]}]}]\n      deployments:\n")}
	for _, o := range render(t, load(t, sample(files))) {
		if o.GetKind() == "ClusterRole" {
			files["manifests/role.yaml"] = "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: " + o.GetName() + "}}"
		}
	}
	_, err := load(t, sample(files)).Render(bundle.Options{InstallNamespace: "install-ns"})
	if want := "is defined twice, by a manifest and by the ClusterServiceVersion; rename or remove one"; err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("got %v, want …%s", err, want)
	}
}

func TestCallersMayChangeMetadataOfRenderedObjects(t *testing.T) {
	b := load(t, sample(map[string]string{"manifests/a.yaml": "{apiVersion: v1, kind: Secret, metadata: {name: a, labels: {a: b}, annotations: {a: b}}}"}))
	want := renderedJSON(render(t, b))
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for _, o := range render(t, b) {
				o.SetLabels(map[string]string{"x": "y"})
				o.SetNamespace("elsewhere")
				o.Object["metadata"].(map[string]any)["annotations"] = map[string]any{"x": "y"}
				unstructured.RemoveNestedField(o.Object, "spec")
			}
		})
	}
	group.Wait()
	if diff := gocmp.Diff(string(want), string(renderedJSON(render(t, b)))); diff != "" {
		t.Errorf("the next rendering shows it (-want +got):\n%s", diff)
	}
}

func ExampleLoad() {
	b, err := registryv1.Load(os.DirFS("testdata/bundles/minimal"))
	if err != nil {
		fmt.Println(err)
		return
	}
	m := b.Metadata()
	fmt.Println(m.Package, m.Version, m.MaxOpenShiftVersions)
	objects, err := b.Render(bundle.Options{InstallNamespace: m.InstallNamespace()})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, o := range objects {
		fmt.Println(o.GetKind(), o.GetName())
	}
	// Output:
	// minimal 0.1.0 [4.20]
	// ServiceAccount minimal
	// Deployment minimal
}

func BenchmarkLoadAndRenderRealBundles(b *testing.B) {
	for _, dir := range realBundles(b) {
		b.Run(shortName(dir), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				outcome(os.DirFS(dir), bundle.ServiceCA)
			}
		})
	}
}
