package resolve

import (
	"embed"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/upgrade"
	"github.com/openshift/platform-operators/test/realdata"
)

var update = flag.Bool("update", false, "write the golden files anew")

// goldens has the expected decisions. The files are embedded, because the go command's cache key contains the paths of opened files: it can
// reuse a cached result in every checkout.
//
//go:embed testdata/*.txt
var goldens embed.FS

func TestDecisionsOnRealCatalogs(t *testing.T) {
	for _, name := range []string{"community-v4.20", "certified-v4.20"} {
		t.Run(name, func(t *testing.T) {
			files := realdata.Glob(t, filepath.Join("catalogs", name, "*", "catalog.yaml"))
			var got strings.Builder
			for _, file := range files {
				for _, pkg := range readFile(t, file) {
					decide(&got, pkg)
				}
			}
			golden := "testdata/" + name + ".txt"
			if *update {
				if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := goldens.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("decisions differ from %s; if this is intended, run the test with -update (-want +got):\n%s", golden, diff)
			}
		})
	}
}

func TestUPG_V2_PrereleasesInRealCatalogs(t *testing.T) {
	for name, test := range map[string]struct {
		versions, installed string
		edges               platformv1alpha1.Edges
		want                string
	}{
		"a range without a pre-release":                                 {">=1.0.0", "", platformv1alpha1.EdgesSemver, "1.9.0"},
		"a range without a pre-release, and an author's edge":           {">=1.0.0", "", "", "2.0.0-rc.1"},
		"a range with a pre-release":                                    {">=2.0.0-rc.1", "", "", "2.0.0-rc.1"},
		"a range with a pre-release, and an author's edge":              {">=2.0.0-rc.1", "1.9.0", platformv1alpha1.EdgesChannel, "2.0.0-rc.1"},
		"semver edges do not lead from a release to a pre-release":      {"", "1.9.0", platformv1alpha1.EdgesSemver, "1.9.0"},
		"semver edges with a range that names a pre-release":            {">=1.9.0-0", "1.9.0", platformv1alpha1.EdgesSemver, "1.9.0"},
		"a pre-release is upgraded to its release":                      {"", "1.9.0-rc.1", platformv1alpha1.EdgesSemver, "1.9.0"},
		"a pre-release is upgraded to a later one that the range names": {">=1.9.0-rc.1 <1.9.0", "1.9.0-rc.1", platformv1alpha1.EdgesSemver, "1.9.0-rc.2"},
	} {
		t.Run(name, func(t *testing.T) {
			got := Resolve(newRequest(func(r *Request) {
				r.VersionRange, r.InstalledVersion, r.Edges = test.versions, test.installed, test.edges
			}), one(stable("1.9.0-rc.1", "1.9.0-rc.2", "1.9.0", "2.0.0-rc.1")))
			if got.Chosen == nil || got.Chosen.Version.String() != test.want {
				t.Errorf("got %s, want %s: %s", describe(got.Chosen), test.want, got.Message)
			}
		})
	}
	for folder, name := range map[string]string{
		"certified-v4.20/couchbase-enterprise-certified": "couchbase-enterprise-certified",
		"certified-v4.20/habana-ai-operator":             "habana-ai-operator",
		"certified-v4.20/isovalent-networking":           "clife",
		"community-v4.20/hive-operator":                  "hive-operator",
		"community-v4.20/rsct-operator":                  "rsct-operator",
	} {
		t.Run(name+", whose default channel has only pre-releases, is installed and upgraded", func(t *testing.T) {
			packages := readFile(t, realdata.Path(t, filepath.Join("catalogs", folder, "catalog.yaml")))
			catalogs := []Catalog{{ID: cluster, Package: &packages[0]}}
			request := Request{Operator: name, Package: name, ClusterVersion: "4.20.0", KubeVersion: "v1.33.0"}
			first := Resolve(request, catalogs)
			if first.Chosen == nil || !first.Chosen.Version.IsPrerelease() {
				t.Fatalf("got %s: %s", describe(first.Chosen), first.Message)
			}
			for _, edges := range []platformv1alpha1.Edges{platformv1alpha1.EdgesChannel, platformv1alpha1.EdgesSemver} {
				moved := 0
				for _, older := range first.Available[1:] {
					request.InstalledVersion, request.InstalledBundle, request.Edges = older.Version.String(), older.Bundle.Name, edges
					got := Resolve(request, catalogs)
					if got.Target == nil {
						t.Fatalf("%s from %s: %s", edges, older.Version, got.Message)
					}
					if got.Target.Version.Equal(first.Chosen.Version) {
						moved++
					}
				}
				if older := len(first.Available) - 1; older > 0 && moved == 0 {
					t.Errorf("with edges %s, none of %d older versions can be upgraded to %s", edges, older, first.Chosen.Version)
				}
				t.Logf("with edges %s, %d of %d older versions are upgraded to %s", edges, moved, len(first.Available)-1, first.Chosen.Version)
			}
		})
	}
}

func readFile(tb testing.TB, file string) []catalog.Package {
	tb.Helper()
	in, err := os.Open(file)
	if err != nil {
		tb.Fatal(err)
	}
	defer in.Close()
	packages, err := catalog.Read(in, nil)
	if err != nil {
		tb.Fatalf("%s: %v", file, err)
	}
	return packages
}

// decide writes the decision for a package on a cluster at 4.20, and the number of its bundles that each rule refuses.
func decide(out *strings.Builder, pkg catalog.Package) {
	got := Resolve(
		Request{Operator: pkg.Name, Package: pkg.Name, ClusterVersion: "4.20.0", KubeVersion: "v1.33.0"},
		[]Catalog{{ID: cluster, Package: &pkg}},
	)
	fmt.Fprintf(out, "%s: ", pkg.Name)
	if got.Chosen != nil {
		fmt.Fprintf(out, "%s from %s, %d available", got.Chosen.Version, got.Chosen.Channel, len(got.Available))
	} else {
		fmt.Fprintf(out, "%s", got.Reason)
	}
	counts := map[string]int{}
	for _, refusal := range got.Refused {
		counts[refusal.Rule]++
	}
	for _, rule := range rules {
		if counts[rule.name] > 0 {
			fmt.Fprintf(out, ", %d refused by %s", counts[rule.name], rule.name)
		}
	}
	out.WriteString("\n")
	if got.Chosen == nil {
		fmt.Fprintf(out, "    %s\n", got.Message)
	}
}

func BenchmarkResolveOneRealPackage(b *testing.B) {
	in, err := os.Open(realdata.Path(b, "catalogs/community-v4.20/project-quay/catalog.yaml"))
	if err != nil {
		b.Fatal(err)
	}
	defer in.Close()
	packages, err := catalog.Read(in, nil)
	if err != nil {
		b.Fatal(err)
	}
	catalogs := []Catalog{{ID: cluster, Package: &packages[0]}}
	for name, request := range map[string]Request{"first": requestOf(packages[0], false), "installed": requestOf(packages[0], true)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if got := Resolve(request, catalogs); got.Chosen == nil {
					b.Fatal(got.Message)
				}
			}
		})
	}
}

// requestOf returns a request for a real package. If installed is true, the oldest version of the default channel is installed.
func requestOf(pkg catalog.Package, installed bool) Request {
	req := Request{Operator: pkg.Name, Package: pkg.Name, ClusterVersion: "4.20.0", KubeVersion: "v1.33.0"}
	channel, _ := pkg.Channel(pkg.DefaultChannel)
	var oldest upgrade.Version
	for _, entry := range channel.Entries {
		bundle, _ := pkg.Bundle(entry.Name)
		version, err := upgrade.ParseVersion(bundle.Version, bundle.Release)
		if installed && err == nil && (oldest.IsZero() || version.Compare(oldest) < 0) {
			oldest, req.InstalledVersion, req.InstalledBundle = version, bundle.Version, bundle.Name
		}
	}
	return req
}

// Promise HRD-U1: If an older version is installed first because newer ones require a missing kind, status lists the newer ones, and what
// each of them lacks.
func TestHRD_U1_NewerVersionsThatLackSomethingAreListed(t *testing.T) {
	const name = "rabbitmq-messaging-topology-operator"
	packages := readFile(t, realdata.Path(t, filepath.Join("catalogs/community-v4.20", name, "catalog.yaml")))
	request := Request{Operator: name, Package: name, ClusterVersion: "4.20.0", KubeVersion: "v1.33.0"}
	first := Resolve(request, one(&packages[0]))
	if first.Chosen == nil || first.Chosen.Version.String() != "1.14.2" {
		t.Fatalf("got %s: %s", describe(first.Chosen), first.Message)
	}
	request.InstalledVersion, request.InstalledBundle = "1.14.2", first.Chosen.Bundle.Name
	updates := Resolve(request, one(&packages[0])).Updates
	if len(updates) == 0 || updates[0].Version.String() != "1.19.3" {
		t.Fatalf("the updates are %v, want 1.19.3 as the first", updates)
	}
	for _, update := range updates {
		if update.Reason != platformv1alpha1.BlockedRequirement || !strings.Contains(update.Why(), "RabbitmqCluster") {
			t.Errorf("version %s: %q %s", update.Version, update.Reason, update.Why())
		}
	}
}
