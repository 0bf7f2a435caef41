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
	// longPackage is the package of row HRD-B3, longVersions how many versions it has. The first of them is installed; only the last
	// one permits the minor version after blockedAt's.
	longPackage  = "long"
	longVersions = 800
	// blockedAt is the version of the cluster at which the installed version blocks upgrades; at story.ClusterVersion it does not.
	blockedAt = "4.22.0"
	// verdictChanges is how often the cluster's version changes, there and back in turns.
	verdictChanges = 100
)

// verdicts is how long it took, in seconds, until the ClusterOperator said the right thing of upgrades.
type verdicts struct{ blocked, permitted []float64 }

// measureVerdict changes the cluster's version while a package with many versions and a blocking maximum is installed.
func measureVerdict(ctx context.Context, dir string, say func(string, ...any)) (part, error) {
	return onLive(ctx, dir, environment.Options{Samples: longHistory(longVersions)}, say, func(ctx context.Context, l *live) (part, error) {
		install := story.Step{
			Title: fmt.Sprintf("version 1.0.0 of a package with %d versions installed", longVersions), Within: settleLimit,
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
		say("the ClusterOperator blocks after %s, and permits after %s (p95)", seconds.format(percentile(measured.blocked, 95)), seconds.format(percentile(measured.permitted, 95)))
		return verdictPart(measured), nil
	})
}

// longHistory is a package of which only the first version has a bundle: others are never installed.
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
		title: "The verdict when the cluster moves",
		text: fmt.Sprintf("A package with %d versions is installed in its first one, which allows OpenShift 4.22 at most, as all others but the last do. The ClusterVersion's desired version goes to %s and back to %s in turns: from that write on until another client's watch shows ClusterOperator `platform-operators-aggregated` with the right `Upgradeable`, False there and True here. "+
			"One change follows the other at once. Remedies are looked for after the verdict, so that their search is not part of this, but that of the change before may still go on. The target for p95 is 1 s. No baseline does this.", longVersions, blockedAt, story.ClusterVersion),
		ours: "manager", baseline: "none",
	}
	for _, direction := range []struct {
		name  string
		times []float64
	}{{"a version at which it blocks", m.blocked}, {"a version at which it does not", m.permitted}} {
		for _, percent := range []int{50, 95} {
			p.figures = append(p.figures, figure{name: fmt.Sprintf("%s: p%d", direction.name, percent), unit: seconds, ours: percentile(direction.times, percent), n: len(direction.times)})
		}
	}
	return p
}
