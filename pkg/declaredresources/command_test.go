package declaredresources

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"sigs.k8s.io/yaml"

	"github.com/openshift/multi-operator-manager/pkg/library/libraryinputresources"
	"github.com/openshift/multi-operator-manager/pkg/library/libraryoutputresources"
)

var update = flag.Bool("update", false, "write the golden files in testdata anew")

// commands are the two commands, with a new value of the type that each prints.
var commands = map[string]struct {
	new  func(genericiooptions.IOStreams) *cobra.Command
	into func() any
}{
	"input-resources":  {NewInputResourcesCommand, func() any { return &libraryinputresources.InputResources{} }},
	"output-resources": {NewOutputResourcesCommand, func() any { return &libraryoutputresources.OutputResources{} }},
}

// run runs a command and returns its output.
func run(t *testing.T, name string, args ...string) (string, error) {
	t.Helper()
	streams, _, output, _ := genericiooptions.NewTestIOStreams()
	command := commands[name].new(streams)
	if command.Name() != name {
		t.Errorf("the command is %q, want %q", command.Name(), name)
	}
	command.SetArgs(append([]string{}, args...)) // nil would be the arguments of the test
	err := command.ExecuteContext(t.Context())
	return output.String(), err
}

// write writes files into a new directory and returns its path.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestTheStaticPartIsInTheTypesOfMultiOperatorManager(t *testing.T) {
	for name, test := range commands {
		t.Run(name, func(t *testing.T) {
			got, err := run(t, name)
			if err != nil {
				t.Fatal(err)
			}
			if first, _, _ := strings.Cut(got, "\n"); !strings.HasPrefix(first, "# ") || !strings.Contains(first, "--input-dir") {
				t.Errorf("the first line is %q", first)
			}
			decoded := test.into()
			if err := yaml.UnmarshalStrict([]byte(got), decoded); err != nil {
				t.Error(err)
			}
			golden := filepath.Join("testdata", name+".yaml")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("if that is meant, run the test with -update (-want +got):\n%s", diff)
			}
		})
	}
}

// TestInputsAreValidated shows that the command of multi-operator-manager validates what it prints, so that a run without an error means valid
// inputs.
func TestInputsAreValidated(t *testing.T) {
	streams, _, _, _ := genericiooptions.NewTestIOStreams()
	invalid := Static().Inputs()
	invalid.ApplyConfigurationResources.ExactResources[0].Version = ""
	command := libraryinputresources.NewInputResourcesCommand(
		func(context.Context) (*libraryinputresources.InputResources, error) { return invalid, nil },
		func(context.Context) (*libraryoutputresources.OutputResources, error) { return Static().Outputs(), nil }, streams)
	command.SetArgs([]string{})
	if err := command.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), "exactResources[0].version") {
		t.Errorf("got %v", err)
	}
}

// TestEachResourceHasOneVersion checks what multi-operator-manager demands: all entries of a resource have the same version. It also checks
// that no object is listed twice.
func TestEachResourceHasOneVersion(t *testing.T) {
	const crd = "cluster-scoped-resources/core.rukpak.io/bundledeployments/memo.yaml"
	dir := write(t, map[string]string{crd: deployment})
	for _, args := range [][]string{nil, {"--input-dir", dir}} {
		got, err := run(t, "input-resources", args...)
		if err != nil {
			t.Fatal(err)
		}
		var inputs libraryinputresources.InputResources
		if err := yaml.UnmarshalStrict([]byte(got), &inputs); err != nil {
			t.Fatal(err)
		}
		versions, seen := map[string]string{}, map[libraryinputresources.ExactResourceID]bool{}
		check := func(each libraryinputresources.InputResourceTypeIdentifier) {
			key := each.Group + "/" + each.Resource
			if known, has := versions[key]; has && known != each.Version {
				t.Errorf("%s has versions %s and %s", key, known, each.Version)
			}
			versions[key] = each.Version
		}
		for _, each := range inputs.ApplyConfigurationResources.ExactResources {
			check(each.InputResourceTypeIdentifier)
			if seen[each] {
				t.Errorf("%v is listed twice", each)
			}
			seen[each] = true
		}
		for _, each := range inputs.ApplyConfigurationResources.LabelSelectedResources {
			check(each.InputResourceTypeIdentifier)
		}
	}
}

const deployment = `{apiVersion: core.rukpak.io/v1alpha2, kind: BundleDeployment, metadata: {name: memo, uid: d1, resourceVersion: "20", generation: 1},
	spec: {installNamespace: memo-system, provisionerClassName: core-rukpak-io-registry,
	source: {type: image, image: {ref: "samples.invalid/memo@sha256:0000000000000000000000000000000000000000000000000000000000000002", pullSecret: memo-registry}}}}`

func TestObjectsOfADirectoryAreAdded(t *testing.T) {
	dir := write(t, map[string]string{
		"cluster-scoped-resources/platform.openshift.io/platformoperators/ledger.yaml": `{apiVersion: platform.openshift.io/v1alpha1, kind: PlatformOperator, metadata: {name: ledger}}`,
		"cluster-scoped-resources/core.rukpak.io/bundles/loose.yaml":                   `{apiVersion: core.rukpak.io/v1alpha2, kind: Bundle, metadata: {name: loose}}`,
		"cluster-scoped-resources/core.rukpak.io/bundledeployments/memo.yaml":          deployment,
		"namespaces/memo-system/apps/deployments/memo.yaml": `{apiVersion: apps/v1, kind: Deployment, metadata: {name: memo, namespace: memo-system,
			labels: {core.rukpak.io/owner-kind: BundleDeployment, core.rukpak.io/owner-name: memo}}}`,
		"namespaces/memo-system/apps/deployments/other.yaml": `{apiVersion: apps/v1, kind: Deployment, metadata: {name: other, namespace: memo-system}}`,
	})
	got, err := run(t, "output-resources", "--input-dir", dir)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(got, "#") {
		t.Errorf("the output has a note: %s", got)
	}
	var outputs libraryoutputresources.OutputResources
	if err := yaml.UnmarshalStrict([]byte(got), &outputs); err != nil {
		t.Fatal(err)
	}
	static := map[libraryoutputresources.ExactResourceID]bool{}
	for _, each := range Static().Outputs().ConfigurationResources.ExactResources {
		static[each] = true
	}
	var added []libraryoutputresources.ExactResourceID
	for _, each := range outputs.ConfigurationResources.ExactResources {
		if !static[each] {
			added = append(added, each)
		}
	}
	exact := libraryoutputresources.ExactResource
	want := []libraryoutputresources.ExactResourceID{
		exact("", "v1", "namespaces", "", "memo-system"),
		exact("apps", "v1", "deployments", "memo-system", "memo"),
		exact("core.rukpak.io", "v1alpha2", "bundledeployments", "", "ledger"),
		exact("core.rukpak.io", "v1alpha2", "bundledeployments", "", "memo"),
		exact("core.rukpak.io", "v1alpha2", "bundles", "", "loose"),
		exact("platform.openshift.io", "v1alpha1", "platformoperators", "", "ledger"),
	}
	if diff := cmp.Diff(want, added); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	inputs, err := run(t, "input-resources", "--input-dir", dir)
	if err != nil || !strings.Contains(inputs, "name: memo-registry") {
		t.Errorf("the pull secret is not an input: %v\n%s", err, inputs)
	}
}

func TestWhatIsMissingIsANote(t *testing.T) {
	const secret = "namespaces/openshift-platform-operators/core/secrets/revision.memo.r1.yaml"
	dir := write(t, map[string]string{
		"not-collected.yaml": "namespaces: [kube-system]\n",
		secret: `{apiVersion: v1, kind: Secret, type: core.rukpak.io/revision, metadata: {name: revision.memo.r1, namespace: openshift-platform-operators,
			labels: {core.rukpak.io/revision-of: memo, core.rukpak.io/revision-role: index}}, data: {header.json: NSBieXRlcyBsb25n}}`,
	})
	for name, test := range commands {
		got, err := run(t, name, "--input-dir", dir)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.SplitN(got, "\n", 3)
		if !strings.HasPrefix(lines[0], "# Incomplete: not-collected.yaml") || !strings.HasPrefix(lines[1], "# Incomplete: "+secret) {
			t.Errorf("%s begins with %q", name, lines[:2])
		}
		if err := yaml.UnmarshalStrict([]byte(got), test.into()); err != nil {
			t.Error(err)
		}
		if !strings.Contains(got, "name: revision.memo.r1\n") {
			t.Errorf("%s does not list the Secret", name)
		}
	}
}

func TestBadInputIsAnErrorThatNamesTheFile(t *testing.T) {
	const file = "cluster-scoped-resources/core.rukpak.io/bundledeployments/memo.yaml"
	for name, test := range map[string]struct {
		files map[string]string
		dir   string
		want  string
	}{
		"no directory":                {nil, "/does/not/exist", "/does/not/exist"},
		"an empty name":               {nil, "", "opening the input directory"},
		"no objects":                  {map[string]string{"notes.txt": "mine"}, "", "cluster-scoped-resources"},
		"a file that is cut short":    {map[string]string{file: "apiVersion: core.rukpak.io/v1alpha2\nkind: {"}, "", file},
		"a value of a different type": {map[string]string{file: `{apiVersion: core.rukpak.io/v1alpha2, kind: BundleDeployment, metadata: {name: memo}, spec: {installNamespace: 3}}`}, "", file},
	} {
		for command := range commands {
			t.Run(command+" "+name, func(t *testing.T) {
				dir := test.dir
				if test.files != nil {
					dir = write(t, test.files)
				}
				got, err := run(t, command, "--input-dir", dir)
				if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "goroutine") {
					t.Errorf("got %v, want an error with %q", err, test.want)
				}
				if got != "" {
					t.Errorf("output %q", got)
				}
			})
		}
	}
}
