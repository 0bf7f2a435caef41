package main

import (
	"context"
	"fmt"

	configv1 "github.com/openshift/api/config/v1"

	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/samples"
	"github.com/openshift/platform-operators/test/story"
)

const (
	// longPackage is a package with longVersions versions (HRD-B3), of which the first is installed. Only the last version permits upgrades
	// to the minor version that follows blockedAt.
	longPackage  = "long"
	longVersions = 800
	// blockedAt is the cluster version at which the installed version blocks upgrades. At story.ClusterVersion, the installed version
	// permits upgrades.
	blockedAt = "4.22.0"
	// verdictChanges is the number of times that the cluster's version changes.
	verdictChanges = 100
)

// verdicts holds the times, in seconds, until the ClusterOperator had the correct condition. blocked holds the times after the cluster's
// version changed to one that blocks upgrades, and permitted the times after it changed back.
type verdicts struct{ blocked, permitted []float64 }

// measureVerdict changes the cluster's version back and forth between two versions. The installed package has many versions and blocks
// upgrades at one of the two.
func measureVerdict(ctx context.Context, dir string, logf func(string, ...any)) (part, error) {
	return withCluster(ctx, dir, environment.Options{Samples: longHistory(longVersions)}, logf, func(ctx context.Context, l *live) (part, error) {
		install := story.Step{
			Title: fmt.Sprintf("version 1.0.0 of a package with %d versions installed", longVersions), Within: waitLimit,
			Act: func(ctx context.Context, admin *story.Admin) error { return admin.Create(ctx, longPackage, "1.0.0") },
			Seen: func(ctx context.Context, admin *story.Admin) error {
				if err := admin.Installed(ctx, longPackage, "1.0.0"); err != nil {
					return err
				}
				_, err := admin.ClusterOperatorHas(ctx, configv1.OperatorUpgradeable, configv1.ConditionTrue)
				return err
			},
		}
		if err := install.Run(ctx, l.admin); err != nil {
			return part{}, err
		}
		var measured verdicts
		for i := range verdictChanges {
			version, permitted, into := blockedAt, false, &measured.blocked
			if i%2 == 1 {
				version, permitted, into = story.ClusterVersion, true, &measured.permitted
			}
			took, err := l.upgradeable(ctx, permitted, func(ctx context.Context) error { return l.setDesired(ctx, version) })
			if err != nil {
				return part{}, fmt.Errorf("changing the cluster's version to %s: %w", version, err)
			}
			*into = append(*into, took.Seconds())
		}
		logf("the ClusterOperator blocks after %s, and permits after %s (p95)", seconds.format(percentile(measured.blocked, 95)), seconds.format(percentile(measured.permitted, 95)))
		return verdictPart(measured), nil
	})
}

// longHistory returns the versions of longPackage. Only the first has a bundle, because no other is installed.
func longHistory(versions int) []samples.Operator {
	operators := make([]samples.Operator, versions)
	for i := range operators {
		operators[i] = samples.Operator{Package: longPackage, Version: fmt.Sprintf("1.%d.0", i), MaxOpenShiftVersion: `"4.22"`, NoBundle: i > 0}
	}
	operators[versions-1].MaxOpenShiftVersion = `"4.23"`
	return operators
}

func verdictPart(m verdicts) part {
	p := part{
		title: "Upgradeable after a change of the cluster version",
		text: fmt.Sprintf("The first version of a package with %d versions is installed. All its versions except the last allow OpenShift 4.22 at most. The ClusterVersion's desired version alternates between %s, which blocks upgrades, and %s, which does not. The time is from that write until another client's watch shows ClusterOperator `platform-operators-aggregated` with the correct `Upgradeable` condition.\n\n"+
			"Changes follow each other at once. The manager searches for remedies after it has reported the condition, so that a figure does not include the search, but may include the end of the previous one. The target for p95 is 1 s. There is no baseline.", longVersions, blockedAt, story.ClusterVersion),
		ours: "manager", baseline: "none",
	}
	for _, direction := range []struct {
		name  string
		times []float64
	}{{"change to a version that blocks", m.blocked}, {"change to a version that does not block", m.permitted}} {
		for _, percent := range []int{50, 95} {
			p.figures = append(p.figures, figure{name: fmt.Sprintf("%s: p%d", direction.name, percent), unit: seconds, ours: percentile(direction.times, percent), n: len(direction.times)})
		}
	}
	return p
}
