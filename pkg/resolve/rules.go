package resolve

import (
	"fmt"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/compat"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// Names of the rules, in Refusal.Rule.
const (
	RuleChannel = "Channel"
	RuleVersion = "Version"
	RuleImage   = "Image"
	// RuleFormat refuses bundles of a format that nobody reads here.
	RuleFormat       = "Format"
	RuleRange        = "Range"
	RulePrerelease   = "Prerelease"
	RuleInstalled    = "Installed"
	RuleMaxOpenShift = "MaxOpenShift"
	RuleMinKube      = "MinKube"
	RuleInstallModes = "InstallModes"
	// RuleNotAllowed refuses every version of a package that the PlatformOperatorManager does not allow.
	RuleNotAllowed = "NotAllowed"
	// RuleAPIServices refuses bundles that bring aggregated APIs.
	RuleAPIServices = "APIServices"
	// RuleForeign refuses what another installer has on the cluster already: the package, or a kind that a bundle brings.
	RuleForeign = "Foreign"
	// RuleRequirement refuses what needs a kind or a package that is not there and that no other operator brings.
	RuleRequirement = "Requirement"
	// RuleConflict refuses what cannot run beside another operator.
	RuleConflict = "Conflict"
	// RulePriority refuses what fits in a catalog while one of higher priority has something that fits, too.
	RulePriority = "Priority"
	// RuleWay refuses what is in the range and can be reached only through a version that the range has cut out.
	RuleWay = "Way"
)

// rules are asked in this order, and the first that refuses a candidate is the one that is named: first whether it is
// asked for at all, then what the catalog has wrong, what the spec asks for, and what the cluster permits.
var rules = [...]struct {
	name string
	// fit: it is about what the cluster may run, whoever asks for what.
	fit bool
	// refuse returns why the option may not be installed, empty when this rule has nothing against it. Rules after
	// RuleVersion may rely on a readable version.
	refuse func(ask *question, o *option) string
}{
	{RuleChannel, false, channel},
	{RuleVersion, true, readableVersion},
	{RuleImage, true, image},
	{RuleFormat, true, readFormat},
	{RuleRange, false, inRange},
	{RuleInstalled, false, notOlder},
	{RuleMaxOpenShift, true, maxOpenShift},
	{RuleMinKube, true, minKube},
	{RuleInstallModes, true, installModes},
	{RuleAPIServices, true, apiServices},
	{RuleForeign, true, foreign},
	{RuleRequirement, true, requirements},
	// The last one: an edge of the author that leads to a pre-release lifts it, and nothing but it.
	{RulePrerelease, false, prerelease},
}

// Bounds of what status can tell of a bundle, in bytes: its version, release and minKubeVersion, its name and its channel's, and its image.
const (
	MaxVersion = 128
	MaxName    = 253
	maxImage   = 1000
)

// question is a request with its texts read.
type question struct {
	Request
	around *surroundings
	// versions is the range, and loose the same range taking pre-releases as ordinary versions; nil is any version.
	versions, loose *semver.Constraints
	installed       upgrade.Version
	// ready are the versions that it has been ready at before, as far as they can be read.
	ready []upgrade.Version
	// descent says that the spec asks, on its own word, for what is older than what is installed.
	descent bool
	// cluster and kube are nil when they cannot be read.
	cluster *compat.Minor
	kube    *semver.Version
	// lacking are the kinds of which is told who would bring them.
	lacking map[catalog.GVK]bool
}

// newQuestion reads the request's texts; the problem, if there is one, is the user's to solve. What is installed is read
// even where the rest has a problem, because others may rely on it.
func newQuestion(req Request, around *surroundings) (*question, string) {
	ask := &question{Request: req, around: around}
	if req.InstalledVersion != "" {
		installed, err := upgrade.ParseVersion(req.InstalledVersion, req.InstalledRelease)
		if err != nil {
			return ask, fmt.Sprintf("the installed version %s cannot be read, so it cannot be told what would be a downgrade: correct status.installed.version, or delete the PlatformOperator and create it anew", quote(req.InstalledVersion))
		}
		ask.installed = installed
	}
	var err error
	if req.VersionRange != "" {
		if ask.versions, ask.loose, err = parseRange(req.VersionRange); err != nil {
			return ask, fmt.Sprintf("spec.package.version %s is not a version range: %s; write it like \">=1.2.0 <2.0.0\", \"1.2.x\" or \"1.2.3\"", quote(req.VersionRange), clip(err.Error(), maxCause))
		}
	}
	for _, text := range req.Ready {
		if version, err := upgrade.ParseVersion(text, ""); err == nil {
			ask.ready = append(ask.ready, version)
		}
	}
	if cluster, err := compat.ParseClusterVersion(req.ClusterVersion); err == nil {
		ask.cluster = &cluster
	}
	if kube, err := semver.NewVersion(req.KubeVersion); err == nil {
		// A pre-release of Kubernetes has what its release has, as far as a minimum is concerned.
		ask.kube = semver.New(kube.Major(), kube.Minor(), kube.Patch(), "", "")
	}
	return ask, ""
}

// parseRange reads a range twice: as written, where a pre-release is only in the range if the range names one, and
// loosely.
func parseRange(text string) (strict, loose *semver.Constraints, err error) {
	if len(text) > maxRange {
		return nil, nil, fmt.Errorf("it has more than %d characters", maxRange)
	}
	if strict, err = semver.NewConstraint(text); err != nil {
		return nil, nil, err
	}
	if loose, err = semver.NewConstraint(text); err != nil {
		return nil, nil, err
	}
	loose.IncludePrerelease = true
	return strict, loose, nil
}

// judge asks the rules about an option: the first that refuses it, and the first that refuses it whatever the spec asks for.
func (ask *question) judge(o *option) {
	for _, rule := range rules {
		if o.why != "" && !rule.fit {
			continue
		}
		why := rule.refuse(ask, o)
		if why == "" {
			continue
		}
		if o.why == "" {
			o.rule, o.why = rule.name, why
		}
		if rule.fit {
			o.unfit = why
			return
		}
	}
}

// isInstalled says that an option is what runs already, so that rules about what would be new have nothing against it.
func (ask *question) isInstalled(o *option) bool {
	return !ask.installed.IsZero() && ask.installed.Compare(o.Version) == 0
}

// tooLong says which of a bundle's texts is longer than what the API takes: were it chosen, nothing could be told of it any more.
func tooLong(o *option) string {
	for _, each := range []struct {
		what, text string
		most       int
	}{
		{"version", o.Bundle.Version, MaxVersion}, {"release", o.Bundle.Release, MaxVersion}, {"minKubeVersion", o.Bundle.MinKubeVersion, MaxVersion},
		{"name", o.Bundle.Name, MaxName}, {"channel", o.Channel, MaxName}, {"image", o.Bundle.Image, maxImage},
	} {
		if len(each.text) > each.most {
			return fmt.Sprintf("has the %s %s, which has more than %d characters", each.what, quote(each.text), each.most)
		}
	}
	return ""
}

func readableVersion(_ *question, o *option) string {
	if why := tooLong(o); why != "" {
		return why
	}
	switch {
	case !o.Version.IsZero():
		return ""
	case o.Bundle.Version == "":
		return "has no version in its catalog"
	}
	return fmt.Sprintf("has the version %s, which is not a semantic version", quote(o.Bundle.Version))
}

func image(_ *question, o *option) string {
	if o.Bundle.Image == "" {
		return "has no image in its catalog"
	}
	return ""
}

// maxFormats is how many formats of one bundle are told.
const maxFormats = 3

// readFormat refuses a format that no ProvisionerClass of the payload reads.
func readFormat(_ *question, o *option) string {
	switch formats := o.Bundle.MediaTypes; {
	case len(formats) > 1:
		return fmt.Sprintf("is of several formats in its catalog (%s), and can only be of one", list(quotes(formats), ", ", maxFormats))
	case corev1alpha2.ClassOf(o.Format()) == "":
		return fmt.Sprintf("is of the format %s, which is not read here: registry+v1 and plain+v0 bundles are", quote(o.Format()))
	}
	return ""
}

func quotes(texts []string) []string {
	quoted := make([]string, len(texts))
	for i, each := range texts {
		quoted[i] = quote(each)
	}
	return quoted
}

func channel(_ *question, o *option) string {
	if o.wanted {
		return ""
	}
	return fmt.Sprintf("is in channel %s only: set spec.package.channels to choose from it", quote(o.Channel))
}

func inRange(ask *question, o *option) string {
	if ask.loose == nil || ask.loose.Check(o.Version.Semver()) {
		return ""
	}
	return fmt.Sprintf("is outside spec.package.version %s: widen the range to permit it", quote(ask.VersionRange))
}

// prerelease refuses pre-releases unless the range names one, the channels hold nothing else, or it is what is installed.
func prerelease(ask *question, o *option) string {
	switch {
	case !o.Version.Prerelease(),
		ask.versions != nil && ask.versions.Check(o.Version.Semver()),
		!o.releases,
		ask.isInstalled(o):
		return ""
	}
	return fmt.Sprintf("is a pre-release: name one in spec.package.version to permit it, for example \">=%s\"", o.Version)
}

func notOlder(ask *question, o *option) string {
	if ask.installed.IsZero() || ask.descent || o.Version.Compare(ask.installed) >= 0 {
		return ""
	}
	return fmt.Sprintf("is older than the installed %s, and nothing is ever moved back silently: set spec.upgrades.edges to SelfCertified and spec.package.version to what you want to go back to at your own risk, or delete the PlatformOperator and create it anew", ask.installed)
}

// permitDescent lifts the rule against older versions where the spec says, on its own word, that nothing but older ones are
// wanted: a range that has neither what is installed nor anything above it.
func (ask *question) permitDescent(options []*option) {
	if ask.installed.IsZero() || ask.Edges != platformv1alpha1.EdgesSelfCertified || ask.loose == nil || ask.loose.Check(ask.installed.Semver()) {
		return
	}
	ask.descent = !slices.ContainsFunc(options, func(o *option) bool {
		return o.wanted && !o.Version.IsZero() && o.Version.Compare(ask.installed) > 0 && ask.loose.Check(o.Version.Semver())
	})
}

func maxOpenShift(ask *question, o *option) string {
	permitted, err := compat.ReadMax(o.Bundle.MaxOpenShiftVersions)
	switch {
	case err != nil:
		return "cannot be judged: " + err.Error()
	case permitted == nil:
		return ""
	case ask.cluster == nil:
		return fmt.Sprintf("allows OpenShift up to %s, and the cluster's version %s cannot be read", permitted, quote(ask.ClusterVersion))
	case permitted.Compare(*ask.cluster) < 0:
		return fmt.Sprintf("allows OpenShift up to %s, the cluster is at %s", permitted, ask.cluster)
	}
	return ""
}

func minKube(ask *question, o *option) string {
	if o.Bundle.MinKubeVersion == "" {
		return ""
	}
	needed, err := semver.NewVersion(strings.TrimSpace(o.Bundle.MinKubeVersion))
	switch {
	case err != nil:
		return fmt.Sprintf("has the minKubeVersion %s, which is not a version", quote(o.Bundle.MinKubeVersion))
	case ask.kube == nil:
		return fmt.Sprintf("needs Kubernetes %s, and the cluster's version %s cannot be read", needed, quote(ask.KubeVersion))
	case ask.kube.LessThan(needed):
		return fmt.Sprintf("needs Kubernetes %s, the cluster has %s", needed, ask.kube)
	}
	return ""
}
