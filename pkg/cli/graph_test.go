package cli

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/openshift/platform-operators/pkg/cli/exit"
	"github.com/openshift/platform-operators/test/realdata"
)

var rules = filepath.Join("testdata", "catalogs", "rules")

func TestCLI_7_GoldenOutputOfGraph(t *testing.T) {
	for name, test := range map[string]struct {
		width int
		args  []string
	}{
		"graph":            {0, []string{"rigger", "--catalog-dir", rules}},
		"graph-mermaid":    {0, []string{"rigger", "--catalog-dir", rules, "-o", "mermaid"}},
		"graph-dot":        {0, []string{"rigger", "--catalog-dir", rules, "-o", "dot"}},
		"graph-json":       {0, []string{"compass", "-o", "json"}},
		"graph-channels":   {0, []string{"compass"}},
		"graph-40-columns": {40, []string{"rigger", "--catalog-dir", rules}},
		"graph-package":    {0, []string{"--package", "anchor"}},
		"graph-channel":    {0, []string{"--package", "anchor", "--channel", "candidate"}},
		"graph-missing":    {0, []string{"lost"}},
	} {
		t.Run(name, func(t *testing.T) {
			server := serveCatalogs(t, []string{harbor}, []string{sea})
			addObjects(t, server, "upgrades.yaml")
			compareGolden(t, name, run(t, test.width, append(append(server.start(t), "graph"), test.args...)...))
		})
	}
}

// TestCLI_7_GraphOfADirectoryNeedsNoCluster runs without a kubeconfig.
func TestCLI_7_GraphOfADirectoryNeedsNoCluster(t *testing.T) {
	for _, format := range []string{"text", "mermaid", "dot", "json"} {
		t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
		got := run(t, 0, "graph", "--package", "rigging", "--catalog-dir", rules, "-o", format)
		if got.code != exit.OK || !strings.Contains(got.out, "1.3.0") || got.errOut != "" {
			t.Errorf("%s: got exit code %d, standard error %q and output\n%s", format, got.code, got.errOut, got.out)
		}
		if name := "fast \"lane\" <b>"; format != "text" && strings.Contains(got.out, name) {
			t.Errorf("%s: the name of a channel is not escaped:\n%s", format, got.out)
		}
	}
}

// withoutCatalogs removes the catalogs; the server still serves their APIs.
func withoutCatalogs(s *apiServer) {
	s.objects[paths["CatalogSource"]], s.objects[paths["ClusterCatalog"]] = nil, nil
}

func TestCLI_7_GraphOfBadInput(t *testing.T) {
	for name, test := range map[string]struct {
		args   []string
		change func(*apiServer)
		code   exit.Code
		errOut string
	}{
		"Nothing":           {nil, nil, exit.Usage, "name either a PlatformOperator or a package"},
		"Both":              {[]string{"compass", "--package", "anchor"}, nil, exit.Usage, "name either a PlatformOperator or a package"},
		"UnknownFormat":     {[]string{"compass", "-o", "table"}, nil, exit.Usage, "use one of text, mermaid, dot, json"},
		"UnknownOperator":   {[]string{"nothing"}, nil, exit.Failure, "list them with: kubectl platform list"},
		"UnknownPackage":    {[]string{"--package", "submarine"}, nil, exit.Usage, "find packages with: kubectl platform search"},
		"PackageOfOperator": {[]string{"compass", "--catalog-dir", harbor}, nil, exit.Failure, "find packages with: kubectl platform search"},
		"UnknownCatalog":    {[]string{"compass", "--catalog", "x"}, nil, exit.Usage, "use one of CatalogSource/openshift-marketplace/sea"},
		"UnknownChannel":    {[]string{"--package", "anchor", "--channel", "x"}, nil, exit.Usage, "use one of candidate, stable"},
		"MissingDirectory": {[]string{"--package", "anchor", "--catalog-dir", "nothing"}, nil, exit.Usage,
			"there is no such directory; correct --catalog-dir"},
		"BrokenDirectory": {[]string{"--package", "anchor", "--catalog-dir", filepath.Join("testdata", "catalogs", "broken")}, nil, exit.Invalid,
			`file "catalog.json"`},
		"NoRightToOperators": {[]string{"compass"}, func(s *apiServer) { s.forbidden = []string{paths["PlatformOperator"]} }, exit.Failure,
			"kubectl auth can-i get platformoperators.platform.openshift.io"},
		"NoCatalogs": {[]string{"compass"}, withoutCatalogs, exit.Failure, "no catalogs that the manager trusts. See spec.catalogNamespaces"},
		"NoCatalogsForAPackage": {[]string{"--package", "anchor", "--catalog", "x"}, withoutCatalogs, exit.Usage,
			"no catalogs that the manager trusts. See spec.catalogNamespaces"},
		"NoPod": {[]string{"compass"}, func(s *apiServer) { s.objects[paths["Pod"]] = nil }, exit.Failure,
			"kubectl get pods -n openshift-marketplace"},
	} {
		t.Run(name, func(t *testing.T) {
			server := serveCatalogs(t, []string{harbor}, []string{sea})
			addObjects(t, server, "upgrades.yaml")
			if test.change != nil {
				test.change(server)
			}
			got := run(t, 0, append(append(server.start(t), "graph"), test.args...)...)
			if got.code != test.code || !strings.Contains(got.errOut, test.errOut) || got.out != "" {
				t.Errorf("got exit code %d, output %q and standard error %q, want %d and %q", got.code, got.out, got.errOut, test.code, test.errOut)
			}
		})
	}
}

// TestCLI_7_GraphWithoutTheRightToTheVersionOfTheCluster checks that a missing permission costs only what depends on it.
func TestCLI_7_GraphWithoutTheRightToTheVersionOfTheCluster(t *testing.T) {
	server := serveCatalogs(t, []string{harbor}, []string{sea})
	addObjects(t, server, "upgrades.yaml")
	server.forbidden = []string{paths["ClusterVersion"]}
	got := run(t, 0, append(server.start(t), "graph", "rigger", "--catalog-dir", rules)...)
	if got.code != exit.OK || !strings.Contains(got.errOut, "versions that do not support the cluster are not marked") ||
		!strings.Contains(got.out, "\n2.0.0") {
		t.Errorf("got exit code %d, %q and\n%s", got.code, got.errOut, got.out)
	}
}

// TestCLI_7_GraphOfALargeRealPackage shows a package of a full catalog. The limit leaves room for a loaded machine.
func TestCLI_7_GraphOfALargeRealPackage(t *testing.T) {
	for _, format := range []string{"text", "dot", "json"} {
		began := time.Now()
		got := run(t, 0, "graph", "--package", "project-quay", "--catalog-dir", realdata.Path(t, "catalogs/community-v4.20"), "-o", format)
		t.Logf("%s: %s, %d bytes", format, time.Since(began), len(got.out))
		if got.code != exit.OK || time.Since(began) > 20*time.Second {
			t.Errorf("%s: got exit code %d: %s", format, got.code, got.errOut)
		}
	}
}
