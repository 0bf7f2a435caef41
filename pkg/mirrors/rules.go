package mirrors

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/google/go-containerregistry/pkg/name"

	configv1 "github.com/openshift/api/config/v1"
	operatorv1alpha1 "github.com/openshift/api/operator/v1alpha1"
)

// Sets are the objects of a cluster that determine where images are pulled from, in any order.
type Sets struct {
	Digest []*configv1.ImageDigestMirrorSet
	Tag    []*configv1.ImageTagMirrorSet
	// Content holds ImageContentSourcePolicies, whose mirrors are for digests.
	Content []*operatorv1alpha1.ImageContentSourcePolicy
	// Registries is spec.registrySources of Image "cluster".
	Registries configv1.RegistrySources
}

// Rules are the rules that follow from Sets. They are immutable. A nil *Rules has no rules: every image is pulled from its own repository.
type Rules struct {
	// entries are sorted by scope.
	entries          []entry
	allowed, blocked []string
	problems         []string
}

// entry is the configuration of one scope: a registry, a namespace, a repository, or a wildcard for the subdomains of a domain ("*.domain").
type entry struct {
	scope    string
	mirrors  []mirror
	insecure bool
	// blocked is the reason why the scope itself is not asked; empty if it may be.
	blocked string
}

type mirror struct {
	location string
	pulls    Pulls
	insecure bool
}

// Pulls are the pulls for which a mirror is used: by tag or by digest.
type Pulls string

const (
	// ByDigest are pulls of an image whose reference has a digest.
	ByDigest Pulls = "digest"
	// ByTag are pulls of an image whose reference has a tag, also those by the digest to which the tag was resolved.
	ByTag Pulls = "tag"
)

// PullsOf returns the Pulls of an image.
func PullsOf(image name.Reference) Pulls {
	if _, ok := image.(name.Digest); ok {
		return ByDigest
	}
	return ByTag
}

// list holds the mirrors of one source in one object.
type list struct {
	object, source string
	mirrors        []string
	pulls          Pulls
	policy         configv1.MirrorSourcePolicy
}

// New returns the Rules that follow from the objects of a cluster.
func New(sets Sets) *Rules {
	r := &Rules{}
	of := map[string]*entry{}
	at := func(scope string) *entry {
		if of[scope] == nil {
			of[scope] = &entry{scope: scope}
		}
		return of[scope]
	}
	lists := r.valid(listsOf(sets))
	for _, pulls := range []Pulls{ByDigest, ByTag} {
		for source, merged := range merge(lists, pulls) {
			for _, location := range merged {
				at(source).mirrors = append(at(source).mirrors, mirror{location: location, pulls: pulls})
			}
		}
	}
	for _, each := range lists {
		if each.policy == configv1.NeverContactSource && at(each.source).blocked == "" {
			at(each.source).blocked = fmt.Sprintf("%s has mirrorSourcePolicy NeverContactSource for source %q", each.object, each.source)
		}
	}
	insecure := r.scopes("insecureRegistries", sets.Registries.InsecureRegistries)
	r.blocked = r.scopes("blockedRegistries", sets.Registries.BlockedRegistries)
	r.allowed = r.scopes("allowedRegistries", sets.Registries.AllowedRegistries)
	for _, scope := range slices.Concat(insecure, r.blocked) {
		at(scope)
	}
	for _, each := range of {
		each.setFlags(insecure, r.blocked)
		r.entries = append(r.entries, *each)
	}
	slices.SortFunc(r.entries, func(a, b entry) int { return cmp.Compare(a.scope, b.scope) })
	slices.Sort(r.problems)
	return r
}

// Problems returns a sentence for each part of the objects that is invalid or contradicts another part, sorted. It has the object, and how
// the Rules treat that part. The machine-config operator accepts no object while there are such problems, so the nodes pull images as
// before.
func (r *Rules) Problems() []string {
	if r == nil {
		return nil
	}
	return r.problems
}

// setFlags sets the flags that an entry has, because a registry of one of the lists includes it. Only the entry with the longest scope
// counts for an image, so it must have the flags of all.
func (e *entry) setFlags(insecure, blocked []string) {
	e.insecure = slices.ContainsFunc(insecure, func(scope string) bool { return includes(scope, e.scope) })
	for i, each := range e.mirrors {
		e.mirrors[i].insecure = slices.ContainsFunc(insecure, func(scope string) bool { return includes(scope, each.location) })
	}
	for _, scope := range blocked {
		if includes(scope, e.scope) {
			e.blocked = blockedBy(scope)
		}
	}
}

func blockedBy(scope string) string {
	return fmt.Sprintf(`blockedRegistries of Image "cluster" has %q`, scope)
}

// scope matches a registry, with or without a path, or a wildcard for the subdomains of a domain. location matches what a mirror may be.
var (
	location = regexp.MustCompile(`^[a-zA-Z0-9]([a-zA-Z0-9.-]*[a-zA-Z0-9])?(:[0-9]+)?(/[a-z0-9]+([._-]+[a-z0-9]+)*)*$`)
	wildcard = regexp.MustCompile(`^\*(\.[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?)+$`)
)

func isScope(text string) bool { return location.MatchString(text) || wildcard.MatchString(text) }

// scopes returns the valid scopes of a field of Image "cluster", and adds a problem for each of the others.
func (r *Rules) scopes(field string, of []string) []string {
	var found []string
	for _, scope := range of {
		if isScope(scope) {
			found = append(found, scope)
			continue
		}
		r.problems = append(r.problems, fmt.Sprintf(`%s of Image "cluster" has %q, which is not a registry; it is ignored.`, field, scope))
	}
	return found
}

// listsOf returns the lists of all objects, in the order of their names.
func listsOf(sets Sets) []list {
	var found []list
	for _, each := range sets.Digest {
		for _, of := range each.Spec.ImageDigestMirrors {
			found = append(found, list{"ImageDigestMirrorSet " + each.Name, of.Source, texts(of.Mirrors), ByDigest, of.MirrorSourcePolicy})
		}
	}
	for _, each := range sets.Content {
		for _, of := range each.Spec.RepositoryDigestMirrors {
			found = append(found, list{"ImageContentSourcePolicy " + each.Name, of.Source, of.Mirrors, ByDigest, ""})
		}
	}
	for _, each := range sets.Tag {
		for _, of := range each.Spec.ImageTagMirrors {
			found = append(found, list{"ImageTagMirrorSet " + each.Name, of.Source, texts(of.Mirrors), ByTag, of.MirrorSourcePolicy})
		}
	}
	slices.SortStableFunc(found, func(a, b list) int { return cmp.Compare(a.object, b.object) })
	return found
}

func texts(mirrors []configv1.ImageMirror) []string {
	found := make([]string, len(mirrors))
	for i, each := range mirrors {
		found[i] = string(each)
	}
	return found
}

// valid returns the lists with a valid source, without invalid mirrors and without lists that have no other mirror than the source. It adds
// a problem for what is invalid, and for sources whose mirrorSourcePolicies contradict one another.
func (r *Rules) valid(lists []list) []list {
	var found []list
	policies := map[string]map[configv1.MirrorSourcePolicy]string{} // for each source, an object with each policy
	for _, each := range lists {
		if !isScope(each.source) {
			r.problems = append(r.problems, fmt.Sprintf("%s has source %q, which is not a registry or repository; its mirrors are ignored.", each.object, each.source))
			continue
		}
		var mirrors []string
		for _, mirror := range each.mirrors {
			if !location.MatchString(mirror) {
				r.problems = append(r.problems, fmt.Sprintf("%s has mirror %q for source %q, which is not a registry or repository; it is ignored.", each.object, mirror, each.source))
				continue
			}
			mirrors = append(mirrors, mirror)
		}
		each.mirrors = mirrors
		if !slices.ContainsFunc(mirrors, func(mirror string) bool { return mirror != each.source }) {
			continue
		}
		if policies[each.source] == nil {
			policies[each.source] = map[configv1.MirrorSourcePolicy]string{}
		}
		policies[each.source][cmp.Or(each.policy, configv1.AllowContactingSource)] = each.object
		found = append(found, each)
	}
	for source, by := range policies {
		if len(by) > 1 {
			r.problems = append(r.problems, fmt.Sprintf("%s has mirrorSourcePolicy %s for source %q, and %s has %s; %s applies.", by[configv1.NeverContactSource],
				configv1.NeverContactSource, source, by[configv1.AllowContactingSource], configv1.AllowContactingSource, configv1.NeverContactSource))
		}
	}
	return found
}

// merge returns the mirrors of each source for one kind of pulls.
func merge(lists []list, pulls Pulls) map[string][]string {
	of := map[string][][]string{}
	for _, each := range lists {
		if each.pulls == pulls {
			of[each.source] = append(of[each.source], each.mirrors)
		}
	}
	merged := map[string][]string{}
	for source := range maps.Keys(of) {
		merged[source] = ordered(source, of[source])
	}
	return merged
}
