package mirrors_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"go.podman.io/image/v5/docker/policyconfiguration"
	"go.podman.io/image/v5/docker/reference"
	"go.podman.io/image/v5/pkg/sysregistriesv2"
	"go.podman.io/image/v5/types"

	configv1 "github.com/openshift/api/config/v1"

	"github.com/openshift/platform-operators/pkg/mirrors"
	peer "github.com/openshift/platform-operators/test/mirrors"
)

var seed = flag.Uint64("seed", 0, "seed of the configurations; 0 means another one in each run")

// TestENG_S4_CRIOPullsFromTheSameLocations compares the locations of images with those that CRI-O's library returns for the registries.conf
// of the same objects. The objects are random, of few hosts and paths, so that their scopes often overlap.
func TestENG_S4_CRIOPullsFromTheSameLocations(t *testing.T) {
	if *seed == 0 {
		*seed = rand.Uint64()
	}
	t.Logf("-seed=%d chooses the same configurations again", *seed)
	random := rand.New(rand.NewPCG(*seed, 0))
	const configurations, images = 600, 20
	withMirrors, blocked, insecure := 0, 0, 0
	noDropIns := t.TempDir()
	for i := range configurations {
		sets := setsOf(random)
		text := peer.Conf(sets)
		rules := mirrors.New(sets)
		if problems := rules.Problems(); len(problems) > 0 {
			t.Fatalf("problems %q", problems)
		}
		file := filepath.Join(t.TempDir(), fmt.Sprintf("registries-%d.conf", i))
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		system := &types.SystemContext{SystemRegistriesConfPath: file, SystemRegistriesConfDirPath: noDropIns}
		for range images {
			image := imageOf(random)
			want, err := locations(system, image)
			if err != nil {
				t.Fatalf("%s with\n%s: %v", image, text, err)
			}
			parsed, err := name.ParseReference(image)
			if err != nil {
				t.Fatal(err)
			}
			if isAllowed, want := rules.CheckAllowed(parsed) == nil, isAllowed(sets.RegistrySources, image); isAllowed != want {
				t.Fatalf("%s is allowed: %t, want %t, by %+v", image, isAllowed, want, sets.RegistrySources)
			}
			got := rules.Locations(parsed, mirrors.PullFromMirrorOf(parsed))
			for _, each := range got {
				if each.IsMirror {
					withMirrors++
				}
				if each.Blocked != "" {
					blocked++
				}
				if each.IsInsecure {
					insecure++
				}
			}
			if told := tell(got); !slices.Equal(told, want) {
				t.Fatalf("%s is pulled from\n%q, want\n%q, with\n%s", image, told, want, text)
			}
		}
	}
	if withMirrors < configurations || blocked < configurations/2 || insecure < configurations/2 {
		t.Errorf("%d mirrors, %d blocked and %d insecure locations are too few to tell anything", withMirrors, blocked, insecure)
	}
}

// isAllowed reports whether a policy that the machine-config operator writes from the registries accepts an image, as CRI-O's library finds the
// scope of the policy.
func isAllowed(of configv1.RegistrySources, image string) bool {
	ref, err := reference.ParseNamed(image)
	if err != nil {
		return false
	}
	identity, err := policyconfiguration.DockerReferenceIdentity(ref)
	if err != nil {
		return false
	}
	scopes := append([]string{identity}, policyconfiguration.DockerReferenceNamespaces(ref)...)
	isIn := func(list []string) bool {
		return slices.ContainsFunc(list, func(scope string) bool { return slices.Contains(scopes, scope) })
	}
	return !isIn(of.BlockedRegistries) && (len(of.AllowedRegistries) == 0 || isIn(of.AllowedRegistries))
}

// tell returns locations as texts.
func tell(of []mirrors.Location) []string {
	var told []string
	for _, each := range of {
		told = append(told, fmt.Sprintf("%s insecure=%t blocked=%t", each.Ref, each.IsInsecure, each.Blocked != ""))
	}
	return told
}

// locations returns the locations of an image as CRI-O's library has them, as texts. Of equal references, only the first is kept: the
// second request would have the same answer.
func locations(system *types.SystemContext, image string) ([]string, error) {
	ref, err := reference.ParseNamed(image)
	if err != nil {
		return nil, err
	}
	registry, err := sysregistriesv2.FindRegistry(system, ref.Name())
	if err != nil {
		return nil, err
	}
	if registry == nil {
		return []string{image + " insecure=false blocked=false"}, nil
	}
	if !strings.Contains(registry.Prefix, ":") && strings.Contains(reference.Domain(ref), ":") {
		registry.Mirrors = nil // the library would put the port behind the mirror, where no reference can have it
	}
	sources, err := registry.PullSourcesFromReference(ref)
	if err != nil {
		return nil, err
	}
	var told, refs []string
	for _, source := range sources {
		physical, err := sysregistriesv2.FindRegistry(system, source.Reference.Name())
		if err != nil {
			return nil, err
		}
		if slices.Contains(refs, source.Reference.String()) {
			continue
		}
		refs = append(refs, source.Reference.String())
		insecure := source.Endpoint.Insecure
		if source.Reference.String() == ref.String() { // the source before its own mirrors
			insecure = registry.Insecure
		}
		told = append(told, fmt.Sprintf("%s insecure=%t blocked=%t", source.Reference, insecure, physical != nil && physical.Blocked))
	}
	return told, nil
}

var (
	hosts      = []string{"a.example.com", "b.example.com", "c.b.example.com", "a.local:5000", "a.local", "example.com"}
	namespaces = []string{"", "/team", "/team/memo", "/other"}
	wildcards  = []string{"*.example.com", "*.b.example.com", "*.local"}
)

func pick[T any](random *rand.Rand, from []T) T { return from[random.IntN(len(from))] }

// scopeOf returns a registry, a namespace, a repository, or a wildcard.
func scopeOf(random *rand.Rand) string {
	if random.IntN(4) == 0 {
		return pick(random, wildcards)
	}
	return pick(random, hosts) + pick(random, namespaces)
}

func scopesOf(random *rand.Rand, most int) []string {
	var found []string
	for range random.IntN(most + 1) {
		found = append(found, scopeOf(random))
	}
	return found
}

func imageOf(random *rand.Rand) string {
	image := pick(random, hosts) + pick(random, namespaces) + "/app"
	if random.IntN(2) == 0 {
		return image + ":v1"
	}
	return image + "@sha256:" + strings.Repeat("a", 64)
}

// setsOf returns objects in which no source is in two lists of one kind, and the policies for one source are the same.
func setsOf(random *rand.Rand) mirrors.Objects {
	sets := mirrors.Objects{RegistrySources: configv1.RegistrySources{InsecureRegistries: scopesOf(random, 2), BlockedRegistries: scopesOf(random, 1)}}
	if len(sets.RegistrySources.BlockedRegistries) == 0 { // the machine-config operator accepts only one of both
		sets.RegistrySources.AllowedRegistries = scopesOf(random, 2)
	}
	policies := map[string]configv1.MirrorSourcePolicy{}
	for _, byTag := range []bool{false, true} {
		used := map[string]bool{}
		for range random.IntN(4) {
			source := scopeOf(random)
			if used[source] {
				continue
			}
			used[source] = true
			var locations []configv1.ImageMirror
			for range 1 + random.IntN(3) {
				if location := configv1.ImageMirror(pick(random, hosts) + pick(random, namespaces)); !slices.Contains(locations, location) {
					locations = append(locations, location)
				}
			}
			if _, ok := policies[source]; !ok {
				policies[source] = pick(random, []configv1.MirrorSourcePolicy{"", "", configv1.NeverContactSource})
			}
			if byTag {
				sets.TagMirrorSets = append(sets.TagMirrorSets, &configv1.ImageTagMirrorSet{Spec: configv1.ImageTagMirrorSetSpec{
					ImageTagMirrors: []configv1.ImageTagMirrors{{Source: source, Mirrors: locations, MirrorSourcePolicy: policies[source]}},
				}})
				continue
			}
			sets.DigestMirrorSets = append(sets.DigestMirrorSets, &configv1.ImageDigestMirrorSet{Spec: configv1.ImageDigestMirrorSetSpec{
				ImageDigestMirrors: []configv1.ImageDigestMirrors{{Source: source, Mirrors: locations, MirrorSourcePolicy: policies[source]}},
			}})
		}
	}
	return sets
}
