package deadcode

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

const module = "github.com/openshift/platform-operators/"

// exempt matches the packages whose functions need not be reached: pkg/scenario is a library for tests, and pkg/client is generated.
var exempt = regexp.MustCompile(`^pkg/(scenario|client)(/|$)`)

// exception is an entry of exceptions.yaml.
type exception struct {
	Reason    string   `json:"reason"`
	Functions []string `json:"functions"`
}

// Promise HRD-C6: Commands reach every function of pkg/, except those of pkg/scenario, the generated clients, and
// hack/deadcode/exceptions.yaml.
func TestHRD_C6_CommandsReachEveryFunction(t *testing.T) {
	content, err := os.ReadFile("exceptions.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var exceptions []exception
	if err := yaml.UnmarshalStrict(content, &exceptions); err != nil {
		t.Fatal(err)
	}
	unreached := unreached(t)
	for _, each := range exceptions {
		if each.Reason == "" {
			t.Errorf("the exception for %s has no reason", each.Functions)
		}
		for _, function := range each.Functions {
			if _, found := unreached[function]; !found {
				t.Errorf("a command reaches %s, or there is no such function: remove it from exceptions.yaml", function)
			}
			delete(unreached, function)
		}
	}
	for function, position := range unreached {
		t.Errorf("%s: no command reaches %s: delete it, or move it to the tests that call it", position, function)
	}
}

// unreached returns the functions of pkg/ that no command of the main module reaches, such as pkg/catalog.Read, with their positions.
func unreached(t *testing.T) map[string]string {
	t.Helper()
	tool := filepath.Join(t.TempDir(), "deadcode")
	if output, err := exec.Command("go", "build", "-o", tool, "golang.org/x/tools/cmd/deadcode").CombinedOutput(); err != nil {
		t.Fatalf("building the tool: %v\n%s", err, output)
	}
	command := exec.Command(tool, "-json", "-filter=^"+module+"pkg/", "./cmd/...", "./hack/...", "./test/...")
	command.Dir = "../.."
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err != nil {
		t.Fatalf("running the tool: %v", err)
	}
	var packages []struct {
		Path  string
		Funcs []struct {
			Name     string
			Position struct {
				File string
				Line int
			}
		}
	}
	if err := json.Unmarshal(output, &packages); err != nil {
		t.Fatalf("reading the tool's report: %v", err)
	}
	if len(packages) == 0 {
		t.Fatal("the tool reports nothing: the exceptions would be reported if it had read the commands")
	}
	found := map[string]string{}
	for _, each := range packages {
		path := strings.TrimPrefix(each.Path, module)
		if exempt.MatchString(path) {
			continue
		}
		for _, function := range each.Funcs {
			found[path+"."+function.Name] = fmt.Sprintf("%s:%d", function.Position.File, function.Position.Line)
		}
	}
	return found
}
