package mirrors

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1 "github.com/openshift/api/config/v1"
	operatorv1alpha1 "github.com/openshift/api/operator/v1alpha1"
)

// digest returns an ImageDigestMirrorSet with a list of mirrors for one source.
func digest(object, source string, policy configv1.MirrorSourcePolicy, mirrors ...configv1.ImageMirror) *configv1.ImageDigestMirrorSet {
	return &configv1.ImageDigestMirrorSet{ObjectMeta: metav1.ObjectMeta{Name: object}, Spec: configv1.ImageDigestMirrorSetSpec{
		ImageDigestMirrors: []configv1.ImageDigestMirrors{{Source: source, Mirrors: mirrors, MirrorSourcePolicy: policy}},
	}}
}

// tag returns an ImageTagMirrorSet with a list of mirrors for one source.
func tag(object, source string, policy configv1.MirrorSourcePolicy, mirrors ...configv1.ImageMirror) *configv1.ImageTagMirrorSet {
	return &configv1.ImageTagMirrorSet{ObjectMeta: metav1.ObjectMeta{Name: object}, Spec: configv1.ImageTagMirrorSetSpec{
		ImageTagMirrors: []configv1.ImageTagMirrors{{Source: source, Mirrors: mirrors, MirrorSourcePolicy: policy}},
	}}
}

// content returns an ImageContentSourcePolicy with a list of mirrors for one source.
func content(object, source string, mirrors ...string) *operatorv1alpha1.ImageContentSourcePolicy {
	return &operatorv1alpha1.ImageContentSourcePolicy{ObjectMeta: metav1.ObjectMeta{Name: object}, Spec: operatorv1alpha1.ImageContentSourcePolicySpec{
		RepositoryDigestMirrors: []operatorv1alpha1.RepositoryDigestMirrors{{Source: source, Mirrors: mirrors}},
	}}
}

func idms(of ...*configv1.ImageDigestMirrorSet) Objects { return Objects{DigestMirrorSets: of} }

// at is the digest in the references of the tests.
var at = "@sha256:" + strings.Repeat("a", 64)

// told returns locations as texts: the reference with @ instead of its digest, and what is special about it.
func told(locations []Location) []string {
	found := make([]string, len(locations))
	for i, each := range locations {
		found[i] = strings.Replace(each.Ref, at, "@", 1)
		if each.IsInsecure {
			found[i] += " insecure"
		}
		if each.Blocked != "" {
			found[i] += " blocked"
		}
	}
	return found
}

// Promise ENG-S4: Images are pulled from the mirrors of ImageDigestMirrorSets, ImageTagMirrorSets and ImageContentSourcePolicies, in their
// order, and from the source only if mirrorSourcePolicy permits it.
//
// The cases are what the documentation of the three APIs says, and of the fields of Image "cluster".
func TestENG_S4_LocationsOfAnImage(t *testing.T) {
	registries := func(of configv1.RegistrySources) Objects { return Objects{RegistrySources: of} }
	for name, test := range map[string]struct {
		sets  Objects
		image string // @ stands for a digest
		want  []string
	}{
		"no mirrors": {Objects{}, "quay.io/team/memo@", []string{"quay.io/team/memo@"}},
		"a repository": {idms(digest("a", "quay.io/team/memo", "", "mirror.local/m")), "quay.io/team/memo@",
			[]string{"mirror.local/m@", "quay.io/team/memo@"}},
		"a namespace": {idms(digest("a", "quay.io/team", "", "mirror.local:5000/m/n")), "quay.io/team/memo@",
			[]string{"mirror.local:5000/m/n/memo@", "quay.io/team/memo@"}},
		"a registry":         {idms(digest("a", "quay.io", "", "mirror.local")), "quay.io/team/memo@", []string{"mirror.local/team/memo@", "quay.io/team/memo@"}},
		"another repository": {idms(digest("a", "quay.io/team/memo", "", "mirror.local/m")), "quay.io/team/memory@", []string{"quay.io/team/memory@"}},
		"another port":       {idms(digest("a", "quay.io", "", "mirror.local")), "quay.io:8443/team/memo@", []string{"quay.io:8443/team/memo@"}},
		"another port of a source that is never to be contacted": {idms(digest("a", "quay.io", configv1.NeverContactSource, "mirror.local")), "quay.io:443/team/memo@",
			[]string{"quay.io:443/team/memo@ blocked"}},
		"Docker Hub as a mirror": {Objects{
			DigestMirrorSets: []*configv1.ImageDigestMirrorSet{digest("a", "quay.io/xy", "", "index.docker.io/library")},
			RegistrySources:  configv1.RegistrySources{BlockedRegistries: []string{"docker.io"}},
		}, "quay.io/xy/memo@", []string{"docker.io/library/memo@ blocked", "quay.io/xy/memo@"}},
		"subdomains": {idms(digest("a", "*.redhat.io", "", "mirror.local/redhat")), "registry.redhat.io/product/repo@",
			[]string{"mirror.local/redhat/product/repo@", "registry.redhat.io/product/repo@"}},
		"a domain is no subdomain of itself": {idms(digest("a", "*.redhat.io", "", "mirror.local")), "redhat.io/repo@", []string{"redhat.io/repo@"}},
		"a path that looks like a subdomain": {idms(digest("a", "*.redhat.io", "", "mirror.local")), "quay.io/registry.redhat.io/repo@",
			[]string{"quay.io/registry.redhat.io/repo@"}},
		"only the most specific source": {idms(digest("a", "quay.io/libpod", "", "mirror.local/general"), digest("b", "quay.io/libpod/busybox", "", "mirror.local/special")),
			"quay.io/libpod/busybox@", []string{"mirror.local/special@", "quay.io/libpod/busybox@"}},
		"lists are merged": {idms(digest("a", "quay.io/xy", "", "a.local/xy", "b.local/xy", "c.local/xy"), digest("b", "quay.io/xy", "", "c.local/xy", "d.local/xy", "e.local/xy")),
			"quay.io/xy@", []string{"a.local/xy@", "b.local/xy@", "c.local/xy@", "d.local/xy@", "e.local/xy@", "quay.io/xy@"}},
		"lists are merged, whatever the order of the objects": {idms(digest("a", "quay.io/xy", "", "z.local/xy", "b.local/xy"), digest("b", "quay.io/xy", "", "y.local/xy", "z.local/xy")),
			"quay.io/xy@", []string{"y.local/xy@", "z.local/xy@", "b.local/xy@", "quay.io/xy@"}},
		"lists that contradict one another": {idms(digest("a", "quay.io/xy", "", "a.local/xy", "b.local/xy"), digest("b", "quay.io/xy", "", "b.local/xy", "a.local/xy")),
			"quay.io/xy@", []string{"a.local/xy@", "b.local/xy@", "quay.io/xy@"}},
		"the source before a mirror": {idms(digest("a", "quay.io/xy", "", "a.local/xy", "quay.io/xy", "b.local/xy")), "quay.io/xy@",
			[]string{"a.local/xy@", "quay.io/xy@", "b.local/xy@"}},
		"only the source":    {idms(digest("a", "quay.io/xy", configv1.NeverContactSource, "quay.io/xy")), "quay.io/xy@", []string{"quay.io/xy@"}},
		"mirrors by digest":  {idms(digest("a", "quay.io/xy", "", "a.local/xy")), "quay.io/xy:v1", []string{"quay.io/xy:v1"}},
		"mirrors by tag":     {Objects{TagMirrorSets: []*configv1.ImageTagMirrorSet{tag("a", "quay.io/xy", "", "a.local/xy")}}, "quay.io/xy:v1", []string{"a.local/xy:v1", "quay.io/xy:v1"}},
		"not for a digest":   {Objects{TagMirrorSets: []*configv1.ImageTagMirrorSet{tag("a", "quay.io/xy", "", "a.local/xy")}}, "quay.io/xy@", []string{"quay.io/xy@"}},
		"a tag and a digest": {idms(digest("a", "quay.io/xy", "", "a.local/xy")), "quay.io/xy:v1@", []string{"a.local/xy@", "quay.io/xy@"}},
		"an ImageContentSourcePolicy": {Objects{ContentSourcePolicies: []*operatorv1alpha1.ImageContentSourcePolicy{content("a", "quay.io/xy", "a.local/xy", "b.local/xy")}}, "quay.io/xy@",
			[]string{"a.local/xy@", "b.local/xy@", "quay.io/xy@"}},
		"both kinds by digest": {Objects{
			DigestMirrorSets:      []*configv1.ImageDigestMirrorSet{digest("a", "quay.io/xy", "", "b.local/xy", "c.local/xy")},
			ContentSourcePolicies: []*operatorv1alpha1.ImageContentSourcePolicy{content("a", "quay.io/xy", "a.local/xy", "b.local/xy")},
		}, "quay.io/xy@", []string{"a.local/xy@", "b.local/xy@", "c.local/xy@", "quay.io/xy@"}},
		"never the source": {idms(digest("a", "quay.io/xy", configv1.NeverContactSource, "a.local/xy")), "quay.io/xy@", []string{"a.local/xy@", "quay.io/xy@ blocked"}},
		"never the source, also by tag": {idms(digest("a", "quay.io/xy", configv1.NeverContactSource, "a.local/xy")), "quay.io/xy:v1",
			[]string{"quay.io/xy:v1 blocked"}},
		"policies that contradict one another": {idms(digest("a", "quay.io/xy", configv1.NeverContactSource, "a.local/xy"), digest("b", "quay.io/xy", "", "b.local/xy")),
			"quay.io/xy@", []string{"a.local/xy@", "b.local/xy@", "quay.io/xy@ blocked"}},
		"a mirror that is itself a source": {idms(digest("a", "quay.io/xy", "", "a.local/xy"), digest("b", "a.local/xy", configv1.NeverContactSource, "b.local/xy")),
			"quay.io/xy@", []string{"a.local/xy@ blocked", "quay.io/xy@"}},
		"Docker Hub": {idms(digest("a", "docker.io/library", "", "a.local/hub")), "busybox@", []string{"a.local/hub/busybox@", "docker.io/library/busybox@"}},
		"a mirror of a blocked registry": {Objects{
			DigestMirrorSets: []*configv1.ImageDigestMirrorSet{digest("a", "quay.io/xy", "", "a.local/xy")},
			RegistrySources:  configv1.RegistrySources{BlockedRegistries: []string{"*.local"}},
		}, "quay.io/xy@", []string{"a.local/xy@ blocked", "quay.io/xy@"}},
		"a mirror without a repository": {idms(digest("a", "quay.io/xy", "", "a.local", "mirror/xy", "localhost/xy")), "quay.io/xy@",
			[]string{"a.local@ blocked", "mirror/xy@ blocked", "localhost/xy@", "quay.io/xy@"}},
		"insecure":                     {registries(configv1.RegistrySources{InsecureRegistries: []string{"quay.io"}}), "quay.io/team/memo:v1", []string{"quay.io/team/memo:v1 insecure"}},
		"insecure subdomains, by port": {registries(configv1.RegistrySources{InsecureRegistries: []string{"*.local"}}), "a.local:5000/memo:v1", []string{"a.local:5000/memo:v1 insecure"}},
		"an insecure namespace":        {registries(configv1.RegistrySources{InsecureRegistries: []string{"quay.io/other"}}), "quay.io/team/memo:v1", []string{"quay.io/team/memo:v1"}},
		"insecure mirrors, and a source with its own mirrors": {Objects{
			DigestMirrorSets: []*configv1.ImageDigestMirrorSet{digest("a", "quay.io/team", "", "a.local:5000/xy", "b.com/xy")},
			RegistrySources:  configv1.RegistrySources{InsecureRegistries: []string{"*.local", "quay.io"}},
		}, "quay.io/team/memo@", []string{"a.local:5000/xy/memo@ insecure", "b.com/xy/memo@", "quay.io/team/memo@ insecure"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := told(locationsOf(t, New(test.sets), test.image))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("locations (-want +got):\n%s", diff)
			}
		})
	}
}

func reference(t *testing.T, image string) name.Reference {
	t.Helper()
	if strings.HasSuffix(image, "@") {
		image = strings.TrimSuffix(image, "@") + at
	}
	parsed, err := name.ParseReference(image)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// locationsOf returns the locations of an image; @ stands for a digest.
func locationsOf(t *testing.T, rules *Rules, image string) []Location {
	t.Helper()
	ref := reference(t, image)
	return rules.Locations(ref, PullFromMirrorOf(ref))
}

// TestENG_S4_ATagThatWasResolvedHasTheMirrorsOfTags checks the locations of a digest to which a tag was resolved.
func TestENG_S4_ATagThatWasResolvedHasTheMirrorsOfTags(t *testing.T) {
	rules := New(Objects{
		DigestMirrorSets: []*configv1.ImageDigestMirrorSet{digest("a", "quay.io/xy", "", "digests.local/xy")},
		TagMirrorSets:    []*configv1.ImageTagMirrorSet{tag("a", "quay.io/xy", "", "tags.local/xy")},
	})
	if got := told(rules.Locations(reference(t, "quay.io/xy@"), ByTag)); !cmp.Equal(got, []string{"tags.local/xy@", "quay.io/xy@"}) {
		t.Errorf("got %q", got)
	}
}

func TestENG_S5_OnlyAllowedRegistries(t *testing.T) {
	allowed := configv1.RegistrySources{AllowedRegistries: []string{"quay.io/team", "*.example.com", "a.local:5000"}}
	blocked := configv1.RegistrySources{BlockedRegistries: []string{"quay.io/team", "*.example.com"}}
	const notAllowed = `allowedRegistries of Image "cluster" does not have this registry`
	for name, test := range map[string]struct {
		registries configv1.RegistrySources
		image      string
		want       string
	}{
		"nothing":                  {configv1.RegistrySources{}, "quay.io/team/memo:v1", ""},
		"allowed":                  {allowed, "quay.io/team/memo:v1", ""},
		"an allowed subdomain":     {allowed, "a.b.example.com/memo:v1", ""},
		"an allowed port":          {allowed, "a.local:5000/memo:v1", ""},
		"not allowed":              {allowed, "quay.io/other/memo:v1", notAllowed},
		"a subdomain with a port":  {allowed, "a.example.com:5000/memo:v1", ""},
		"an allowed image":         {configv1.RegistrySources{AllowedRegistries: []string{"quay.io/team/memo:v1"}}, "quay.io/team/memo:v1", ""},
		"another tag":              {configv1.RegistrySources{AllowedRegistries: []string{"quay.io/team/memo:v1"}}, "quay.io/team/memo:v2", notAllowed},
		"a slash at the end":       {configv1.RegistrySources{AllowedRegistries: []string{"quay.io/team/"}}, "quay.io/team/memo:v1", ""},
		"upper case":               {configv1.RegistrySources{BlockedRegistries: []string{"Quay.io"}}, "QUAY.io/team/memo:v1", `blockedRegistries of Image "cluster" has "quay.io"`},
		"IPv6":                     {configv1.RegistrySources{BlockedRegistries: []string{"[fd00::1]:5000"}}, "[fd00::1]:5000/team/memo:v1", `blockedRegistries of Image "cluster" has "[fd00::1]:5000"`},
		"an invalid blocked entry": {configv1.RegistrySources{BlockedRegistries: []string{"https://quay.io"}}, "other.io/team/memo:v1", `blockedRegistries of Image "cluster" has invalid entry "https://quay.io"`},
		"another port":             {allowed, "a.local/memo:v1", notAllowed},
		"blocked":                  {blocked, "quay.io/team/memo:v1", `blockedRegistries of Image "cluster" has "quay.io/team"`},
		"a blocked subdomain":      {blocked, "a.example.com/memo:v1", `blockedRegistries of Image "cluster" has "*.example.com"`},
		"only invalid entries":     {configv1.RegistrySources{AllowedRegistries: []string{"https://quay.io"}}, "quay.io/team/memo:v1", notAllowed},
		"not blocked":              {blocked, "quay.io/other/memo:v1", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			if err := New(Objects{RegistrySources: test.registries}).CheckAllowed(reference(t, test.image)); err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestNoRules(t *testing.T) {
	var none *Rules
	image := reference(t, "quay.io/team/memo:v1")
	if got := told(none.Locations(image, ByTag)); !cmp.Equal(got, []string{"quay.io/team/memo:v1"}) || none.CheckAllowed(image) != nil || none.Problems() != nil {
		t.Errorf("got %q, %v, %q", got, none.CheckAllowed(image), none.Problems())
	}
}

func TestProblemsNameTheObject(t *testing.T) {
	sets := Objects{
		DigestMirrorSets: []*configv1.ImageDigestMirrorSet{
			digest("a", "quay.io/xy", configv1.NeverContactSource, "a.local/xy"), digest("b", "quay.io/xy", "", "b.local/xy"),
			digest("c", "https://quay.io", "", "b.local/xy"), digest("d", "quay.io/yz", "", "b.local/xy:v1", "*.local", "c.local/yz"),
		},
		ContentSourcePolicies: []*operatorv1alpha1.ImageContentSourcePolicy{content("e", "", "a.local")},
		RegistrySources:       configv1.RegistrySources{InsecureRegistries: []string{"a.*"}, BlockedRegistries: []string{"*"}, AllowedRegistries: []string{"https://quay.io", "quay.io"}},
	}
	rules := New(sets)
	want := []string{
		`Image "cluster" has invalid entry "*" in spec.registrySources.blockedRegistries; the manager pulls no image until you correct this entry. Correct it to host[:port], host[:port]/repository or *.domain.`,
		`Image "cluster" has invalid entry "a.*" in spec.registrySources.insecureRegistries; the manager ignores this entry. Correct it to host[:port], host[:port]/repository or *.domain.`,
		`Image "cluster" has invalid entry "https://quay.io" in spec.registrySources.allowedRegistries; the manager ignores this entry. Correct it to host[:port], host[:port]/repository or *.domain.`,
		`Image "cluster" sets both spec.registrySources.allowedRegistries and blockedRegistries; the manager uses both. Set only one: the machine-config operator accepts no configuration with both.`,
		`ImageContentSourcePolicy "e" has invalid source ""; the manager ignores the mirrors of this source. Correct it to host[:port], host[:port]/repository or *.domain.`,
		`ImageDigestMirrorSet "a" sets mirrorSourcePolicy NeverContactSource for source "quay.io/xy", but ImageDigestMirrorSet "b" has AllowContactingSource, the default; the manager uses NeverContactSource. Set the same policy in both; replace an ImageContentSourcePolicy by an ImageDigestMirrorSet.`,
		`ImageDigestMirrorSet "c" has invalid source "https://quay.io"; the manager ignores the mirrors of this source. Correct it to host[:port], host[:port]/repository or *.domain.`,
		`ImageDigestMirrorSet "d" has invalid mirror "*.local" for source "quay.io/yz"; the manager ignores this mirror. Correct it to host[:port] or host[:port]/repository.`,
		`ImageDigestMirrorSet "d" has invalid mirror "b.local/xy:v1" for source "quay.io/yz"; the manager ignores this mirror. Correct it to host[:port] or host[:port]/repository.`,
	}
	if diff := cmp.Diff(want, rules.Problems()); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	if got := told(locationsOf(t, rules, "quay.io/yz@")); !cmp.Equal(got, []string{"c.local/yz@", "quay.io/yz@"}) {
		t.Errorf("got %q", got)
	}
}

// TestManyMirrorsAreOrderedOnce checks the worst case of contradictions: every list has the reverse order of another.
func TestManyMirrorsAreOrderedOnce(t *testing.T) {
	var forward, backward []string
	for i := range 300 {
		forward, backward = append(forward, fmt.Sprintf("m%03d.local", i)), append(backward, fmt.Sprintf("m%03d.local", 299-i))
	}
	if got := ordered("quay.io", [][]string{forward, backward}); !cmp.Equal(got, forward) {
		t.Errorf("got %q", got)
	}
}

func TestIsValid(t *testing.T) {
	for image, want := range map[string]bool{
		"quay.io/team/memo:v1": true, "quay.io/team/a.b_c__d-e---f:v1": true, "[fd00::1]:5000/team/memo:v1": true, "localhost/memo/x:v1": true, "busybox": true,
		"quay.io/team/../evil/y:v1": false, "quay.io//team/y:v1": false, "quay.io/team/./y:v1": false, "quay.io./team/y:v1": false, "quay.io/team/y/:v1": false,
		"quay.io/-team/y:v1": false, "quay.io/a___b/y:v1": false,
	} {
		parsed, err := name.ParseReference(image)
		if err != nil {
			if want {
				t.Errorf("%s: %v", image, err)
			}
			continue
		}
		if got := IsValid(parsed); got != want {
			t.Errorf("%s is valid: %t", image, got)
		}
	}
}
