package registryv1_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

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
	objects, err := b.Render(registryv1.Options{InstallNamespace: "install-ns"})
	if err != nil {
		tb.Fatal(err)
	}
	return objects
}

// Each directory of testdata/bundles is a bundle whose CSV begins with a comment on what it shows; what it renders to lies
// beside it.
func TestRenderGolden(t *testing.T) {
	dirs, err := filepath.Glob("testdata/bundles/*")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no bundles: %v", err)
	}
	for _, dir := range dirs {
		if strings.HasSuffix(dir, ".golden.yaml") {
			continue
		}
		t.Run(filepath.Base(dir), func(t *testing.T) {
			b, err := registryv1.Load(os.DirFS(dir))
			if err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			for _, o := range render(t, b) {
				text, err := yaml.Marshal(o.Object)
				if err != nil {
					t.Fatal(err)
				}
				out.WriteString("---\n" + string(text))
			}
			checkGolden(t, dir+".golden.yaml", []byte(out.String()))
			if got, want := outcome(shuffled{os.DirFS(dir)}), outcome(os.DirFS(dir)); got != want {
				t.Errorf("with its files in reverse order: %s, want %s", got, want)
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
		"no install namespace":          {nil, "", `rendering bundle "sample.v1.2.3": install namespace "": a lowercase RFC 1123 label`},
		"a namespace that cannot exist": {nil, "a.b", `rendering bundle "sample.v1.2.3": install namespace "a.b": must not contain dots`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := load(t, sample(c.files)).Render(registryv1.Options{InstallNamespace: c.namespace})
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

// permissions gives the sample a ServiceAccount with rights; the name and the rules are the caller's.
func permissions(version, account, verb string) map[string]string {
	return map[string]string{"manifests/csv.yaml": csv(
		"name: sample.v1.2.3", "name: sample.v"+version, "version: 1.2.3", "version: "+version,
		"      deployments:\n", fmt.Sprintf("      clusterPermissions:\n      - {serviceAccountName: %s, rules: [{verbs: [%s], apiGroups: [''], resources: [pods]}]}\n      deployments:\n", account, verb))}
}

func clusterRoleNames(objects []unstructured.Unstructured) []string {
	var names []string
	for _, o := range objects {
		if o.GetKind() == "ClusterRole" {
			names = append(names, o.GetName())
		}
	}
	return names
}

func TestRoleNamesStayAcrossVersionsAndFit(t *testing.T) {
	long := strings.Repeat("long-", 40) + "name"
	for _, account := range []string{"sample", "default", long} {
		old := clusterRoleNames(render(t, load(t, sample(permissions("1.2.3", account, "get")))))
		next := clusterRoleNames(render(t, load(t, sample(permissions("1.3.0", account, "list")))))
		if diff := cmp.Diff(old, next); diff != "" || len(old) != 1 {
			t.Errorf("account %q: roles are renamed by an upgrade (-old +next):\n%s", account, diff)
		}
		if len(old[0]) > 63 {
			t.Errorf("account %q: the role's name %q has %d characters", account, old[0], len(old[0]))
		}
	}
	one := clusterRoleNames(render(t, load(t, sample(permissions("1.2.3", long+"1", "get")))))
	two := clusterRoleNames(render(t, load(t, sample(permissions("1.2.3", long+"2", "get")))))
	if cmp.Equal(one, two) {
		t.Errorf("two accounts that differ behind the cut share the role %v", one)
	}
}

func TestCallersMayChangeMetadataOfWhatIsRendered(t *testing.T) {
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
	if diff := cmp.Diff(string(want), string(renderedJSON(render(t, b)))); diff != "" {
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
	objects, err := b.Render(registryv1.Options{InstallNamespace: m.InstallNamespace()})
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
				outcome(os.DirFS(dir))
			}
		})
	}
}
