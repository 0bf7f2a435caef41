package resolve

import (
	"cmp"
	"slices"

	"github.com/Masterminds/semver/v3"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve/reason"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// upgradePaths holds the paths from the installed version to the options, in the catalogs of one priority. Before the first installation
// there are no paths, and split keeps every option.
type upgradePaths struct {
	query *query
	// tier holds the options from these catalogs. nodes holds the options that a path may lead through, in the order of the graph's
	// bundles.
	tier, nodes []*Option
	// positions maps each bundle to its index in nodes.
	positions map[node]int
	reach     *upgrade.Reachability
	// firstAmbiguous and firstSteps hold, for each node, the index of a node on the path to it: the first one for which catalogs have
	// different images (-1 if there is none), and the first upgrade step. catalogs are the catalogs of the tier, and sameVersion holds the
	// tier's options, keyed by versionKey. All four fields are computed on first use.
	firstAmbiguous, firstSteps []int
	catalogs                   map[catalog.ID]bool
	sameVersion                map[string][]*Option
}

// maxWork is the maximum work for one operator, in steps of about 10 ns. It covers the search for the operator's paths and the explanation
// of refusals. A chain of 10,000 versions takes 404,000 steps; with 32 rules that cannot be met, it takes 43 million, a sixth of the
// maximum. Only packages that are designed to take long reach it.
const maxWork = 1 << 28

// node identifies a bundle in the graph.
type node struct{ bundle, version string }

func nodeOf(o *Option) node { return node{o.Bundle.Name, o.Version.String()} }

// tierOf returns the options whose priority is the highest among the fitting options, or among all options if none fits.
func tierOf(options, fitting []*Option) []*Option {
	from := fitting
	if len(from) == 0 {
		from = options
	}
	if len(from) == 0 {
		return nil
	}
	priority := slices.MaxFunc(from, func(a, b *Option) int { return cmp.Compare(a.priority, b.priority) }).priority
	return slices.DeleteFunc(slices.Clone(options), func(o *Option) bool { return o.priority != priority })
}

// newUpgradePaths returns the paths in a graph of the bundles in the requested channels, the entries of these channels, and the upgrade
// rules in all selected catalogs. It includes bundles outside the range, because a path into the range may lead through them.
func (q *query) newUpgradePaths(found catalogSelection, tier []*Option) *upgradePaths {
	p := &upgradePaths{query: q, tier: tier}
	if q.installed.IsZero() {
		return p
	}
	pkg := upgrade.Package{Name: q.request.Package, Default: q.request.DefaultEdges, OnlyPrereleases: true, Limit: q.index.limit()}
	switch q.request.Edges {
	case platformv1alpha1.EdgesChannel:
		pkg.Override = upgrade.Channel
	case platformv1alpha1.EdgesSemver:
		pkg.Override = upgrade.Semver
	case platformv1alpha1.EdgesSelfCertified:
		pkg.SelfCertified = true
	}
	byBundle := make(map[node]*Option, len(tier))
	pkg.Bundles = make([]upgrade.Bundle, 0, len(tier))
	catalogs := map[string]bool{}
	within := q.spanInRange(tier)
	for _, o := range tier {
		catalogs[o.Catalog.String()] = true
		if !o.isRequested || o.Version.IsZero() {
			continue
		}
		pkg.OnlyPrereleases = pkg.OnlyPrereleases && !o.hasReleases
		pkg.Bundles = append(pkg.Bundles, upgrade.Bundle{Name: o.Bundle.Name, Version: o.Version, Deprecated: o.Bundle.Deprecated != "", Unfit: reason.Text(o.unfit), Avoid: reason.Text(q.whyAvoided(o, within))})
		if name := nodeOf(o); byBundle[name] == nil {
			byBundle[name] = o
		}
	}
	for _, offer := range found.offering {
		if !catalogs[offer.ID.String()] {
			continue
		}
		for _, name := range requestedChannels(q.request, offer.Package) {
			channel, _ := offer.Package.Channel(name)
			pkg.Entries = slices.Grow(pkg.Entries, len(channel.Entries))
			for _, entry := range channel.Entries {
				pkg.Entries = append(pkg.Entries, upgrade.Entry{Channel: name, Entry: entry})
			}
		}
	}
	pkg.Rules, pkg.Unreadable = rulesOf(q.request.Package, found.offering)
	graph := upgrade.New(pkg)
	p.positions, p.nodes = make(map[node]int, len(byBundle)), make([]*Option, 0, len(byBundle))
	for i, bundle := range graph.Bundles() {
		name := node{bundle.Name, bundle.Version.String()}
		p.nodes, p.positions[name] = append(p.nodes, byBundle[name]), i
	}
	p.reach = graph.From(upgrade.Bundle{Name: q.request.InstalledBundle, Version: q.installed}, q.ready)
	return p
}

// versionSpan holds the lowest and the highest version in a range; both are zero if there is none.
type versionSpan struct{ lowest, highest upgrade.Version }

// spanInRange returns the lowest and the highest of the requested and installed versions that are in the range. The span is zero if the
// request has no range.
func (q *query) spanInRange(tier []*Option) (s versionSpan) {
	if q.loose == nil {
		return s
	}
	take := func(v upgrade.Version) {
		if !q.loose.Check(v.Semver()) {
			return
		}
		if s.lowest.IsZero() || v.Compare(s.lowest) < 0 {
			s.lowest = v
		}
		if s.highest.IsZero() || v.Compare(s.highest) > 0 {
			s.highest = v
		}
	}
	take(q.installed)
	for _, o := range tier {
		if o.isRequested && !o.Version.IsZero() {
			take(o.Version)
		}
	}
	return s
}

// whyAvoided returns the reason why no path may lead through an option; nil if a path may. A path may lead through versions below the
// range, to enter the range. It may also lead through versions above the range, but from there only to other versions above the range.
// These are refused, but the paths to them show what a wider range would permit. A path must not lead through a version that the spec
// excludes from the middle of the range, such as a faulty one.
func (q *query) whyAvoided(o *Option, within versionSpan) reason.Reason {
	why := rangeRule(q, o)
	if why == nil || within.lowest.IsZero() || o.Version.Compare(within.lowest) < 0 {
		return nil
	}
	if o.Version.Compare(within.highest) > 0 && !q.rangeContinuesAfter(o.Version) {
		return nil
	}
	return why
}

// rangeContinuesAfter reports whether the next patch, minor or major version after an excluded version is in the range. If so, the spec
// excludes only that version. The next version need not be in any catalog.
func (q *query) rangeContinuesAfter(v upgrade.Version) bool {
	at := v.Semver()
	for _, next := range []semver.Version{at.IncPatch(), at.IncMinor(), at.IncMajor()} {
		if q.loose.Check(&next) {
			return true
		}
	}
	return false
}

// rulesOf parses the upgrade rules in all catalogs. It returns equal rules once. unreadable contains a sentence for each rule that cannot
// be used, and for each catalog with several different rules.
func rulesOf(pkg string, offering []Catalog) (rules []upgrade.Rules, unreadable []string) {
	visited := map[string]bool{}
	for _, offer := range offering {
		if blobs := offer.Package.UpgradeRules; len(blobs) > 1 {
			unreadable = append(unreadable, reason.Text(reason.SeveralUpgradeRules{Catalog: offer.ID, Package: pkg, Count: len(blobs), First: blobs[0].Location, Second: blobs[1].Location}))
			continue
		}
		for _, blob := range offer.Package.UpgradeRules {
			where := reason.UpgradeRules{Where: blob.Location, Package: pkg, Catalog: offer.ID}
			if blob.Fault != "" {
				unreadable = append(unreadable, reason.Text(reason.UnreadableUpgradeRules{Rules: where, Err: blob.Fault}))
				continue
			}
			read, err := upgrade.ReadRules(pkg, blob.Schema, []byte(blob.Raw))
			if err != nil {
				unreadable = append(unreadable, reason.Text(reason.UnreadableUpgradeRules{Rules: where, Err: err.Error()}))
				continue
			}
			if key := blob.Schema + " " + blob.Raw; !visited[key] {
				visited[key] = true
				read.Location = reason.Text(where)
				rules = append(rules, read)
			}
		}
	}
	return rules, unreadable
}

// node returns an option's index in the graph. It returns false if the graph does not contain the option, because the option is in no
// requested channel or has no valid version.
func (p *upgradePaths) node(o *Option) (int, bool) {
	at, ok := p.positions[nodeOf(o)]
	return at, ok
}

// split separates the fitting options that are reachable or installed from the others. Before the first installation, it keeps all.
func (p *upgradePaths) split(fitting []*Option) (kept []*Option, unreachable []Refusal) {
	if p.reach == nil {
		return fitting, nil
	}
	kept = make([]*Option, 0, len(fitting))
	type refused struct {
		option *Option
		rule   string
		cause  reason.Reason
	}
	var all []refused // refusals are large, so they are allocated when their number is known
	for _, o := range fitting {
		if rule, cause := p.whyUnreachable(o); cause != nil {
			all = append(all, refused{o, rule, cause})
			continue
		}
		kept = append(kept, o)
	}
	unreachable = make([]Refusal, len(all))
	for i, each := range all {
		unreachable[i] = Refusal{Candidate: each.option.Candidate, Rule: each.rule, Cause: each.cause}
	}
	return kept, unreachable
}

// whyUnreachable returns the rule and the reason why no path leads to an option; nil if one does, or if the option is installed.
func (p *upgradePaths) whyUnreachable(o *Option) (rule string, cause reason.Reason) {
	if o.Version.Compare(p.query.installed) == 0 {
		return "", nil
	}
	at, ok := p.node(o)
	if !ok {
		return RuleChannel, channelRule(p.query, o)
	}
	if !p.reach.IsReachable(at) {
		refusal := p.reach.BriefRefusal(at)
		if refusal.Reason == upgrade.OutOfRange {
			return RulePath, reason.Rendered(refusal.Message)
		}
		return string(refusal.Reason), reason.Rendered(refusal.Message)
	}
	if cause := prereleaseRule(p.query, o); cause != nil && !slices.ContainsFunc(p.reach.LastHop(at).Sources, fromChannel) {
		return RulePrerelease, cause
	}
	return "", nil
}

func fromChannel(source upgrade.Source) bool { return source.Channel != "" }

// pathTo returns the upgrade steps to an option. It returns nil if the option is installed or not reachable, and before the first
// installation.
func (p *upgradePaths) pathTo(o *Option) []Step {
	if p.reach == nil {
		return nil
	}
	at, ok := p.node(o)
	if !ok {
		return nil
	}
	path, _ := p.reach.Path(at)
	steps := make([]Step, 0, len(path))
	for _, edge := range path {
		steps = append(steps, Step{Candidate: p.nodes[edge.Bundle].Candidate, Sources: edge.Sources})
	}
	return steps
}

// versionsTo returns the versions of the steps to an option, which must be reachable. Unlike pathTo, it does not copy the candidates,
// because paths may be long.
func (p *upgradePaths) versionsTo(o *Option) []string {
	at, _ := p.node(o)
	path, _ := p.reach.Path(at)
	versions := make([]string, 0, len(path))
	for _, edge := range path {
		versions = append(versions, p.nodes[edge.Bundle].Version.String())
	}
	return versions
}

// isReachable reports whether there is a path to an option. It returns false before the first installation.
func (p *upgradePaths) isReachable(o *Option) bool {
	if p.reach == nil {
		return false
	}
	at, ok := p.node(o)
	return ok && p.reach.IsReachable(at)
}

// firstStepTo returns the first upgrade step on the path to an option. It returns the option itself if one step is enough or there is no
// path.
func (p *upgradePaths) firstStepTo(o *Option) *Option {
	if !p.isReachable(o) {
		return o
	}
	if p.firstSteps == nil {
		p.firstSteps = p.reach.FirstHops()
	}
	at, _ := p.node(o)
	if first := p.firstSteps[at]; first != at {
		return p.nodes[first]
	}
	return o
}

// ambiguity returns a reason if catalogs have different images for an option or for a version on the path to it; nil otherwise.
func (p *upgradePaths) ambiguity(o *Option) reason.Reason {
	disputed := p.firstAmbiguousTo(o)
	if disputed == nil {
		return nil
	}
	return whyAmbiguous(p.query, disputed, p.sameVersion[versionKey(disputed)])
}

// firstAmbiguousTo returns the first option on the path to o, or o itself, for which catalogs have different images; nil if there is none.
// It examines each option once for all paths.
func (p *upgradePaths) firstAmbiguousTo(o *Option) *Option {
	if p.catalogs == nil {
		p.catalogs = map[catalog.ID]bool{}
		for _, each := range p.tier {
			p.catalogs[each.Catalog] = true
		}
	}
	if len(p.catalogs) == 0 || len(p.catalogs) == 1 && p.catalogs[o.Catalog] {
		return nil // there is no other catalog to compare with
	}
	if p.sameVersion == nil {
		p.sameVersion = map[string][]*Option{}
		for _, each := range p.tier {
			p.sameVersion[versionKey(each)] = append(p.sameVersion[versionKey(each)], each)
		}
	}
	disputes := func(o *Option) bool { return whyAmbiguous(p.query, o, p.sameVersion[versionKey(o)]) != nil }
	if p.isReachable(o) {
		if p.firstAmbiguous == nil {
			p.firstAmbiguous = p.reach.FirstMatch(func(at int) bool { return disputes(p.nodes[at]) })
		}
		if at, _ := p.node(o); p.firstAmbiguous[at] >= 0 {
			return p.nodes[p.firstAmbiguous[at]]
		}
	}
	if disputes(o) {
		return o
	}
	return nil
}

// versionKey returns a text that is equal for options of the same version.
func versionKey(o *Option) string { return o.Version.String() }
