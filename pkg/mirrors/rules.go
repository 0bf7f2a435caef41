package mirrors

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	configv1 "github.com/openshift/api/config/v1"
	operatorv1alpha1 "github.com/openshift/api/operator/v1alpha1"
)

// Objects are the objects of a cluster that determine where images are pulled from, in any order.
type Objects struct {
	DigestMirrorSets []*configv1.ImageDigestMirrorSet
	TagMirrorSets    []*configv1.ImageTagMirrorSet
	// ContentSourcePolicies have mirrors for references by digest.
	ContentSourcePolicies []*operatorv1alpha1.ImageContentSourcePolicy
	// RegistrySources is spec.registrySources of Image "cluster".
	RegistrySources configv1.RegistrySources
}

// Rules are the rules that follow from Objects. They are immutable. A nil *Rules has no rules: every image is pulled from its own repository.
type Rules struct {
	// entries are sorted by scope.
	entries          []entry
	allowed, blocked []string
	// isLimited is true if only the allowed registries are allowed, which may be none.
	isLimited bool
	// invalidBlocked are the entries of blockedRegistries that are invalid. While there are any, nothing is allowed: nobody knows what was to
	// be blocked.
	invalidBlocked []string
	problems       []string
}

// entry is the configuration of one scope: a registry, a namespace, a repository, or a wildcard for the subdomains of a domain ("*.domain").
type entry struct {
	scope    string
	mirrors  []mirror
	insecure bool
	// blocked is the reason why the scope itself is not tried; empty if it may be.
	blocked string
}

type mirror struct {
	location string
	pulls    PullFromMirror
	insecure bool
}

// PullFromMirror is the kind of pull that a mirror serves, like pull-from-mirror in registries.conf.
type PullFromMirror string

const (
	// ByDigest are pulls of an image whose reference has a digest.
	ByDigest PullFromMirror = "digest-only"
	// ByTag are pulls of an image whose reference has a tag, also those by the digest to which the tag was resolved.
	ByTag PullFromMirror = "tag-only"
)

// PullFromMirrorOf returns the kind of pull for an image.
func PullFromMirrorOf(image name.Reference) PullFromMirror {
	if _, ok := image.(name.Digest); ok {
		return ByDigest
	}
	return ByTag
}

// list holds the mirrors of one source in one object.
type list struct {
	object, source string
	mirrors        []string
	pulls          PullFromMirror
	policy         configv1.MirrorSourcePolicy
}

// New returns the Rules that follow from the objects of a cluster.
func New(objects Objects) *Rules {
	r := &Rules{}
	of := map[string]*entry{}
	at := func(scope string) *entry {
		if of[scope] == nil {
			of[scope] = &entry{scope: scope}
		}
		return of[scope]
	}
	lists := r.valid(listsOf(objects))
	for _, pulls := range []PullFromMirror{ByDigest, ByTag} {
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
	insecure := r.setRegistries(objects.RegistrySources)
	blocked := slices.DeleteFunc(slices.Clone(r.blocked), func(scope string) bool { return !isScope(scope) }) // without images
	for _, scope := range slices.Concat(insecure, blocked) {
		at(scope)
	}
	for _, each := range of {
		each.setFlags(insecure, blocked)
		r.entries = append(r.entries, *each)
	}
	slices.SortFunc(r.entries, func(a, b entry) int { return cmp.Compare(a.scope, b.scope) })
	slices.Sort(r.problems)
	return r
}

// setRegistries sets the registries that are allowed and blocked, and returns those that are insecure.
func (r *Rules) setRegistries(from configv1.RegistrySources) (insecure []string) {
	insecure, _ = r.scopes("insecureRegistries", from.InsecureRegistries, isScope, ignored)
	r.blocked, r.invalidBlocked = r.scopes("blockedRegistries", from.BlockedRegistries, isScopeOrImage, "the manager pulls no image until you correct this entry")
	r.allowed, _ = r.scopes("allowedRegistries", from.AllowedRegistries, isScopeOrImage, ignored)
	r.isLimited = len(from.AllowedRegistries) > 0
	if r.isLimited && len(from.BlockedRegistries) > 0 {
		r.problems = append(r.problems, `Image "cluster" sets both spec.registrySources.allowedRegistries and blockedRegistries; the manager uses both. `+
			"Set only one: the machine-config operator accepts no configuration with both.")
	}
	return insecure
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

// location matches a registry or repository, and wildcard the subdomains of a domain. image matches a repository with a tag or digest.
var (
	location = regexp.MustCompile(`^` + host + `(/` + component + `)*$`)
	image    = regexp.MustCompile(`^` + host + `(/` + component + `)+(:[a-zA-Z0-9_][a-zA-Z0-9._-]*|@[a-z0-9]+:[a-f0-9]+)$`)
	wildcard = regexp.MustCompile(`^\*(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$`)
)

// host matches a registry with or without a port, and component a part of the path of a repository, as in the grammar of the OCI distribution
// specification.
const (
	host      = `([a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*|\[[0-9a-f:]+\])(:[0-9]+)?`
	component = `[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*`
)

func isScope(text string) bool { return location.MatchString(text) || wildcard.MatchString(text) }

func isScopeOrImage(text string) bool { return isScope(text) || image.MatchString(text) }

// ignored is what the manager does with most invalid entries.
const ignored = "the manager ignores this entry"

// scopes returns the valid scopes of a field of Image "cluster", normalized, and the invalid entries. It adds a problem for each of them;
// effect says what the manager does with it.
func (r *Rules) scopes(field string, of []string, isValid func(string) bool, effect string) (valid, invalid []string) {
	for _, each := range of {
		if scope := NormalizeScope(each); isValid(scope) {
			valid = append(valid, scope)
			continue
		}
		invalid = append(invalid, each)
		r.problems = append(r.problems, fmt.Sprintf(`Image "cluster" has invalid entry %q in spec.registrySources.%s; %s. Correct it to host[:port], host[:port]/repository or *.domain.`,
			each, field, effect))
	}
	return valid, invalid
}

// NormalizeScope returns a scope as registries.conf and containers-policy.json(5) read it, with its host in lower case and with Docker Hub's usual
// name.
func NormalizeScope(scope string) string {
	scope = strings.TrimRight(scope, "/")
	registry, rest, hasPath := strings.Cut(scope, "/")
	if registry = strings.ToLower(registry); registry == name.DefaultRegistry {
		registry = "docker.io"
	}
	if !hasPath {
		return registry
	}
	return registry + "/" + rest
}

// listsOf returns the lists of all objects, in the order of their names.
func listsOf(objects Objects) []list {
	var found []list
	for _, each := range objects.DigestMirrorSets {
		for _, of := range each.Spec.ImageDigestMirrors {
			found = append(found, list{fmt.Sprintf("ImageDigestMirrorSet %q", each.Name), of.Source, texts(of.Mirrors), ByDigest, of.MirrorSourcePolicy})
		}
	}
	for _, each := range objects.ContentSourcePolicies {
		for _, of := range each.Spec.RepositoryDigestMirrors {
			found = append(found, list{fmt.Sprintf("ImageContentSourcePolicy %q", each.Name), of.Source, of.Mirrors, ByDigest, ""})
		}
	}
	for _, each := range objects.TagMirrorSets {
		for _, of := range each.Spec.ImageTagMirrors {
			found = append(found, list{fmt.Sprintf("ImageTagMirrorSet %q", each.Name), of.Source, texts(of.Mirrors), ByTag, of.MirrorSourcePolicy})
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
		if each.source = NormalizeScope(each.source); !isScope(each.source) {
			r.problems = append(r.problems, fmt.Sprintf("%s has invalid source %q; the manager ignores the mirrors of this source. Correct it to host[:port], host[:port]/repository or *.domain.", each.object, each.source))
			continue
		}
		var mirrors []string
		for _, mirror := range each.mirrors {
			if mirror = NormalizeScope(mirror); !location.MatchString(mirror) {
				r.problems = append(r.problems, fmt.Sprintf("%s has invalid mirror %q for source %q; the manager ignores this mirror. Correct it to host[:port] or host[:port]/repository.", each.object, mirror, each.source))
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
			r.problems = append(r.problems, fmt.Sprintf("%s sets mirrorSourcePolicy %s for source %q, but %s has %s, the default; the manager uses %s. Set the same policy in both; replace an ImageContentSourcePolicy by an ImageDigestMirrorSet.", by[configv1.NeverContactSource],
				configv1.NeverContactSource, source, by[configv1.AllowContactingSource], configv1.AllowContactingSource, configv1.NeverContactSource))
		}
	}
	return found
}

// merge returns the mirrors of each source for one kind of pulls.
func merge(lists []list, pulls PullFromMirror) map[string][]string {
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
