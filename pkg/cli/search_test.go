package cli

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/openshift/platform-operators/pkg/cli/exit"
	"github.com/openshift/platform-operators/test/realdata"
)

var (
	harbor = filepath.Join("testdata", "catalogs", "harbor")
	sea    = filepath.Join("testdata", "catalogs", "sea")
)

func TestCLI_18_GoldenOutputOfSearch(t *testing.T) {
	for name, test := range map[string]struct {
		width int
		args  []string
	}{
		"search":                   {0, nil},
		"search-wide":              {0, []string{"-o", "wide"}},
		"search-json":              {0, []string{"-o", "json"}},
		"search-yaml":              {0, []string{"beacon", "-o", "yaml"}},
		"search-name":              {0, []string{"-o", "name"}},
		"search-versions":          {0, []string{"anchor", "--versions"}},
		"search-kind":              {0, []string{"LIGHTHOUSE"}},
		"search-nothing":           {0, []string{"submarine"}},
		"search-nothing-json":      {0, []string{"submarine", "-o", "json"}},
		"search-similar":           {0, []string{"anchr"}},
		"search-similar-json":      {0, []string{"anchr", "-o", "json"}},
		"search-40-columns":        {40, []string{"-o", "wide"}},
		"search-80-columns":        {80, []string{"-o", "wide"}},
		"search-nothing-in-copies": {0, []string{"submarine", "--catalog-dir", harbor, "--catalog-dir", sea, "--catalog-dir", harborCopy(t)}},
		"search-in-directories":    {0, []string{"--catalog-dir", harbor, "--catalog-dir", sea}},
	} {
		t.Run(name, func(t *testing.T) {
			arguments := serveCatalogs(t, []string{harbor}, []string{sea}).start(t)
			compareGolden(t, name, run(t, test.width, append(append(arguments, "search"), test.args...)...))
		})
	}
}

// harborCopy returns a catalog with the packages of another one.
func harborCopy(t *testing.T) string {
	t.Helper()
	directory := t.TempDir()
	if err := os.CopyFS(directory, os.DirFS(harbor)); err != nil {
		t.Fatal(err)
	}
	return directory
}

// TestCLI_18_SearchShowsFaults checks that the sentences about content that cannot be used are shown with a table, and are in JSON.
func TestCLI_18_SearchShowsFaults(t *testing.T) {
	directory := t.TempDir()
	content := `{"schema": "olm.package", "name": "slip", "defaultChannel": "stable"}` + "\n" +
		`{"schema": "olm.channel", "package": "slip", "name": "stable", "entries": "none"}`
	if err := os.WriteFile(filepath.Join(directory, "catalog.json"), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	table, json := run(t, 0, "search", "--catalog-dir", directory), run(t, 0, "search", "--catalog-dir", directory, "-o", "json")
	if !strings.Contains(table.out, "1 fault") {
		t.Fatalf("the catalog has no fault:\n%s", table.out)
	}
	if !strings.Contains(table.errOut, "warning: package slip of catalog "+directory+": ") || !strings.Contains(table.errOut, "is left out") || table.code != exit.OK {
		t.Errorf("got exit code %d and %q, want the faults", table.code, table.errOut)
	}
	if json.errOut != "" || !strings.Contains(json.out, "is left out") {
		t.Errorf("got %q with JSON, which has the faults", json.errOut)
	}
}

// TestCLI_18_SearchShowsWhatItCanRead checks that a catalog that cannot be read does not hide the others, and what the command says about
// it.
func TestCLI_18_SearchShowsWhatItCanRead(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*apiServer)
		code   exit.Code
		out    string
		errOut string
	}{
		"NoRightToTheProxy": {func(s *apiServer) {
			s.handlers[proxyPath] = func(w http.ResponseWriter, _ *http.Request) {
				writeStatus(w, http.StatusForbidden, "Forbidden", `services "https:catalogd-service:443" is forbidden`)
			}
		}, exit.Failure, "compass", `permission to get services/proxy in namespace "olmv1-system"`},
		"AnswersInHTML": {func(s *apiServer) {
			s.handlers[proxyPath] = func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>Log in</html>")) }
		}, exit.Failure, "compass", "the server sent an HTML page instead of a catalog"},
		"NoRightToPods": {func(s *apiServer) { s.forbidden = []string{paths["Pod"]} }, exit.Failure, "anchor",
			"auth can-i list pods -n openshift-marketplace"},
		"NoPod": {func(s *apiServer) { s.objects[paths["Pod"]] = nil }, exit.Failure, "anchor",
			"kubectl get pods -n openshift-marketplace"},
		"NothingOnThePort": {func(s *apiServer) { s.handlers[forwardPath] = forwardTo("127.0.0.1:1", "1") }, exit.Failure, "anchor",
			"connection refused"},
		"NoWebSocket": {func(s *apiServer) { s.handlers[forwardPath] = withoutWebSocket(s.handlers[forwardPath]) }, exit.OK, "compass", ""},
		"NoForward": {func(s *apiServer) { delete(s.handlers, forwardPath) }, exit.Failure, "anchor",
			"permission to create pods/portforward"},
		"NoManager": {func(s *apiServer) { s.objects[paths["PlatformOperatorManager"]] = nil }, exit.OK, "beacon",
			"the default of the trusted catalogs applies"},
		"NoCatalogSources": {func(s *apiServer) { delete(s.objects, paths["CatalogSource"]) }, exit.OK, "anchor", ""},
		"NeitherKind": {func(s *apiServer) {
			delete(s.objects, paths["CatalogSource"])
			delete(s.objects, paths["ClusterCatalog"])
		}, exit.Failure, "", "search a file-based catalog with --catalog-dir"},
		"NoRightToCatalogs": {func(s *apiServer) { s.forbidden = []string{paths["ClusterCatalog"]} }, exit.Failure, "",
			"auth can-i list clustercatalogs.olm.operatorframework.io"},
		"CatalogDoesntServe": {func(s *apiServer) { delete(s.objects[paths["ClusterCatalog"]][0], "status") }, exit.Failure, "compass",
			"its status.urls.base is empty"},
		"NoCatalogs": {func(s *apiServer) { s.objects[paths["CatalogSource"]], s.objects[paths["ClusterCatalog"]] = nil, nil }, exit.OK,
			"", "The cluster has no catalogs that the manager trusts"},
	} {
		t.Run(name, func(t *testing.T) {
			server := serveCatalogs(t, []string{harbor}, []string{sea})
			test.change(server)
			got := run(t, 0, append(server.start(t), "search", "--timeout", "20s")...)
			if got.code != test.code || !strings.Contains(got.out, test.out) || !strings.Contains(got.errOut,
				test.errOut) || test.out == "" && got.out != "" {
				t.Errorf("got exit code %d, want %d with %q and %q; output:\n%s\nstandard error:\n%s", got.code, test.code, test.out, test.errOut,
					got.out, got.errOut)
			}
		})
	}
}

func TestCLI_12_BadDirectories(t *testing.T) {
	for name, test := range map[string]struct {
		directory string
		code      exit.Code
		errOut    string
	}{
		"Missing": {filepath.Join("testdata", "nothing"), exit.Usage, "there is no such directory; correct --catalog-dir"},
		"Empty":   {filepath.Join("testdata", "catalogs", "empty"), exit.Invalid, "no file in the directory has a package"},
		"Broken":  {filepath.Join("testdata", "catalogs", "broken"), exit.Invalid, `file "catalog.json"`},
		"File":    {"search_test.go", exit.Usage, "there is no such directory"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := run(t, 0, "search", "--catalog-dir", test.directory); got.code != test.code || !strings.Contains(got.errOut, test.errOut) {
				t.Errorf("got exit code %d and standard error %q, want %d and %q", got.code, got.errOut, test.code, test.errOut)
			}
		})
	}
}

// TestCLI_18_SearchOverRealCatalogsIsFast searches three full catalogs, of which the API server's proxy serves one and port-forwards serve
// the others. The limit leaves room for a loaded machine.
func TestCLI_18_SearchOverRealCatalogsIsFast(t *testing.T) {
	certified, community := realdata.Path(t, "catalogs/certified-v4.20"), realdata.Path(t, "catalogs/community-v4.20")
	server := serveCatalogs(t, []string{certified}, []string{community})
	object := map[string]any{}
	for key, value := range server.objects[paths["CatalogSource"]][0] {
		object[key] = value
	}
	object["metadata"] = map[string]any{"name": "ocean", "namespace": "openshift-marketplace"}
	server.add(object)
	arguments := server.start(t)
	began := time.Now()
	got := run(t, 0, append(arguments, "search", "-o", "name")...)
	took := time.Since(began)
	if packages := strings.Count(got.out, "\n"); got.code != exit.OK || packages != 93 { // three are in both
		t.Fatalf("got exit code %d and %d packages, want 93: %s", got.code, packages, got.errOut)
	}
	t.Logf("the search took %s, beside the servers", took)
	if took > 20*time.Second {
		t.Errorf("the search took %s", took)
	}
}

// TestCLI_12_TheExitCodeDoesNotDependOnTheOrderOfReads reads two catalogs that fail for different reasons.
func TestCLI_12_TheExitCodeDoesNotDependOnTheOrderOfReads(t *testing.T) {
	missing, broken := filepath.Join("testdata", "nothing"), filepath.Join("testdata", "catalogs", "broken")
	for range 20 {
		for _, verb := range [][]string{{"search"}, {"graph", "--package", "anchor"}} {
			for code, directories := range map[exit.Code][]string{exit.Usage: {missing, broken}, exit.Invalid: {broken, missing}} {
				got := run(t, 0, append(verb, "--catalog-dir", directories[0], "--catalog-dir", directories[1])...)
				if got.code != code || strings.Count(got.errOut, "warning: ") != 2 || strings.Count(got.errOut, "\n") != 3 {
					t.Fatalf("%v of %v: got exit code %d, want %d and two warnings: %s", verb, directories, got.code, code, got.errOut)
				}
			}
		}
	}
}
