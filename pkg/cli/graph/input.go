package graph

import (
	"cmp"
	"fmt"
	"slices"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/compat"
	"github.com/openshift/platform-operators/pkg/resolve/reason"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// installation is the installed bundle. ready holds the versions at which the operator has been ready, oldest first.
type installation struct {
	upgrade.Bundle
	ready []upgrade.Version
}

// isKnown reports whether a version is installed and can be parsed.
func (i installation) isKnown() bool { return !i.Version.IsZero() }

// installed returns what is installed; the zero value if nothing is, or if the version cannot be parsed.
func (in Input) installed() installation {
	if in.Operator == nil || in.Operator.Status.Installed == nil {
		return installation{}
	}
	bundle := in.Operator.Status.Installed
	version, err := upgrade.ParseVersion(bundle.Version, bundle.Release)
	if err != nil {
		return installation{}
	}
	found := installation{Bundle: upgrade.Bundle{Name: bundle.Bundle, Version: version}}
	for _, entry := range slices.Backward(in.Operator.Status.History) {
		if ready, err := upgrade.ParseVersion(entry.Version, ""); err == nil && entry.ReadyTime != nil {
			found.ready = append(found.ready, ready)
		}
	}
	return found
}

// channels returns the channels whose entries are edges.
func (in Input) channels() []string {
	switch {
	case len(in.Channels) > 0:
		return in.Channels
	case in.Operator != nil && in.Operator.Spec.Package.Channels != nil:
		return in.Operator.Spec.Package.Channels
	case in.Operator != nil && in.Package.DefaultChannel != "":
		return []string{in.Package.DefaultChannel}
	}
	var all []string
	for _, channel := range in.Package.Channels {
		all = append(all, channel.Name)
	}
	return all
}

// packageOf converts the selected channels of the catalog's package to the input of pkg/upgrade. notes are sentences about content that
// cannot be used.
func packageOf(in Input) (pkg upgrade.Package, notes []string) {
	selected, notes := in.selected()
	pkg, findings := upgrade.FromCatalog(selected)
	pkg.Limit.Done = in.Done
	switch in.DefaultEdges {
	case operatorv1alpha1.DefaultEdgesSemver:
		pkg.Default = upgrade.Semver
	case operatorv1alpha1.DefaultEdgesBoth:
		pkg.Default = upgrade.Both
	}
	if in.Operator != nil && in.Operator.Spec.Upgrades != nil {
		switch in.Operator.Spec.Upgrades.Edges {
		case platformv1alpha1.EdgesChannel:
			pkg.Override = upgrade.Channel
		case platformv1alpha1.EdgesSemver:
			pkg.Override = upgrade.Semver
		case platformv1alpha1.EdgesSelfCertified:
			pkg.SelfCertified = true
		}
	}
	for i := range pkg.Bundles {
		bundle, _ := selected.Bundle(pkg.Bundles[i].Name)
		pkg.Bundles[i].Unfit = unfitFor(&bundle, in.ClusterVersion)
	}
	where := fmt.Sprintf(" of package %q in catalog %s", pkg.Name, in.Catalog)
	for i := range pkg.Rules {
		pkg.Rules[i].Location += where
	}
	for _, finding := range findings {
		if finding.Kind == upgrade.UnreadableVersion {
			notes = append(notes, fmt.Sprintf("Omitted: %s %s.", finding.Subject, finding.Problem))
		}
	}
	for i, problem := range pkg.Unreadable {
		pkg.Unreadable[i] = "the upgrade rules" + where + " cannot be used: " + problem
		notes = append(notes, "No upgrade is permitted, because "+pkg.Unreadable[i]+".")
	}
	return pkg, append(notes, in.Package.Faults...)
}

// selected returns the package with only the selected channels and their bundles, and a note for each selected channel that does not exist.
func (in Input) selected() (*catalog.Package, []string) {
	selected := *in.Package
	selected.Channels, selected.Bundles = nil, nil
	named := map[string]bool{}
	var notes []string
	for _, name := range in.channels() {
		channel, exists := in.Package.Channel(name)
		if !exists {
			notes = append(notes, fmt.Sprintf("The package has no channel %q.", name))
			continue
		}
		for _, entry := range channel.Entries {
			named[entry.Name] = true
		}
		selected.Channels = append(selected.Channels, channel)
	}
	for _, bundle := range in.Package.Bundles {
		if named[bundle.Name] {
			selected.Bundles = append(selected.Bundles, bundle)
		}
	}
	return &selected, notes
}

// unfitFor returns the reason why a cluster must not run a bundle, as a clause; empty if the cluster may run it, or if the cluster's
// version is not known.
func unfitFor(bundle *catalog.Bundle, clusterVersion string) string {
	cluster, err := compat.ParseClusterVersion(clusterVersion)
	if err != nil {
		return ""
	}
	permitted, err := compat.ReadMax(bundle.MaxOpenShiftVersions)
	switch {
	case err != nil:
		return reason.Text(reason.UnreadableMaxOpenShift{Err: err.Error()})
	case permitted != nil && permitted.Compare(cluster) < 0:
		return reason.Text(reason.MaxOpenShift{Max: *permitted, Cluster: cluster.String()})
	}
	return ""
}

// compareNodes orders nodes by version and then by name, as pkg/upgrade orders bundles.
func compareNodes(a, b Node) int {
	return cmp.Or(a.version.Compare(b.version), cmp.Compare(a.Bundle, b.Bundle))
}
