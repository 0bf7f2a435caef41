package applyconfiguration

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// mutationOf returns the body of the only mutation in a folder of the output, such as "Create/cluster-scoped-resources/core/namespaces".
func mutationOf(t *testing.T, files map[string]string, folder, name string) map[string]any {
	t.Helper()
	var found []string
	for path, content := range files {
		if strings.HasPrefix(path, "Configuration/"+folder+"/") && strings.HasSuffix(path, "-body-"+name+".yaml") {
			found = append(found, content)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d mutations in %s of %s; the output has %q", len(found), folder, name, keysOf(files))
	}
	body := map[string]any{}
	if err := yaml.Unmarshal([]byte(found[0]), &body); err != nil {
		t.Fatal(err)
	}
	return body
}

func keysOf(files map[string]string) (names []string) {
	for name := range files {
		names = append(names, name)
	}
	return names
}

func TestARoundWritesMutationsAndResults(t *testing.T) {
	files, err := runOn(t, sampleInput(), nil)
	if err != nil {
		t.Fatal(err)
	}
	deployment := mutationOf(t, files, "Create/cluster-scoped-resources/core.rukpak.io/bundledeployments", "memo")
	if spec, isMap := deployment["spec"].(map[string]any); !isMap || spec["template"] == nil && spec["source"] == nil {
		t.Errorf("BundleDeployment %v", deployment)
	}
	var results Results
	if err := yaml.UnmarshalStrict([]byte(files[resultsFile]), &results); err != nil {
		t.Fatal(err)
	}
	if len(results.ControllerResults) < 10 {
		t.Errorf("results of %d controllers", len(results.ControllerResults))
	}
	for _, each := range results.ControllerResults {
		if each.Status != "Succeeded" {
			t.Errorf("%s: %s %v", each.ControllerName, each.Status, each.Errors)
		}
	}
}

func TestOM_5_TheSameInputHasTheSameOutput(t *testing.T) {
	first, err := runOn(t, sampleInput(), nil)
	if err != nil {
		t.Fatal(err)
	}
	second, err := runOn(t, sampleInput(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("(-first +second):\n%s", diff)
	}
}

// inputWithThree returns the sample input with three PlatformOperators in one file, in an order. Two of them have the same package.
func inputWithThree(order []int) map[string]string {
	list := "apiVersion: platform.openshift.io/v1alpha1\nkind: PlatformOperatorList\nitems:\n"
	for _, i := range order {
		list += fmt.Sprintf(`- {apiVersion: platform.openshift.io/v1alpha1, kind: PlatformOperator, metadata: {name: %s, uid: p%d, resourceVersion: "1%d", generation: 1, finalizers: [platform.openshift.io/removal],
  creationTimestamp: "2026-01-01T00:00:00Z"}, spec: {package: {name: %s}}}
`, []string{"memo", "other-memo", "diary"}[i], i, i, []string{"memo", "memo", "diary"}[i])
	}
	return with(map[string]string{operatorFile: "", "cluster-scoped-resources/platform.openshift.io/platformoperators.yaml": list})
}

// Promise OM-6: The order of the controllers, of their keys, and of the objects in a file changes only the seed in the output.
func TestOM_6_TheOrderDoesNotChangeTheOutput(t *testing.T) {
	withoutSeed := func(files map[string]string) map[string]string {
		files[resultsFile] = regexp.MustCompile(`(?m)^seed: .*$`).ReplaceAllString(files[resultsFile], "")
		return files
	}
	first, err := runOn(t, inputWithThree([]int{0, 1, 2}), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := withoutSeed(first)
	if len(mutated(want)) < 8 {
		t.Fatalf("%d mutations", len(mutated(want)))
	}
	for seed := uint64(1); seed <= 50; seed++ {
		got, err := runOn(t, inputWithThree(rand.New(rand.NewPCG(seed, 0)).Perm(3)), func(o *Options) { o.Seed = seed })
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, withoutSeed(got)); diff != "" {
			t.Fatalf("seed %d (-want +got):\n%s", seed, diff)
		}
	}
}

// Promise OM-3: Invalid input, an unknown controller, a panic of a controller and a timeout are errors without a stack. The results file lists
// the controllers that ran. The exit code is not zero.
func TestOM_3_BadInputIsOneErrorThatNamesTheFile(t *testing.T) {
	for name, test := range map[string]struct {
		files  map[string]string
		change func(*Options)
		want   string
		// noOutput is true if the output directory must not be touched.
		noOutput bool
	}{
		"no input directory":                          {nil, func(o *Options) { o.InputDir = "" }, "--input-dir is required", true},
		"no output directory":                         {nil, func(o *Options) { o.OutputDir = "" }, "--output-dir is required", true},
		"an input directory that is not":              {nil, func(o *Options) { o.InputDir = "/does/not/exist" }, "/does/not/exist", false},
		"a version that is none":                      {nil, func(o *Options) { o.KubernetesVersion = "1.36" }, `--kubernetes-version is "1.36"`, false},
		"a time that is none":                         {nil, func(o *Options) { o.Now = "yesterday" }, `--now is "yesterday"`, true},
		"a time after which no year has four digits":  {nil, func(o *Options) { o.Now = "9999-12-31T23:59:59Z" }, "the year 9999", true},
		"an unknown controller":                       {nil, func(o *Options) { o.Controllers = []string{"Unknown"} }, `there is no controller "Unknown"`, false},
		"a file that is cut short":                    {map[string]string{operatorFile: "apiVersion: platform.openshift.io/v1alpha1\nkind: {"}, nil, operatorFile, false},
		"a kind that is not the path's":               {map[string]string{operatorFile: `{apiVersion: v1, kind: ConfigMap, metadata: {name: memo}}`}, nil, operatorFile, false},
		"a kind of the path's group":                  {map[string]string{"cluster-scoped-resources/platform.openshift.io/others/memo.yaml": sampleInput()[operatorFile], operatorFile: ""}, nil, "platform.openshift.io/others/memo.yaml", false},
		"two files for one object":                    {map[string]string{"cluster-scoped-resources/platform.openshift.io/platformoperators/other.yaml": sampleInput()[operatorFile]}, nil, "platformoperators", false},
		"an object that no cluster has stored":        {map[string]string{operatorFile: `{apiVersion: platform.openshift.io/v1alpha1, kind: PlatformOperator, metadata: {name: memo}}`}, nil, operatorFile, false},
		"an input without what each controller needs": {map[string]string{"not-collected.yaml": "resources: [{resource: secrets}]\n"}, nil, "covers secrets", false},
		"an own object with a field that it has not":  {map[string]string{operatorFile: strings.Replace(sampleInput()[operatorFile], "spec: {", "spec: {pakage: {}, ", 1)}, nil, operatorFile + ": ", false},
		"an unknown version of the API server":        {map[string]string{"cluster-scoped-resources/config.openshift.io/clusteroperators/kube-apiserver.yaml": ""}, nil, "--kubernetes-version", false},
		"controllers of which none is left":           {nil, func(o *Options) { o.Controllers = []string{"-BundleController"} }, "selects no controller", false},
		"no time":                                     {nil, func(o *Options) { o.Timeout = 1 }, "--timeout=1ns", false},
		"an API version that is not served":           {map[string]string{operatorFile: `{apiVersion: platform.openshift.io/v9, kind: PlatformOperator, metadata: {name: memo, uid: p1, resourceVersion: "11"}}`}, nil, operatorFile + ": ", false},
	} {
		t.Run(name, func(t *testing.T) {
			files, err := runOn(t, with(test.files), test.change)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("got %v, want an error with %q", err, test.want)
			}
			if strings.Contains(err.Error(), "goroutine ") {
				t.Errorf("the error has a stack: %v", err)
			}
			if test.noOutput {
				if len(files) > 0 {
					t.Errorf("output %q", keysOf(files))
				}
				return
			}
			var results Results
			if err := yaml.UnmarshalStrict([]byte(files[resultsFile]), &results); err != nil {
				t.Fatal(err)
			}
			if len(results.ControllerResults) > 0 {
				t.Errorf("controllers ran: %v", results.ControllerResults)
			}
		})
	}
}

// An API server keeps a value that the schema of an earlier manager permitted.
func TestAnOwnObjectKeepsAForbiddenValue(t *testing.T) {
	files, err := runOn(t, with(map[string]string{managerFile: strings.Replace(sampleInput()[managerFile], "spec: {", "spec: {allowedPackages: [], ", 1)}), nil)
	if err != nil {
		t.Fatal(err)
	}
	for name := range files {
		if strings.Contains(name, "bundledeployments") {
			t.Errorf("an empty list of allowed packages permits nothing, but the output has %s", name)
		}
	}
}

func TestOM_3_APipeInTheContentIsAnError(t *testing.T) {
	for _, name := range []string{"content/catalogs/ClusterCatalog/main/pipe.yaml", "content/images/index.json"} {
		t.Run(name, func(t *testing.T) {
			files := with(map[string]string{contentFile: strings.ReplaceAll(sampleInput()[contentFile], "samples.invalid/memo@sha256:0000000000000000000000000000000000000000000000000000000000000002", "samples.invalid/memo:1")})
			input := write(t, files)
			path := filepath.Join(input, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mkfifo(path, 0o600); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() {
				_, err := runOn(t, nil, func(o *Options) { o.InputDir, o.Timeout = input, 10*time.Second })
				ended <- err
			}()
			select {
			case err := <-ended:
				if strings.Contains(name, "catalogs") && (err == nil || !strings.Contains(err.Error(), "pipe.yaml")) {
					t.Errorf("got %v, want an error that names the pipe", err)
				}
			case <-time.After(time.Minute):
				t.Fatal("the run does not end")
			}
		})
	}
}

func TestOM_3_ANameThatIsTooLongForAFileFailsItsSyncOnly(t *testing.T) {
	long := strings.Repeat("a", 240)
	files, err := runOn(t, with(map[string]string{
		"cluster-scoped-resources/platform.openshift.io/platformoperators.yaml": fmt.Sprintf(`{apiVersion: platform.openshift.io/v1alpha1, kind: PlatformOperatorList, items: [{apiVersion: platform.openshift.io/v1alpha1,
			kind: PlatformOperator, metadata: {name: %s, uid: p9, resourceVersion: "19", generation: 1, creationTimestamp: "2026-01-01T00:00:00Z"}, spec: {package: {name: other}}}]}`, long),
	}), nil)
	if err == nil || !strings.Contains(err.Error(), long) || !strings.Contains(err.Error(), "rename the object") {
		t.Errorf("got %v", err)
	}
	mutationOf(t, files, "Create/cluster-scoped-resources/core.rukpak.io/bundledeployments", "memo")
	var results Results
	if err := yaml.UnmarshalStrict([]byte(files[resultsFile]), &results); err != nil {
		t.Fatal(err)
	}
	for _, each := range results.ControllerResults {
		if isFailed := each.Status == "Failed"; isFailed != (each.ControllerName == "PlatformOperatorController") {
			t.Errorf("%s has status %s", each.ControllerName, each.Status)
		}
	}
}

func TestOM_3_TheTimeoutCoversTheReadingOfTheInput(t *testing.T) {
	began := time.Now()
	_, err := runOn(t, sampleInput(), func(o *Options) { o.Timeout = 1 })
	if err == nil || !strings.Contains(err.Error(), "--timeout=1ns") || strings.Count(err.Error(), "\n") > 1 {
		t.Errorf("after %s: %v", time.Since(began), err)
	}
}

func TestAnOutputDirectoryThatIsNotEmptyIsRefused(t *testing.T) {
	output := write(t, map[string]string{"notes.txt": "mine"})
	files, err := runOn(t, sampleInput(), func(o *Options) { o.OutputDir = output })
	if err == nil || !strings.Contains(err.Error(), output) {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff(map[string]string{"notes.txt": "mine"}, files); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAKindOfKubernetesThatNoControllerReadsIsIgnored(t *testing.T) {
	address := map[string]string{"cluster-scoped-resources/networking.k8s.io/ipaddresses/172.30.0.1.yaml": `{apiVersion: networking.k8s.io/v1, kind: IPAddress, metadata: {name: 172.30.0.1, uid: i1, resourceVersion: "30"}}`}
	files, err := runOn(t, with(address), nil)
	if err != nil {
		t.Fatal(err)
	}
	mutationOf(t, files, "Create/cluster-scoped-resources/core.rukpak.io/bundledeployments", "memo")
}

func TestSelectedControllersRun(t *testing.T) {
	files, err := runOn(t, sampleInput(), func(o *Options) { o.Controllers = []string{"*", "-PlatformOperatorController"} })
	if err != nil {
		t.Fatal(err)
	}
	var results Results
	if err := yaml.UnmarshalStrict([]byte(files[resultsFile]), &results); err != nil {
		t.Fatal(err)
	}
	for _, each := range results.ControllerResults {
		if want := each.ControllerName == "PlatformOperatorController"; want != (each.Status == "Skipped") {
			t.Errorf("%s: %s", each.ControllerName, each.Status)
		}
	}
	for name := range files {
		if strings.Contains(name, "bundledeployments") {
			t.Errorf("written: %s", name)
		}
	}
}

// Promise OM-16: The controllers read the content of catalogs and images from the input directory. missing-content.yaml lists missing content, and
// the controllers change nothing that depends on it. run-again.yaml lists the keys to sync again, with times. A run with the missing content
// continues from there.
func TestOM_16_AMissingCatalogIsListedAndNothingOfItIsInstalled(t *testing.T) {
	files, err := runOn(t, with(map[string]string{contentFile: ""}), nil)
	if err != nil {
		t.Fatal(err)
	}
	var missing Missing
	if err := yaml.UnmarshalStrict([]byte(files[filepath.Join("Configuration", missingFile)]), &missing); err != nil {
		t.Fatal(err)
	}
	want := Missing{Catalogs: []MissingCatalog{{Kind: "ClusterCatalog", Name: "main", Folder: "content/catalogs/ClusterCatalog/main", Packages: []string{"memo"}}}, Images: []string{}, Objects: []MissingObjects{}, Revisions: []MissingRevision{}}
	if diff := cmp.Diff(want, missing); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for name := range files {
		if strings.Contains(name, "bundledeployments") {
			t.Errorf("written: %s", name)
		}
	}
	for name, content := range files {
		if strings.Contains(name, "platformoperators/") && strings.Contains(content, "input directory") {
			t.Errorf("%s reports a fault of the directory:\n%s", name, content)
		}
	}
}

func TestOM_16_ARunWithTheMissingContentGoesOn(t *testing.T) {
	without, err := runOn(t, with(map[string]string{contentFile: ""}), nil)
	if err != nil {
		t.Fatal(err)
	}
	files, err := runOn(t, sampleInput(), nil)
	if err != nil {
		t.Fatal(err)
	}
	mutationOf(t, files, "Create/cluster-scoped-resources/core.rukpak.io/bundledeployments", "memo")
	if len(mutated(files)) <= len(mutated(without)) {
		t.Errorf("%d mutations with the content, and %d without it", len(mutated(files)), len(mutated(without)))
	}
}

func TestKindsOfAMustGatherHaveNoDefinition(t *testing.T) {
	const definitionFile = "cluster-scoped-resources/apiextensions.k8s.io/customresourcedefinitions/clustercatalogs.olm.operatorframework.io.yaml"
	files, err := runOn(t, with(map[string]string{
		definitionFile:       "",
		"not-collected.yaml": "resources: [{group: apiextensions.k8s.io, resource: customresourcedefinitions}]\n",
	}), nil)
	if err != nil {
		t.Fatal(err)
	}
	mutationOf(t, files, "Create/cluster-scoped-resources/core.rukpak.io/bundledeployments", "memo")
	if _, err := runOn(t, with(map[string]string{definitionFile: ""}), nil); err == nil || !strings.Contains(err.Error(), catalogFile) {
		t.Errorf("got %v, want an error that names %s", err, catalogFile)
	}
}
