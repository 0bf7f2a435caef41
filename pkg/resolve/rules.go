package resolve

import (
	"strings"

	"github.com/Masterminds/semver/v3"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/compat"
	"github.com/openshift/platform-operators/pkg/resolve/reason"
)

// Names of rules, for Refusal.Rule.
const (
	RuleChannel = "Channel"
	RuleVersion = "Version"
	RuleImage   = "Image"
	// RuleFormat refuses bundles of a format that no ProvisionerClass supports.
	RuleFormat     = "Format"
	RuleRange      = "Range"
	RulePrerelease = "Prerelease"
	RuleDowngrade  = "OlderThanInstalled"
	// RuleApproval refuses every version except the approved one for a first installation with manual approval.
	RuleApproval     = "Approval"
	RuleMaxOpenShift = "MaxOpenShift"
	RuleMinKube      = "MinKube"
	RuleInstallModes = "InstallModes"
	// RuleNotAllowed refuses every version of a package that the PlatformOperatorManager does not allow.
	RuleNotAllowed = "NotAllowed"
	// RuleAPIServices refuses bundles that provide aggregated APIs.
	RuleAPIServices = "APIServices"
	// RuleExternallyManaged refuses a bundle if OLM v0, OLM v1 or Helm manages its package, or a kind that it provides, on the cluster.
	RuleExternallyManaged = "ExternallyManaged"
	// RuleRequirement refuses a bundle that requires a kind or package that is missing and that no other operator provides.
	RuleRequirement = "Requirement"
	// RuleConflict refuses a bundle that conflicts with another operator.
	RuleConflict = "Conflict"
	// RulePriority refuses a bundle if a catalog with a higher priority contains a fitting one.
	RulePriority = "Priority"
	// RulePath refuses a version in the range if every path to it leads through a version outside the range.
	RulePath = "Path"
)

// rules are applied in this order, and a Refusal names the first rule that refuses the candidate. The order is: the channel, the catalog's
// content, the rest of the spec, what the cluster can run, and pre-releases.
var rules = [...]struct {
	name string
	// fit reports whether the rule is about what the cluster can run. If it is false, the rule is about what the spec requests.
	fit bool
	// refuse returns the reason why the option must not be installed; nil if the rule permits it. Rules after RuleVersion may assume a
	// valid version.
	refuse func(q *query, o *Option) reason.Reason
}{
	{RuleChannel, false, channelRule},
	{RuleVersion, true, versionRule},
	{RuleImage, true, imageRule},
	{RuleFormat, true, formatRule},
	{RuleRange, false, rangeRule},
	{RuleDowngrade, false, downgradeRule},
	{RuleApproval, false, approvalRule},
	{RuleMaxOpenShift, true, maxOpenShiftRule},
	{RuleMinKube, true, minKubeRule},
	{RuleInstallModes, true, installModesRule},
	{RuleAPIServices, true, apiServicesRule},
	{RuleExternallyManaged, true, externallyManagedRule},
	{RuleRequirement, true, requirementsRule},
	// prereleaseRule must be last. An author's edge to a pre-release overrides this rule, but no other rule.
	{RulePrerelease, false, prereleaseRule},
}

// Maximum sizes of fields of a bundle in status, in bytes: MaxVersion for version, release and minKubeVersion, MaxName for the names of
// bundle and channel, and maxImage for the image.
const (
	MaxVersion = 128
	MaxName    = 253
	maxImage   = 1000
)

// applyRules sets rule and cause of an option to the first rule that refuses it and the reason of that rule. It sets unfit to the reason of
// the first rule that depends on the cluster and refuses the option.
func (q *query) applyRules(o *Option) {
	for _, rule := range rules {
		if o.cause != nil && !rule.fit {
			continue
		}
		cause := rule.refuse(q, o)
		if cause == nil {
			continue
		}
		if o.cause == nil {
			o.rule, o.cause = rule.name, cause
		}
		if rule.fit {
			o.unfit = cause
			return
		}
	}
}

// tooLong returns the first field of a bundle that exceeds its maximum size in status; nil if there is none.
func tooLong(o *Option) reason.Reason {
	for _, each := range []reason.TooLong{
		{Field: "version", Value: o.Bundle.Version, Max: MaxVersion},
		{Field: "release", Value: o.Bundle.Release, Max: MaxVersion},
		{Field: "minKubeVersion", Value: o.Bundle.MinKubeVersion, Max: MaxVersion},
		{Field: "name", Value: o.Bundle.Name, Max: MaxName},
		{Field: "channel", Value: o.Channel, Max: MaxName},
		{Field: "image", Value: o.Bundle.Image, Max: maxImage},
	} {
		if len(each.Value) > each.Max {
			return each
		}
	}
	return nil
}

func versionRule(_ *query, o *Option) reason.Reason {
	if long := tooLong(o); long != nil {
		return long
	}
	switch {
	case !o.Version.IsZero():
		return nil
	case o.Bundle.Version == "":
		return reason.NoVersion{}
	}
	return reason.UnreadableVersion{Version: o.Bundle.Version}
}

func imageRule(_ *query, o *Option) reason.Reason {
	if o.Bundle.Image == "" {
		return reason.NoImage{}
	}
	return nil
}

func formatRule(_ *query, o *Option) reason.Reason {
	switch formats := o.Bundle.MediaTypes; {
	case len(formats) > 1:
		return reason.SeveralFormats{Formats: formats}
	case corev1alpha2.ClassOf(o.Format()) == "":
		return reason.UnsupportedFormat{Format: o.Format()}
	}
	return nil
}

func channelRule(_ *query, o *Option) reason.Reason {
	if o.isRequested {
		return nil
	}
	return reason.NotInChannel{Channel: o.Channel}
}

func rangeRule(q *query, o *Option) reason.Reason {
	if q.loose == nil || q.loose.Check(o.Version.Semver()) {
		return nil
	}
	return q.outOfRange
}

// prereleaseRule refuses a pre-release, unless the range names one, the channels contain no release, or the pre-release is installed or
// approved for the first installation. The author's edges permit further pre-releases, even before the first installation
// (admitPrereleases).
func prereleaseRule(q *query, o *Option) reason.Reason {
	switch {
	case !o.Version.IsPrerelease(),
		q.firstVersion() != "", // approvalRule permits only this version
		q.versions != nil && q.versions.Check(o.Version.Semver()),
		!o.hasReleases,
		q.isInstalled(o):
		return nil
	}
	return reason.Prerelease{Version: o.Version}
}

func downgradeRule(q *query, o *Option) reason.Reason {
	if q.installed.IsZero() || q.downgrade || o.Version.Compare(q.installed) >= 0 {
		return nil
	}
	return q.older
}

// approvalRule applies only to first installations. For upgrades, approvedTarget selects the approved version.
func approvalRule(q *query, o *Option) reason.Reason {
	if first := q.firstVersion(); first != "" && o.Version.String() != first {
		return reason.NotApprovedVersion{Approved: first}
	}
	return nil
}

// firstVersion returns the only version that the first installation may use; empty if any may, or if something is installed.
func (q *query) firstVersion() string {
	if !q.request.Manual || !q.installed.IsZero() {
		return ""
	}
	return q.request.Approved
}

func maxOpenShiftRule(q *query, o *Option) reason.Reason {
	permitted, err := compat.ReadMax(o.Bundle.MaxOpenShiftVersions)
	switch {
	case err != nil:
		return reason.UnreadableMaxOpenShift{Err: err.Error()}
	case permitted == nil:
		return nil
	case q.cluster == nil:
		return reason.MaxOpenShift{Max: *permitted, Cluster: q.request.ClusterVersion, Unreadable: true}
	case permitted.Compare(*q.cluster) < 0:
		return reason.MaxOpenShift{Max: *permitted, Cluster: q.cluster.String()}
	}
	return nil
}

func minKubeRule(q *query, o *Option) reason.Reason {
	if o.Bundle.MinKubeVersion == "" {
		return nil
	}
	needed, err := semver.NewVersion(strings.TrimSpace(o.Bundle.MinKubeVersion))
	switch {
	case err != nil:
		return reason.UnreadableMinKube{Version: o.Bundle.MinKubeVersion}
	case q.kube == nil:
		return reason.MinKube{Min: needed, Cluster: q.request.KubeVersion, Unreadable: true}
	case q.kube.LessThan(needed):
		return reason.MinKube{Min: needed, Cluster: q.kube.String()}
	}
	return nil
}
