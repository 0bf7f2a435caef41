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

// query is a request with its texts read.
type query struct {
	request Request
	index   *ClusterIndex
	// versions is the range, and loose the same range taking pre-releases as ordinary versions; nil is any version.
	versions, loose *semver.Constraints
	installed       upgrade.Version
	// outOfRange and older are what refuses versions outside the range, and below the installed one.
	outOfRange, older reason.Reason
	// ready are the versions that it has been ready at before, as far as they can be read.
	ready []upgrade.Version
	// downgrade says that the spec asks, at its own risk, for what is older than what is installed.
	downgrade bool
	// cluster and kube are nil when they cannot be read.
	cluster *compat.Minor
	kube    *semver.Version
	// missingKinds are those for which a message says which packages provide them.
	missingKinds map[catalog.GVK]bool
}

// newQuery reads the request's texts; the problem, if there is one, is the user's to solve. What is installed is read
// even where the rest has a problem, because others may rely on it.
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
		// A pre-release of Kubernetes has what its release has, as far as a minimum is concerned.
		q.kube = semver.New(kube.Major(), kube.Minor(), kube.Patch(), "", "")
	}
	return q, nil
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

// isInstalled says that an option is what runs already, which rules about what would be new permit.
func (q *query) isInstalled(o *Option) bool {
	return !q.installed.IsZero() && q.installed.Compare(o.Version) == 0
}

// permitDowngrade lifts the rule against older versions if the spec asks for nothing but older ones, at its own risk: its range has
// neither what is installed nor anything above it.
func (q *query) permitDowngrade(options []*Option) {
	if q.installed.IsZero() || q.request.Edges != platformv1alpha1.EdgesSelfCertified || q.loose == nil || q.loose.Check(q.installed.Semver()) {
		return
	}
	q.downgrade = !slices.ContainsFunc(options, func(o *Option) bool {
		return o.isRequested && !o.Version.IsZero() && o.Version.Compare(q.installed) > 0 && q.loose.Check(o.Version.Semver())
	})
}
