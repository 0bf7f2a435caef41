package resolve

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/quick"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/labels"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve/reason"
)

var (
	community = catalog.ID{Kind: catalog.KindCatalogSource, Namespace: "openshift-marketplace", Name: "community"}
	cluster   = catalog.ID{Kind: catalog.KindClusterCatalog, Name: "operators"}
	other     = catalog.ID{Kind: catalog.KindClusterCatalog, Name: "other"}
)

// in has the name of a channel and its bundles, each with its version and further fields, such as "1.2.0 max=4.19 kube=1.40
// modes=OwnNamespace image=x".
type in struct {
	channel  string
	versions []string
}

func quay(channels ...in) *catalog.Package {
	var builder catalog.Builder
	builder.AddPackage("quay", channels[0].channel)
	for _, c := range channels {
		builder.AddChannel("quay", c.channel)
		for _, text := range c.versions {
			fields := strings.Fields(text)
			b := catalog.Bundle{Name: "quay.v" + fields[0], Version: fields[0], Image: "registry.example/quay@sha256:" + fields[0]}
			for _, field := range fields[1:] {
				key, value, _ := strings.Cut(field, "=")
				switch key {
				case "max":
					b.MaxOpenShiftVersions = append(b.MaxOpenShiftVersions, value)
				case "kube":
					b.MinKubeVersion = value
				case "modes":
					b.InstallModes = map[string]bool{value: true}
				case "image":
					b.Image = value
				case "format":
					b.MediaTypes = strings.Split(value, ",")
				}
			}
			builder.AddBundle("quay", b)
			builder.AddChannel("quay", c.channel, catalog.Entry{Name: b.Name, SkipRange: "<" + fields[0]}) // all older versions may be upgraded to it
		}
	}
	return &builder.Build()[0]
}

func stable(versions ...string) *catalog.Package {
	return quay(in{"stable", versions})
}

// newRequest returns a request for package "quay", after change; nil means no change.
func newRequest(change func(*Request)) Request {
	req := Request{Operator: "quay", Package: "quay", ClusterVersion: "4.20.3", KubeVersion: "v1.33.4+openshift"}
	if change != nil {
		change(&req)
	}
	return req
}

func one(pkg *catalog.Package) []Catalog {
	return []Catalog{{ID: community, Package: pkg}}
}

func describe(c *Candidate) string {
	if c == nil {
		return ""
	}
	return fmt.Sprintf("%s from %s of %s", c.Version, c.Channel, c.Catalog)
}

func TestResolveChoosesTheNewestThatFits(t *testing.T) {
	const at = " of CatalogSource/openshift-marketplace/community"
	tests := map[string]struct {
		req  func(*Request)
		pkg  *catalog.Package
		want string
	}{
		"a bundle of plain manifests":                       {nil, stable("1.9.0", "1.10.0 format=plain+v0"), "1.10.0 from stable" + at},
		"a bundle that declares registry+v1":                {nil, stable("1.9.0", "1.10.0 format=registry+v1"), "1.10.0 from stable" + at},
		"no bundle of an unsupported format or of two":      {nil, stable("1.9.0", "1.10.0 format=helm+v3", "1.11.0 format=plain+v0,registry+v1", "1.12.0 format="), "1.9.0 from stable" + at},
		"the newest by precedence, not by text":             {nil, stable("1.9.0", "1.10.0", "1.2.0"), "1.10.0 from stable" + at},
		"the newest in the range":                           {func(r *Request) { r.VersionRange = ">=1.0.0 <2.0.0" }, stable("1.9.0", "2.0.0"), "1.9.0 from stable" + at},
		"a pin":                                             {func(r *Request) { r.VersionRange = "1.9.0" }, stable("1.8.0", "1.9.0", "1.9.1"), "1.9.0 from stable" + at},
		"the default channel if none is requested":          {nil, quay(in{"stable", []string{"1.0.0"}}, in{"fast", []string{"2.0.0"}}), "1.0.0 from stable" + at},
		"the requested channel":                             {func(r *Request) { r.Channels = []string{"fast"} }, quay(in{"stable", []string{"1.0.0"}}, in{"fast", []string{"2.0.0"}}), "2.0.0 from fast" + at},
		"the newest of several channels":                    {func(r *Request) { r.Channels = []string{"stable", "fast"} }, quay(in{"stable", []string{"3.0.0"}}, in{"fast", []string{"2.0.0"}}), "3.0.0 from stable" + at},
		"one of two channels exists":                        {func(r *Request) { r.Channels = []string{"gone", "fast"} }, quay(in{"stable", []string{"1.0.0"}}, in{"fast", []string{"2.0.0"}}), "2.0.0 from fast" + at},
		"a version in two channels is named by the default": {func(r *Request) { r.Channels = []string{"alpha", "stable"} }, quay(in{"stable", []string{"1.0.0"}}, in{"alpha", []string{"1.0.0"}}), "1.0.0 from stable" + at},
		"no bundle whose maximum is below the cluster":      {nil, stable("1.9.0 max=\"4.20\"", "1.10.0 max=\"4.19\""), "1.9.0 from stable" + at},
		"no bundle with an invalid maximum":                 {nil, stable("1.9.0", "1.10.0 max=\"latest\"", "1.11.0 max=\"4.30\" max=\"4.31\""), "1.9.0 from stable" + at},
		"4.23 on a cluster at 5.0":                          {func(r *Request) { r.ClusterVersion = "5.0.0" }, stable("1.9.0 max=\"4.22\"", "1.8.0 max=\"4.23\""), "1.8.0 from stable" + at},
		"no bundle that requires a newer Kubernetes":        {nil, stable("1.9.0 kube=1.33.4", "1.10.0 kube=1.33.5", "1.11.0 kube=new"), "1.9.0 from stable" + at},
		"no bundle that requires a watch namespace":         {nil, stable("1.9.0 modes=AllNamespaces", "1.10.0 modes=SingleNamespace"), "1.9.0 from stable" + at},
		"a bundle that watches its own namespace":           {nil, stable("1.9.0 modes=AllNamespaces", "1.10.0 modes=OwnNamespace"), "1.10.0 from stable" + at},
		"no bundle with an invalid version":                 {nil, stable("1.9.0", "latest", "2.0"), "1.9.0 from stable" + at},
		"a release before a newer pre-release":              {nil, guarded("", "1.9.0", "2.0.0-rc.1"), "1.9.0 from stable" + at},
		"a newer pre-release to which edges lead":           {nil, stable("1.9.0", "2.0.0-rc.1"), "2.0.0-rc.1 from stable" + at},
		"a pre-release that the range names":                {func(r *Request) { r.VersionRange = ">=2.0.0-rc.1" }, stable("1.9.0", "2.0.0-rc.1"), "2.0.0-rc.1 from stable" + at},
		"a pre-release where the channel has nothing else":  {nil, quay(in{"edge", []string{"2.0.0-rc.1", "2.0.0-rc.2"}}, in{"stable", []string{"1.0.0"}}), "2.0.0-rc.2 from edge" + at},
		"a pre-release, if the range names none":            {func(r *Request) { r.VersionRange = ">=1.0.0" }, stable("2.0.0-rc.1"), "2.0.0-rc.1 from stable" + at},
		"the pre-release that is installed":                 {func(r *Request) { r.InstalledVersion = "2.0.0-rc.1" }, stable("1.9.0", "2.0.0-rc.1"), "2.0.0-rc.1 from stable" + at},
		"the pre-release that an author's edge leads to":    {func(r *Request) { r.InstalledVersion = "1.9.0" }, stable("1.9.0", "2.0.0-rc.1"), "2.0.0-rc.1 from stable" + at},
		"the installed version when there is nothing newer": {func(r *Request) { r.InstalledVersion = "1.9.0" }, stable("1.8.0", "1.9.0"), "1.9.0 from stable" + at},
		"the higher build metadata of equal versions":       {nil, stable("1.9.0+1", "1.9.0+3", "1.9.0+2"), "1.9.0+3 from stable" + at},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := Resolve(newRequest(test.req), one(test.pkg))
			if diff := cmp.Diff(test.want, describe(got.Chosen)); diff != "" {
				t.Errorf("(-want +got):\n%s\n%s", diff, got.Message)
			}
			if got.Reason != "" || len(got.Available) == 0 {
				t.Errorf("the reason is %q with %d available candidates", got.Reason, len(got.Available))
			}
		})
	}
}

// TestUnlistedKindsOfCatalogsAreReported checks that messages name the kinds of catalogs that could not be listed, which may have the
// package.
func TestUnlistedKindsOfCatalogsAreReported(t *testing.T) {
	const unlisted = "CatalogSources and ClusterCatalogs could not be listed"
	missing := `failed to find candidate for package "quay": `
	for name, test := range map[string]struct {
		catalogs []Catalog
		message  string
	}{
		"no catalog is known":           {nil, missing + unlisted},
		"a catalog without the package": {[]Catalog{{ID: cluster}}, missing + "it is not in ClusterCatalog/operators; create a PlatformOperator with the right spec.package.name (with the plugin, \"oc platform search\" lists the packages), or add a catalog that has the package; " + unlisted},
		"a catalog with the package":    {one(stable("1.0.0")), `version 1.0.0 of package "quay" was chosen from channel "stable" of CatalogSource/openshift-marketplace/community; ` + unlisted},
	} {
		t.Run(name, func(t *testing.T) {
			req := newRequest(nil)
			state := ClusterState{Catalogs: func(string) []Catalog { return test.catalogs }, Unlisted: []string{"CatalogSource", "ClusterCatalog"}}
			got := resolveIn(state, req)
			if got.Message != test.message {
				t.Errorf("got  %s\nwant %s", got.Message, test.message)
			}
			if got.UnreadCatalogs != unlisted || got.OmittedCatalogs != unlisted {
				t.Errorf("UnreadCatalogs is %q, OmittedCatalogs is %q", got.UnreadCatalogs, got.OmittedCatalogs)
			}
		})
	}
}

// Promise UPG-C9: When no version can be chosen, the message says whether the package, the channel or the version is missing, or each
// candidate is refused. It gives the reason of each kind of refusal, and a fix.
func TestUPG_C9_MessagesExplainWhyNothingIsChosen(t *testing.T) {
	source, validation := platformv1alpha1.ReasonSourceFailed, platformv1alpha1.ReasonValidationFailed
	two := quay(in{"stable", []string{"1.8.0", "1.9.0"}}, in{"fast", []string{"2.0.0", "1.9.0"}})
	tests := map[string]struct {
		req      func(*Request)
		catalogs []Catalog
		reason   string
		message  string
	}{
		"invalid range": {
			func(r *Request) { r.VersionRange = ">=1.x.y <" }, one(stable("1.0.0")), validation,
			`spec.package.version ">=1.x.y <" is not a version range: improper constraint: ">=1.x.y <"; write it like ">=1.2.0 <2.0.0", "1.2.x" or "1.2.3"`,
		},
		"no catalog": {
			nil, nil, source,
			`failed to find candidate for package "quay": the cluster has no trusted catalog: create a CatalogSource in a trusted namespace, or a ClusterCatalog`,
		},
		"selector that matches no catalog": {
			func(r *Request) { r.Selector = labels.SelectorFromSet(labels.Set{"tier": "gold"}) }, one(stable("1.0.0")), source,
			`failed to find candidate for package "quay": spec.package.catalogSelector "tier=gold" selects none of the catalogs CatalogSource/openshift-marketplace/community; for example, CatalogSource/openshift-marketplace/community has the labels platform.openshift.io/catalog-kind=CatalogSource,platform.openshift.io/catalog-name=community,platform.openshift.io/catalog-namespace=openshift-marketplace`,
		},
		"no catalog has the package": {
			nil, []Catalog{{ID: community}, {ID: cluster}}, source,
			`failed to find candidate for package "quay": it is not in CatalogSource/openshift-marketplace/community, ClusterCatalog/operators; create a PlatformOperator with the right spec.package.name (with the plugin, "oc platform search" lists the packages), or add a catalog that has the package`,
		},
		"no catalog has the package and one is unreadable": {
			nil, []Catalog{{ID: community}, {ID: cluster, Err: errors.New("connection\nrefused")}}, source,
			`failed to find candidate for package "quay": it is not in CatalogSource/openshift-marketplace/community; create a PlatformOperator with the right spec.package.name (with the plugin, "oc platform search" lists the packages), or add a catalog that has the package; catalog ClusterCatalog/operators was left out: connection refused`,
		},
		"every catalog is unreadable": {
			nil, []Catalog{{ID: cluster, Err: errors.New("connection refused")}}, source,
			`failed to find candidate for package "quay": no catalog could be read: catalog ClusterCatalog/operators was left out: connection refused`,
		},
		"channel that does not exist": {
			func(r *Request) { r.Channels = []string{"slow", "gone"} }, one(two), source,
			`package "quay" has no channel "gone", "slow": correct spec.package.channels; the channels in CatalogSource/openshift-marketplace/community are "fast", "stable" (default)`,
		},
		"version that does not exist": {
			func(r *Request) { r.VersionRange = "1.8.5" }, one(two), source,
			`package "quay" has no version in spec.package.version "1.8.5" in the channels to choose from in CatalogSource/openshift-marketplace/community; the nearest are 1.8.0 and 1.9.0`,
		},
		"range that no version can satisfy": {
			func(r *Request) { r.VersionRange = ">=1.8.5 <1.2.0" }, one(two), source,
			`spec.package.version ">=1.8.5 <1.2.0" permits no version at all, because its parts contradict one another: correct it; package "quay" has no version in spec.package.version ">=1.8.5 <1.2.0" in the channels to choose from in CatalogSource/openshift-marketplace/community; the nearest are 1.8.0 and 1.9.0`,
		},
		"version that is in another channel": {
			func(r *Request) { r.VersionRange = ">=2.0.0" }, one(two), source,
			`package "quay" has no version in spec.package.version ">=2.0.0" in the channels to choose from in CatalogSource/openshift-marketplace/community; the nearest are 1.9.0; 2.0.0 is in channel "fast" only: set spec.package.channels to choose from it`,
		},
		"every candidate is refused": {
			nil, one(stable("1.0.0 max=\"4.19\"", "1.1.0 max=\"4.18\"", "1.2.0 max=x", "1.3.0 kube=1.40.0", "1.4.0 modes=SingleNamespace", "1.5.0 image=", "newest")), validation,
			`none of the selected versions of package "quay" in CatalogSource/openshift-marketplace/community can be installed: 1.5.0 has no image in its catalog; ` +
				`1.4.0 supports only the install modes [SingleNamespace]: set spec.install.config.watchNamespace to the namespaces to watch; ` +
				`1.3.0 needs Kubernetes 1.40.0, the cluster has 1.33.4; ` +
				`1.2.0 cannot be judged: olm.maxOpenShiftVersion x cannot be read, a minor version such as "4.20" is expected (and 2 more for this reason); ` +
				`bundle "quay.vnewest" has the version "newest", which is not a semantic version`,
		},
		"every candidate has an unsupported format": {
			nil, one(stable("1.0.0 format=helm+v3", "1.1.0 format=plain+v0,registry+v1")), validation,
			`none of the selected versions of package "quay" in CatalogSource/openshift-marketplace/community can be installed: 1.1.0 has several formats in its catalog ("plain+v0", "registry+v1"), but only one is allowed (and 1 more for this reason)`,
		},
		"the only candidate has an unsupported format": {
			nil, one(stable("1.0.0 format=helm+v3")), validation,
			`none of the selected versions of package "quay" in CatalogSource/openshift-marketplace/community can be installed: 1.0.0 has format "helm+v3", which this manager does not support: it supports registry+v1 and plain+v0`,
		},
		"pin below the installed version": {
			func(r *Request) { r.VersionRange, r.InstalledVersion = "1.8.0", "1.9.0" }, one(stable("1.8.0", "1.9.0")), validation,
			`none of the selected versions of package "quay" in CatalogSource/openshift-marketplace/community can be installed: 1.8.0 is older than the installed 1.9.0; to downgrade at your own risk, set spec.upgrades.edges to SelfCertified and spec.package.version to the older version, or remove the operator (delete the PlatformOperator) and install it again`,
		},
		"invalid installed version": {
			func(r *Request) { r.InstalledVersion = "x" }, one(stable("1.8.0")), validation,
			`the installed version "x" cannot be read, so it cannot be told what would be a downgrade: correct status.installed.version, or delete the PlatformOperator and create it again`,
		},
		"pre-release that the range does not name": {
			func(r *Request) { r.VersionRange = ">=1.9.5" }, one(stable("1.9.0", "2.0.0-rc.1")), validation,
			`none of the selected versions of package "quay" in CatalogSource/openshift-marketplace/community can be installed: 2.0.0-rc.1 is a pre-release: name one in spec.package.version to permit it, for example ">=2.0.0-rc.1"`,
		},
		"limits while the cluster's versions are invalid": {
			func(r *Request) { r.ClusterVersion, r.KubeVersion = "", "x" }, one(stable("1.0.0 max=\"4.20\"", "1.1.0 kube=1.20.0")), validation,
			`none of the selected versions of package "quay" in CatalogSource/openshift-marketplace/community can be installed: 1.1.0 needs Kubernetes 1.20.0, and the cluster's version "x" cannot be read; 1.0.0 allows OpenShift up to 4.20, and the cluster's version "" cannot be read`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := Resolve(newRequest(test.req), test.catalogs)
			if got.Chosen != nil {
				t.Fatalf("chose %s", describe(got.Chosen))
			}
			if got.Reason != test.reason {
				t.Errorf("reason %s, want %s", got.Reason, test.reason)
			}
			if diff := cmp.Diff(test.message, got.Message); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
		})
	}
}

// Promise UPG-C4: Of one package in several catalogs, bundles with the same image are one candidate, and else the higher priority wins.
// With equal priority, different images are ambiguous, and the message names both and a selector that decides.
func TestUPG_C4_SamePackageInSeveralCatalogs(t *testing.T) {
	tests := map[string]struct {
		catalogs []Catalog
		selector labels.Set
		want     string
		message  string
	}{
		"same bundle image is one candidate": {
			catalogs: []Catalog{{ID: cluster, Package: stable("1.0.0")}, {ID: community, Package: stable("1.0.0 image=mirror.example/q@sha256:1.0.0")}},
			want:     "1.0.0 from stable of CatalogSource/openshift-marketplace/community",
		},
		"the higher priority wins, though the other has a newer version": {
			catalogs: []Catalog{{ID: cluster, Package: stable("2.0.0")}, {ID: other, Priority: 5, Package: stable("1.0.0 image=x")}},
			want:     "1.0.0 from stable of ClusterCatalog/other",
		},
		"the lower priority counts if the higher one has no fitting version": {
			catalogs: []Catalog{{ID: cluster, Package: stable("2.0.0")}, {ID: other, Priority: 5, Package: stable("3.0.0 image=x max=\"4.1\"")}},
			want:     "2.0.0 from stable of ClusterCatalog/operators",
		},
		"equal priority and different images are ambiguous": {
			catalogs: []Catalog{{ID: other, Package: stable("1.0.0 image=y")}, {ID: cluster, Package: stable("1.0.0 image=x")}},
			message:  `version 1.0.0 of package "quay" is ambiguous: catalogs ClusterCatalog/operators (x) and ClusterCatalog/other (y) have the same priority and different images for it; decide with spec.package.catalogSelector.matchLabels {"platform.openshift.io/catalog-name": "operators"}, or give one catalog a higher priority`,
		},
		"the selector that the message names decides": {
			catalogs: []Catalog{{ID: other, Package: stable("1.0.0 image=y")}, {ID: cluster, Package: stable("1.0.0 image=x")}},
			selector: labels.Set{platformv1alpha1.LabelCatalogName: "operators"},
			want:     "1.0.0 from stable of ClusterCatalog/operators",
		},
		"one of them has a newer version": {
			catalogs: []Catalog{{ID: other, Package: stable("1.0.0 image=y", "1.1.0")}, {ID: cluster, Package: stable("1.0.0 image=x")}},
			want:     "1.1.0 from stable of ClusterCatalog/other",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := Resolve(newRequest(func(r *Request) {
				if test.selector != nil {
					r.Selector = labels.SelectorFromSet(test.selector)
				}
			}), test.catalogs)
			if diff := cmp.Diff(test.want, describe(got.Chosen)); diff != "" {
				t.Errorf("(-want +got):\n%s\n%s", diff, got.Message)
			}
			if test.message != "" && test.message != got.Message {
				t.Errorf("message (-want +got):\n%s", cmp.Diff(test.message, got.Message))
			}
			if test.want == "" && got.Reason != platformv1alpha1.ReasonValidationFailed {
				t.Errorf("the reason is %q", got.Reason)
			}
			seen := map[string]bool{}
			for _, c := range got.Available {
				if seen[content(c.Bundle)] {
					t.Errorf("%s is available twice", c.Bundle.Image)
				}
				seen[content(c.Bundle)] = true
			}
		})
	}
}

// Promise UPG-R1: A bundle whose maximum OpenShift version is below the cluster's or unreadable, or whose minimum Kubernetes version is
// above the cluster's, is never chosen. The explanation names the bundle with the reason.
func TestUPG_R1_BundlesThatDoNotFitTheClusterAreRefused(t *testing.T) {
	for misfit, why := range map[string]string{
		`max="4.19"`:            "allows OpenShift up to 4.19, the cluster is at 4.20",
		`max="soon"`:            `cannot be judged: olm.maxOpenShiftVersion "soon" cannot be read`,
		`max="4.30" max="4.30"`: "cannot be judged: olm.maxOpenShiftVersion is declared 2 times",
		"kube=1.34.0":           "needs Kubernetes 1.34.0, the cluster has 1.33.4",
	} {
		t.Run(misfit, func(t *testing.T) {
			got := Resolve(newRequest(nil), one(stable("1.0.0", "1.1.0 "+misfit)))
			if got.Chosen == nil || got.Chosen.Bundle.Version != "1.0.0" || len(got.Available) != 1 {
				t.Errorf("chose %s of %d", describe(got.Chosen), len(got.Available))
			}
			if len(got.Refused) != 1 || !strings.HasPrefix(got.Refused[0].Why(), why) {
				t.Errorf("refused %+v, want %q", got.Refused, why)
			}
			got = Resolve(newRequest(nil), one(stable("1.1.0 "+misfit)))
			if got.Chosen != nil || !strings.Contains(got.Message, "1.1.0 "+why) {
				t.Errorf("without another bundle: chose %s: %s", describe(got.Chosen), got.Message)
			}
		})
	}
}

func TestPreReleasesStayRefusedIfAnotherCatalogHasTheSameReleases(t *testing.T) {
	got := Resolve(newRequest(nil), []Catalog{{ID: community, Package: stable("1.0.0")}, {ID: cluster, Package: guarded("", "1.0.0", "2.0.0-rc.1")}})
	if want := "1.0.0 from stable of CatalogSource/openshift-marketplace/community"; describe(got.Chosen) != want {
		t.Errorf("chose %s, want %s", describe(got.Chosen), want)
	}
}

func TestCatalogLabelsCannotOverrideIdentityLabels(t *testing.T) {
	fake := Catalog{ID: other, Labels: map[string]string{platformv1alpha1.LabelCatalogName: "operators", platformv1alpha1.LabelCatalogNamespace: "x", "tier": "gold"}, Package: stable("9.0.0")}
	catalogs := []Catalog{{ID: community, Package: stable("1.0.0")}, {ID: cluster, Package: stable("2.0.0")}, fake}
	for selector, want := range map[string]string{
		platformv1alpha1.LabelCatalogName + "=operators":                  "2.0.0",
		platformv1alpha1.LabelCatalogKind + "=CatalogSource":              "1.0.0",
		platformv1alpha1.LabelCatalogNamespace + "=openshift-marketplace": "1.0.0",
		"!" + platformv1alpha1.LabelCatalogNamespace:                      "9.0.0",
		"tier=gold": "9.0.0",
	} {
		parsed, err := labels.Parse(selector)
		if err != nil {
			t.Fatal(err)
		}
		got := Resolve(newRequest(func(r *Request) { r.Selector = parsed }), catalogs)
		if got.Chosen == nil || got.Chosen.Bundle.Version != want {
			t.Errorf("%s chose %s, want %s", selector, describe(got.Chosen), want)
		}
	}
}

func TestUnreadableCatalogsAreNamedAndOthersCount(t *testing.T) {
	got := Resolve(newRequest(nil), []Catalog{{ID: community, Package: stable("1.0.0")}, {ID: cluster, Err: errors.New("dial tcp: connection refused")}})
	want := `version 1.0.0 of package "quay" was chosen from channel "stable" of CatalogSource/openshift-marketplace/community; catalog ClusterCatalog/operators was left out: dial tcp: connection refused`
	if got.Chosen == nil || got.Message != want {
		t.Errorf("message (-want +got):\n%s", cmp.Diff(want, got.Message))
	}
	if want := "catalog ClusterCatalog/operators was left out: dial tcp: connection refused"; got.UnreadCatalogs != want {
		t.Errorf("unread is %q, want %q", got.UnreadCatalogs, want)
	}
}

func TestFaultsOfThePackageAreNamedWhenNothingFits(t *testing.T) {
	pkg := stable()
	pkg.Faults = []string{`olm.bundle "quay.v1" is left out: properties: a list was expected`}
	got := Resolve(newRequest(nil), one(pkg))
	want := `package "quay" has no bundle in the channels to choose from in CatalogSource/openshift-marketplace/community: set spec.package.channels to a channel that has one; CatalogSource/openshift-marketplace/community has faults in this package: olm.bundle "quay.v1" is left out: properties: a list was expected`
	if got.Message != want {
		t.Errorf("message (-want +got):\n%s", cmp.Diff(want, got.Message))
	}
}

func TestMoves(t *testing.T) {
	pkg := quay(in{"stable", []string{"1.0.0", "1.1.0", "1.2.0", "2.0.0"}}, in{"fast", []string{"3.0.0 max=\"4.22\""}})
	got := Resolve(newRequest(func(r *Request) { r.VersionRange, r.InstalledVersion = "1.x", "1.1.0" }), one(pkg))
	var moves []string
	for _, m := range got.Moves(Request{}) {
		moves = append(moves, fmt.Sprintf("%s %v %s", m.Version, m.Installable, m.Obstacle))
	}
	want := []string{
		"1.2.0 true ",
		"1.1.0 true ",
		`3.0.0 false it is in channel "fast" only: set spec.package.channels to choose from it`,
		`2.0.0 false it is outside spec.package.version "1.x": widen the range to permit it`,
	}
	if diff := cmp.Diff(want, moves); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Promise UPG-R5: The order of operators, catalogs, channels and kinds in the input changes no decision in 100 shuffles.
func TestUPG_R5_OrderOfInputDoesNotMatter(t *testing.T) {
	many := func(image string) *catalog.Package {
		var versions []string
		for i := range 30 {
			versions = append(versions, fmt.Sprintf("1.%d.%d image=%s%d max=\"4.%d\"", i%7, i, image, i%11, 15+i%10))
		}
		return quay(in{"stable", versions[:20]}, in{"fast", versions[10:]})
	}
	catalogs := []Catalog{
		{ID: community, Package: many("a")}, {ID: cluster, Package: many("b")}, {ID: other, Priority: -1, Package: many("c")},
		{ID: catalog.ID{Kind: catalog.KindClusterCatalog, Name: "down"}, Err: errors.New("down")},
		{ID: catalog.ID{Kind: catalog.KindClusterCatalog, Name: "empty"}},
	}
	for name, change := range map[string]func(*Request){
		"default channel": nil,
		"two channels":    func(r *Request) { r.Channels = []string{"fast", "stable"} },
		"nothing fits":    func(r *Request) { r.ClusterVersion = "4.90.0" },
	} {
		t.Run(name, func(t *testing.T) {
			first := Resolve(newRequest(change), catalogs)
			for seed := range uint64(100) {
				random := rand.New(rand.NewPCG(seed, 2))
				random.Shuffle(len(catalogs), func(i, j int) { catalogs[i], catalogs[j] = catalogs[j], catalogs[i] })
				req := newRequest(change)
				random.Shuffle(len(req.Channels), func(i, j int) { req.Channels[i], req.Channels[j] = req.Channels[j], req.Channels[i] })
				if diff := cmp.Diff(first, Resolve(req, catalogs)); diff != "" {
					t.Fatalf("seed %d (-first +now):\n%s", seed, diff)
				}
			}
		})
	}
}

// TestDecisionIsComplete checks that, for every request and catalog, the chosen bundle fits every rule, no available bundle is newer, and
// every bundle is either available or refused.
func TestDecisionIsComplete(t *testing.T) {
	property := func(numbers []uint16, installed, narrowed uint8) bool {
		var versions []string
		distinct := map[string]bool{}
		for _, n := range numbers {
			version := fmt.Sprintf("%d.%d.0", n%4, n/4%8)
			if n%5 == 0 {
				version += "-rc.1"
			}
			if distinct[version] {
				continue
			}
			distinct[version] = true
			versions = append(versions, fmt.Sprintf("%s max=\"4.%d\" kube=1.%d.0", version, 17+n/32%8, 30+n/256%6))
		}
		req := newRequest(func(r *Request) {
			r.InstalledVersion = fmt.Sprintf("%d.0.0", installed%4)
			r.VersionRange = fmt.Sprintf("<%d.0.0", narrowed%5+1)
		})
		got := Resolve(req, one(stable(versions...)))
		if len(got.Available)+len(got.Refused) != len(versions) || len(got.Message) > reason.MaxMessage || (got.Chosen == nil) != (got.Reason != "") {
			return false
		}
		query, problem := newQuery(req, NewClusterIndex(nil, ClusterState{}))
		if problem != nil {
			return false
		}
		for i, c := range got.Available {
			if query.installed.Compare(c.Version) > 0 || !query.loose.Check(c.Version.Semver()) {
				return false
			}
			if i > 0 && newestFirst(got.Available[i-1], c) > 0 {
				return false
			}
		}
		return got.Chosen == nil || cmp.Equal(*got.Chosen, got.Available[0])
	}
	if err := quick.Check(property, nil); err != nil {
		t.Error(err)
	}
}

func FuzzRange(f *testing.F) {
	for _, text := range []string{"", "1.2.3", ">=1.2.0 <2.0.0", "1.2.x || 2.x", "~1.2-rc.1", "^0", "=>1", "1.2.3 - 2", strings.Repeat("9", 300)} {
		f.Add(text)
	}
	pkg := stable("1.8.0", "1.9.0", "2.0.0-rc.1")
	f.Fuzz(func(t *testing.T, text string) {
		got := Resolve(newRequest(func(r *Request) { r.VersionRange = text }), one(pkg))
		if (got.Chosen == nil) != (got.Reason != "") || got.Message == "" || len(got.Message) > reason.MaxMessage || strings.ContainsAny(got.Message, "\n\r") {
			t.Errorf("range %q: %+v", text, got)
		}
	})
}

func TestPendingCatalogs(t *testing.T) {
	for sentence, test := range map[string]struct {
		unread Catalog
		want   string
	}{
		"of a higher priority":        {Catalog{ID: cluster, Priority: 1, Err: errors.New("not read yet"), Pending: true}, ""},
		"of the same priority":        {Catalog{ID: cluster, Err: errors.New("not read yet"), Pending: true}, ""},
		"of a lower priority":         {Catalog{ID: cluster, Priority: -1, Err: errors.New("not read yet"), Pending: true}, "1.0.0"},
		"unreadable, but not pending": {Catalog{ID: cluster, Priority: 1, Err: errors.New("connection refused")}, "1.0.0"},
	} {
		t.Run(sentence, func(t *testing.T) {
			got := Resolve(newRequest(nil), []Catalog{{ID: community, Package: stable("1.0.0")}, test.unread})
			if test.want != "" {
				if got.Chosen == nil || got.Chosen.Bundle.Version != test.want {
					t.Errorf("chose %s, want %s: %s", describe(got.Chosen), test.want, got.Message)
				}
				return
			}
			if got.Chosen != nil || got.Reason != platformv1alpha1.ReasonSourceFailed || !strings.Contains(got.Message, "1.0.0") || !strings.Contains(got.Message, cluster.String()) {
				t.Errorf("chose %s, %s: %s", describe(got.Chosen), got.Reason, got.Message)
			}
			if moves := got.Moves(Request{}); len(moves) != 1 || moves[0].Installable || moves[0].Obstacle == "" {
				t.Errorf("Moves() = %+v", moves)
			}
		})
	}
}

func TestUnavailableCatalogs(t *testing.T) {
	away := func(c Catalog, err string) Catalog {
		c.Unavailable = true
		if err != "" {
			c.Package, c.Err = nil, errors.New(err)
		}
		return c
	}
	const (
		leftOut = "catalog CatalogSource/openshift-marketplace/community is left out, because it cannot be read: look at its status and its pod, and at the manager's log"
		old     = "catalog ClusterCatalog/operators cannot be read, and its last content is used: look at its status, and at the manager's log"
	)
	well := Catalog{ID: other}
	for sentence, test := range map[string]struct {
		catalogs []Catalog
		selector labels.Selector
		want     []string
	}{
		"a first failed read":                  {[]Catalog{well, {ID: community, Err: errors.New("down")}}, nil, nil},
		"a pending catalog":                    {[]Catalog{well, {ID: community, Err: errors.New("not yet"), Pending: true}}, nil, nil},
		"a catalog without content":            {[]Catalog{well, away(Catalog{ID: community}, "attempt 1")}, nil, []string{leftOut}},
		"the same catalog with another error":  {[]Catalog{well, away(Catalog{ID: community}, "connection refused")}, nil, []string{leftOut}},
		"a catalog whose last content is used": {[]Catalog{well, away(Catalog{ID: cluster, Package: &catalog.Package{Name: "memo"}}, "")}, nil, []string{old}},
		"both, in any order": {[]Catalog{away(Catalog{ID: cluster, Package: &catalog.Package{Name: "memo"}}, ""), well, away(Catalog{ID: community}, "down")}, nil,
			[]string{leftOut, old}},
		"the only catalog":               {[]Catalog{away(Catalog{ID: community}, "down")}, nil, []string{leftOut}},
		"a catalog that is not selected": {[]Catalog{well, away(Catalog{ID: community}, "down")}, labels.SelectorFromSet(labels.Set{"no": "such"}), nil},
	} {
		t.Run(sentence, func(t *testing.T) {
			got := Resolve(Request{Operator: "memo", Package: "memo", Selector: test.selector}, test.catalogs)
			if diff := cmp.Diff(test.want, got.UnavailableCatalogs); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	t.Run("more than MaxUnavailable", func(t *testing.T) {
		var many []Catalog
		for i := range 3 * reason.MaxUnavailable {
			many = append(many, away(Catalog{ID: catalog.ID{Kind: catalog.KindClusterCatalog, Name: fmt.Sprint(i)}}, "down"))
		}
		got := Resolve(Request{Operator: "memo", Package: "memo"}, many).UnavailableCatalogs
		if len(got) != reason.MaxUnavailable+1 || got[reason.MaxUnavailable] != fmt.Sprintf("and %d catalogs more cannot be read", 2*reason.MaxUnavailable) {
			t.Errorf("unexpected list of unavailable catalogs: %q", got)
		}
	})
}

// resolveIn returns the decision for one operator in a cluster without other operators.
func resolveIn(state ClusterState, req Request) Decision {
	e := NewEvaluation(req, NewClusterIndex([]Request{req}, state))
	e.Filter()
	return e.Decide()
}

// Promise HRD-U2: With manual approval, a version that is approved before anything is installed is the one that is installed, and no other.
func TestHRD_U2_FirstInstallationIsTheApprovedVersion(t *testing.T) {
	for name, test := range map[string]struct {
		change  func(*Request)
		want    string // empty if nothing is chosen
		message string
	}{
		"an older version":         {func(r *Request) { r.Approved = "1.0.0" }, "1.0.0", ""},
		"a pre-release":            {func(r *Request) { r.Approved = "1.2.0-rc.1" }, "1.2.0-rc.1", ""},
		"no version":               {func(*Request) {}, "1.1.0", ""},
		"automatic approval":       {func(r *Request) { r.Manual, r.Approved = false, "1.0.0" }, "1.1.0", ""},
		"a version that is absent": {func(r *Request) { r.Approved = "1.0.5" }, "", `is not spec.upgrades.approvedVersion "1.0.5"`},
		"a version out of range":   {func(r *Request) { r.Approved, r.VersionRange = "1.0.0", "1.1.x" }, "", `is not spec.upgrades.approvedVersion "1.0.0"`},
		"installed":                {func(r *Request) { r.InstalledVersion, r.Approved = "1.0.0", "1.0.0" }, "1.0.0", ""},
	} {
		t.Run(name, func(t *testing.T) {
			request := Request{Operator: "quay", Package: "quay", ClusterVersion: "4.21.0", KubeVersion: "v1.34.0", Manual: true}
			test.change(&request)
			versions := []string{"1.0.0", "1.1.0"}
			if strings.Contains(test.want, "-") {
				versions = append(versions, test.want)
			}
			decision := Resolve(request, one(stable(versions...)))
			got := ""
			if decision.Chosen != nil {
				got = decision.Chosen.Version.String()
			}
			if got != test.want || !strings.Contains(decision.Message, test.message) {
				t.Errorf("got version %q, want %q; message %q, want %q", got, test.want, decision.Message, test.message)
			}
		})
	}
}
