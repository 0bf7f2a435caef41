package resolve

import (
	"fmt"
	"slices"

	"github.com/Masterminds/semver/v3"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/compat"
	"github.com/openshift/platform-operators/pkg/resolve/reason"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// query is a parsed Request, with data that the rules share.
type query struct {
	request Request
	index   *ClusterIndex
	// versions is the parsed range, and loose is the same range with pre-releases treated as ordinary versions. Both are nil if any version
	// is permitted.
	versions, loose *semver.Constraints
	installed       upgrade.Version
	// outOfRange is the reason for refusing versions outside the range, and older is the reason for refusing versions below the installed
	// one.
	outOfRange, older reason.Reason
	// ready are the parsed versions at which the operator was ready before.
	ready []upgrade.Version
	// downgrade reports whether the spec requests versions below the installed one, at the user's own risk.
	downgrade bool
	// cluster is the OpenShift version of the cluster, and kube is its Kubernetes version. Each is nil if it cannot be parsed.
	cluster *compat.Minor
	kube    *semver.Version
	// missingKinds holds the kinds for which a message names packages that provide them.
	missingKinds map[catalog.GVK]bool
}

// newQuery parses a request. It returns a reason if there is a problem that the user must fix, else nil. It returns a query even if there
// is a problem, because other operators may require the installed version.
func newQuery(req Request, index *ClusterIndex) (*query, reason.Reason) {
	q := &query{request: req, index: index, outOfRange: reason.OutOfRange{Range: req.VersionRange}}
	if req.InstalledVersion != "" {
		installed, err := upgrade.ParseVersion(req.InstalledVersion, req.InstalledRelease)
		if err != nil {
			return q, reason.UnreadableInstalled{Version: req.InstalledVersion}
		}
		q.installed, q.older = installed, reason.Downgrade{Installed: installed}
	}
	var err error
	if req.VersionRange != "" {
		if q.versions, q.loose, err = parseRange(req.VersionRange); err != nil {
			return q, reason.UnreadableRange{Range: req.VersionRange, Err: err.Error()}
		}
	}
	for _, text := range req.Ready {
		if version, err := upgrade.ParseVersion(text, ""); err == nil {
			q.ready = append(q.ready, version)
		}
	}
	if cluster, err := compat.ParseClusterVersion(req.ClusterVersion); err == nil {
		q.cluster = &cluster
	}
	if kube, err := semver.NewVersion(req.KubeVersion); err == nil {
		// A minimum version does not distinguish a pre-release of Kubernetes from its release.
		q.kube = semver.New(kube.Major(), kube.Minor(), kube.Patch(), "", "")
	}
	return q, nil
}

// parseRange parses a range twice: strict contains a pre-release only if the range names one, and loose treats pre-releases like other
// versions. It returns an error for an invalid range and for one that exceeds maxRange.
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

// isInstalled reports whether an option has the installed version. The rules for new versions do not apply to that version. It returns
// false if nothing is installed.
func (q *query) isInstalled(o *Option) bool {
	return !q.installed.IsZero() && q.installed.Compare(o.Version) == 0
}

// permitDowngrade sets downgrade if spec.upgrades.edges is SelfCertified and the range contains neither the installed version nor any
// option with a higher version.
func (q *query) permitDowngrade(options []*Option) {
	if q.installed.IsZero() || q.request.Edges != platformv1alpha1.EdgesSelfCertified || q.loose == nil || q.loose.Check(q.installed.Semver()) {
		return
	}
	q.downgrade = !slices.ContainsFunc(options, func(o *Option) bool {
		return o.isRequested && !o.Version.IsZero() && o.Version.Compare(q.installed) > 0 && q.loose.Check(o.Version.Semver())
	})
}
