package mirrors

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	configv1 "github.com/openshift/api/config/v1"

	"github.com/openshift/platform-operators/pkg/mirrors"
)

// registry is a table of registries.conf.
type registry struct {
	scope   string
	blocked bool
	mirrors []string // lines
}

// Conf returns the registries.conf that the machine-config operator writes from the objects. Each source must be in one object only,
// so that no lists have to be merged.
func Conf(sets mirrors.Objects) string {
	tables := map[string]*registry{}
	at := func(scope string) *registry {
		if tables[scope] == nil {
			tables[scope] = &registry{scope: scope}
		}
		return tables[scope]
	}
	isInsecure := func(scope string) bool {
		return slices.ContainsFunc(sets.RegistrySources.InsecureRegistries, func(of string) bool { return isNested(scope, of) })
	}
	add := func(source string, locations []configv1.ImageMirror, policy configv1.MirrorSourcePolicy, pulls string) {
		if !slices.ContainsFunc(locations, func(each configv1.ImageMirror) bool { return string(each) != source }) {
			return
		}
		table := at(source)
		table.blocked = table.blocked || policy == configv1.NeverContactSource
		if last := len(locations) - 1; string(locations[last]) == source {
			locations = locations[:last]
		}
		for _, each := range locations {
			table.mirrors = append(table.mirrors, fmt.Sprintf("[[registry.mirror]]\nlocation = %q\npull-from-mirror = %q\ninsecure = %t\n", each, pulls, isInsecure(string(each))))
		}
	}
	for _, set := range sets.DigestMirrorSets {
		for _, each := range set.Spec.ImageDigestMirrors {
			add(each.Source, each.Mirrors, each.MirrorSourcePolicy, "digest-only")
		}
	}
	for _, set := range sets.TagMirrorSets {
		for _, each := range set.Spec.ImageTagMirrors {
			add(each.Source, each.Mirrors, each.MirrorSourcePolicy, "tag-only")
		}
	}
	for _, scope := range slices.Concat(sets.RegistrySources.InsecureRegistries, sets.RegistrySources.BlockedRegistries) {
		at(scope)
	}
	var text strings.Builder
	for _, each := range sorted(tables) {
		field := "location"
		if strings.HasPrefix(each.scope, "*.") {
			field = "prefix"
		}
		blocked := each.blocked || slices.ContainsFunc(sets.RegistrySources.BlockedRegistries, func(of string) bool { return isNested(each.scope, of) })
		fmt.Fprintf(&text, "[[registry]]\n%s = %q\ninsecure = %t\nblocked = %t\n%s", field, each.scope, isInsecure(each.scope), blocked, strings.Join(each.mirrors, ""))
	}
	return text.String()
}

func sorted(tables map[string]*registry) []*registry {
	var all []*registry
	for _, each := range tables {
		all = append(all, each)
	}
	slices.SortFunc(all, func(a, b *registry) int { return cmp.Compare(a.scope, b.scope) })
	return all
}

// isNested reports whether a registry, a repository or a wildcard is part of a scope. The machine-config operator hands the flags of a
// scope down to what is nested in it.
func isNested(inner, scope string) bool {
	if domain, ok := strings.CutPrefix(scope, "*"); ok {
		host, _, _ := strings.Cut(inner, "/")
		host, _, _ = strings.Cut(host, ":")
		return strings.HasSuffix(host, domain)
	}
	return inner == scope || strings.HasPrefix(inner, scope+"/")
}
