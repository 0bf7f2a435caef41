package resolve

import (
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/resolve/reason"
)

func TestAllowedPackages(t *testing.T) {
	for sentence, test := range map[string]struct {
		globs   []string
		allowed bool
	}{
		"no globs":                        {nil, true},
		"its name":                        {[]string{"quay"}, true},
		"another name":                    {[]string{"quays"}, false},
		"a prefix of its name":            {[]string{"qua"}, false},
		"everything":                      {[]string{"*"}, true},
		"a matching suffix beside others": {[]string{"acm", "*ay"}, true},
		"one character":                   {[]string{"qua?"}, true},
		"a matching character class":      {[]string{"qua[x-z]"}, true},
		"a negated character class":       {[]string{"qua[^x-z]"}, false},
		"an invalid glob":                 {[]string{"qua[x-"}, false},
	} {
		t.Run(sentence, func(t *testing.T) {
			got := Resolve(newRequest(func(r *Request) { r.Allowed = test.globs }), one(stable("1.0.0", "1.1.0")))
			if (got.Chosen != nil) != test.allowed {
				t.Fatalf("chose %s, want allowed: %t: %s", describe(got.Chosen), test.allowed, got.Message)
			}
			if test.allowed {
				return
			}
			if got.Reason != platformv1alpha1.ReasonValidationFailed || len(got.Message) > reason.MaxMessage {
				t.Errorf("the reason is %s, and the message has %d bytes", got.Reason, len(got.Message))
			}
			for _, word := range append([]string{`PlatformOperatorManager "cluster"`, "spec.allowedPackages", `package "quay"`}, reason.Quote(test.globs[0])) {
				if !strings.Contains(got.Message, word) {
					t.Errorf("the message does not contain %q: %s", word, got.Message)
				}
			}
			moves := got.Moves(Request{})
			if len(moves) != 2 || moves[0].Installable || !strings.Contains(moves[0].Obstacle, "spec.allowedPackages") {
				t.Errorf("Moves() = %+v", moves)
			}
		})
	}
}

func TestAForbiddenPackageIsReportedWithoutCatalogs(t *testing.T) {
	got := Resolve(newRequest(func(r *Request) { r.Allowed = []string{"acm"} }), nil)
	if got.Reason != platformv1alpha1.ReasonValidationFailed || got.UnreadCatalogs != "" {
		t.Errorf("without a catalog, the reason is %s: %s", got.Reason, got.Message)
	}
}

func TestBothCatalogSelectorsMustMatch(t *testing.T) {
	catalogs := []Catalog{
		{ID: community, Labels: map[string]string{"tier": "tin"}, Package: stable("2.0.0")},
		{ID: cluster, Labels: map[string]string{"tier": "gold", "site": "a"}, Package: stable("1.0.0")},
		{ID: other, Labels: map[string]string{"tier": "gold", "site": "b"}, Package: stable("1.1.0")},
	}
	nothingThere := []Catalog{{ID: community, Labels: map[string]string{"tier": "gold"}}, {ID: cluster, Package: stable("1.0.0")}}
	for sentence, test := range map[string]struct {
		manager, own string
		catalogs     []Catalog
		want         string
		words        []string
	}{
		"both match every catalog":                        {"", "", catalogs, "2.0.0", nil},
		"the manager's excludes the newest":               {"tier=gold", "", catalogs, "1.1.0", nil},
		"both must match":                                 {"tier=gold", "site=a", catalogs, "1.0.0", nil},
		"the manager's matches the catalog's identity":    {platformv1alpha1.LabelCatalogKind + "=CatalogSource", "", catalogs, "2.0.0", nil},
		"the operator's matches only an excluded catalog": {"tier=gold", "tier=tin", catalogs, "", []string{`spec.package.catalogSelector "tier=tin"`, `spec.catalogSelector "tier=gold" of PlatformOperatorManager "cluster" leaves out ` + community.String()}},
		"the manager's excludes every catalog":            {"tier=iron", "", catalogs, "", []string{`spec.catalogSelector "tier=iron" of PlatformOperatorManager "cluster"`, community.String(), cluster.String(), other.String()}},
		"only an excluded catalog has the package":        {"tier=gold", "", nothingThere, "", []string{"failed to find candidate", "it is not in " + community.String(), "leaves out " + cluster.String()}},
	} {
		t.Run(sentence, func(t *testing.T) {
			got := Resolve(newRequest(func(r *Request) {
				r.ManagerSelector, r.Selector = parsedSelector(t, test.manager), parsedSelector(t, test.own)
			}), test.catalogs)
			if test.want != "" {
				if got.Chosen == nil || got.Chosen.Bundle.Version != test.want {
					t.Errorf("chose %s, want %s: %s", describe(got.Chosen), test.want, got.Message)
				}
				return
			}
			if got.Chosen != nil || got.Reason != platformv1alpha1.ReasonSourceFailed {
				t.Errorf("chose %s, %s", describe(got.Chosen), got.Reason)
			}
			for _, word := range test.words {
				if !strings.Contains(got.Message, word) {
					t.Errorf("the message does not contain %q: %s", word, got.Message)
				}
			}
		})
	}
}

func parsedSelector(t *testing.T, text string) labels.Selector {
	t.Helper()
	if text == "" {
		return nil
	}
	selector, err := labels.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return selector
}

func TestRequestForReturnsAnErrorForAnInvalidConfiguration(t *testing.T) {
	operator := &platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: "quay"}}
	operator.Spec.Package.Name = "quay"
	for field, spec := range map[string]operatorv1alpha1.PlatformOperatorManagerSpec{
		"spec.allowedPackages": {AllowedPackages: []string{"*", "[a-"}},
		"spec.catalogSelector": {CatalogSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"no label!": "a"}}},
	} {
		_, err := RequestFor(operator, "", Cluster{Manager: spec})
		if err == nil || !strings.Contains(err.Error(), field) || !strings.Contains(err.Error(), `PlatformOperatorManager "cluster"`) {
			t.Errorf("%s: %v", field, err)
		}
	}
	request, err := RequestFor(operator, "", Cluster{Manager: operatorv1alpha1.PlatformOperatorManagerSpec{
		AllowedPackages: []string{"q*"}, CatalogSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"tier": "gold"}}}})
	if err != nil || len(request.Allowed) != 1 || request.ManagerSelector.String() != "tier=gold" {
		t.Errorf("RequestFor returned %+v, %v", request, err)
	}
}

// FuzzAllowedGlob checks that every glob that the CRD's pattern permits is valid, and that an invalid glob permits no package.
func FuzzAllowedGlob(f *testing.F) {
	pattern := regexp.MustCompile(storedGlob(f))
	for _, glob := range []string{"*", "quay", "a-*", "[a-f]*", "[^q]?", "[q-a]", "[a", "[]", "[-]", `\`, "[a-]", "**?[0-9a]", "-", "[a-b-c]"} {
		f.Add(glob, "quay")
	}
	f.Fuzz(func(t *testing.T, glob, name string) {
		_, err := path.Match(glob, name)
		if pattern.MatchString(glob) && err != nil {
			t.Errorf("glob %q matches the CRD's pattern but is invalid: %v", glob, err)
		}
		req := Request{Package: name, Allowed: []string{glob}}
		if readable := req.addManager(operatorv1alpha1.PlatformOperatorManagerSpec{AllowedPackages: []string{glob}}) == nil; !readable && req.allows(name) {
			t.Errorf("invalid glob %q allows %q", glob, name)
		}
	})
}

// storedGlob returns the CRD's pattern for the items of spec.allowedPackages.
func storedGlob(tb testing.TB) string {
	tb.Helper()
	crd, err := os.ReadFile("../../manifests/0000_50_platform-operators_10-platformoperatormanagers.crd.yaml")
	if err != nil {
		tb.Fatal(err)
	}
	found := regexp.MustCompile(`(?s)allowedPackages:.*?pattern: (\S+)\n`).FindSubmatch(crd)
	if found == nil {
		tb.Fatal("the CRD has no pattern for the items of spec.allowedPackages")
	}
	return string(found[1])
}
