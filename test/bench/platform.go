package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	configv1 "github.com/openshift/api/config/v1"
	"github.com/openshift/library-go/pkg/config/clusteroperator/v1helpers"

	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/samples"
	"github.com/openshift/platform-operators/test/steady"
	"github.com/openshift/platform-operators/test/story"
)

const (
	// changes is the number of times that each kind of change is made.
	changes = 20
	// changeLimit is the maximum time until the ClusterOperator has the correct condition.
	changeLimit = time.Minute
	// limitedPackage is the package of the operator that limits the cluster's version. limit is its olm.maxOpenShiftVersion, equal to the
	// cluster's own version. highLimit is a value that permits upgrades.
	limitedPackage, limit, highLimit = "limited", `"4.21"`, `"4.40"`
	// before is a cluster version from which limit permits an upgrade to the next minor version.
	before = "4.20.0"
)

// platformSizes are the numbers of PlatformOperators.
var platformSizes = []int{0, 10, 100}

// reaction holds the times until the ClusterOperator had the correct condition, in seconds.
type reaction struct {
	operators         int
	catalogs, cluster []float64
}

// measurePlatform measures the manager with different numbers of PlatformOperators, both while nothing changes and after changes to a
// catalog and to the cluster's version.
func measurePlatform(ctx context.Context, dir string, logf func(string, ...any)) (part, error) {
	most := platformSizes[len(platformSizes)-1]
	offered := []samples.Operator{{Package: limitedPackage, Version: sampleVersion, MaxOpenShiftVersion: limit}}
	for i := range most - 1 {
		offered = append(offered, samples.Operator{Package: fmt.Sprintf("platform-%d", i), Version: sampleVersion})
	}
	return withCluster(ctx, dir, environment.Options{Samples: offered, AuditLog: true}, logf, func(ctx context.Context, l *live) (part, error) {
		return l.measurePlatform(ctx, offered)
	})
}

func (l *live) measurePlatform(ctx context.Context, offered []samples.Operator) (part, error) {
	log, err := steady.OpenLog(l.AuditLog)
	if err != nil {
		return part{}, err
	}
	var quiet []idleWindow
	var reactions []reaction
	for i, operators := range platformSizes {
		if i > 0 {
			step := installStep(offered[platformSizes[i-1]:operators])
			step.Within = waitLimit
			if err := step.Run(ctx, l.admin); err != nil {
				return part{}, err
			}
			measured, err := l.measureReactions(ctx, operators)
			if err != nil {
				return part{}, err
			}
			reactions = append(reactions, measured)
			l.logf("%d PlatformOperators: the ClusterOperator is right %s after a catalog's change, %s after the cluster's (p95)", operators,
				seconds.format(percentile(measured.catalogs, 95)), seconds.format(percentile(measured.cluster, 95)))
		}
		minute, err := l.idleWindow(ctx, log, time.Now(), steadyWindow)
		if err != nil {
			return part{}, err
		}
		minute.managed = operators
		l.logf("%d PlatformOperators: %s of processor, anonymous RSS %s, %d requests", operators, seconds.format(minute.processor), size.format(minute.memory.anonymous), minute.requests.Total())
		quiet = append(quiet, minute)
	}
	return platformPart(quiet, reactions), nil
}

// measureReactions changes the catalog and the cluster's version. After each change it waits until the ClusterOperator has the correct
// Upgradeable condition.
func (l *live) measureReactions(ctx context.Context, operators int) (reaction, error) {
	measured := reaction{operators: operators}
	for i := range changes {
		permitted := i%2 == 0
		value := limit
		if permitted {
			value = highLimit
		}
		if err := l.publishLimit(value); err != nil {
			return reaction{}, err
		}
		// The time starts when the cluster's objects change, after the catalog server has read its folder.
		if err := l.Catalog.Update(ctx); err != nil {
			return reaction{}, err
		}
		took, err := l.upgradeable(ctx, permitted, l.Publish)
		if err != nil {
			return reaction{}, fmt.Errorf("changing the catalog: %w", err)
		}
		measured.catalogs = append(measured.catalogs, took.Seconds())
	}
	for i := range changes {
		permitted := i%2 == 0
		version := story.ClusterVersion
		if permitted {
			version = before
		}
		took, err := l.upgradeable(ctx, permitted, func(ctx context.Context) error { return l.setDesired(ctx, version) })
		if err != nil {
			return reaction{}, fmt.Errorf("changing the cluster's version: %w", err)
		}
		measured.cluster = append(measured.cluster, took.Seconds())
	}
	return measured, nil
}

// publishLimit changes the limit of limitedPackage in the catalog. The bundle stays the same.
func (l *live) publishLimit(value string) error {
	path := filepath.Join(l.SamplesDir, "catalog", limitedPackage, "catalog.yaml")
	content, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("reading the catalog: %w", err)
	}
	text := strings.NewReplacer("value: "+limit, "value: "+value, "value: "+highLimit, "value: "+value).Replace(string(content))
	if !strings.Contains(text, "value: "+value) {
		return fmt.Errorf("writing %s to %s: the file has no limit", value, path)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		return fmt.Errorf("writing the catalog: %w", err)
	}
	return nil
}

// setDesired sets the ClusterVersion's desired version, and that of its newest history entry, in one write.
func (l *live) setDesired(ctx context.Context, version string) error {
	client := l.admin.Config.ConfigV1().ClusterVersions()
	clusterVersion, err := client.Get(ctx, "version", metav1.GetOptions{})
	if err != nil {
		return err
	}
	clusterVersion.Status.Desired.Version = version
	clusterVersion.Status.History[0].Version = version
	_, err = client.UpdateStatus(ctx, clusterVersion, metav1.UpdateOptions{})
	return err
}

// upgradeable calls change and returns the time until a watch shows the wanted Upgradeable condition. It returns an error after
// changeLimit.
func (l *live) upgradeable(ctx context.Context, want bool, change func(context.Context) error) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, changeLimit)
	defer cancel()
	events, err := l.admin.Config.ConfigV1().ClusterOperators().Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + story.ClusterOperatorName})
	if err != nil {
		return 0, fmt.Errorf("watching the ClusterOperator: %w", err)
	}
	defer events.Stop()
	start := time.Now()
	if err := change(ctx); err != nil {
		return 0, err
	}
	err = waitForUpgradeable(events.ResultChan(), want)
	return time.Since(start), err
}

func waitForUpgradeable(events <-chan watch.Event, want bool) error {
	for event := range events {
		clusterOperator, ok := event.Object.(*configv1.ClusterOperator)
		if ok && v1helpers.IsStatusConditionTrue(clusterOperator.Status.Conditions, configv1.OperatorUpgradeable) == want {
			return nil
		}
	}
	return fmt.Errorf("waiting for Upgradeable to be %t: it was not within %s", want, changeLimit)
}

func platformPart(quiet []idleWindow, reactions []reaction) part {
	idle := quiet[0]
	p := part{
		title: "Idle with PlatformOperators, and reaction times",
		text: fmt.Sprintf("The first rows are the manager's requests, processor time and memory during %s without changes, with healthy PlatformOperators of different packages. The baseline is the same process without any. Requests are counted as in the previous section.\n\n"+
			"The other rows are the time until ClusterOperator `platform-operators-aggregated` has the correct `Upgradeable` condition. A catalog changes the limit of an installed bundle, or the cluster's version changes. The time starts with the first write and ends when another client's watch shows the condition. Each change is made %d times, back and forth. There is no baseline.", steadyWindow, changes),
		ours: "manager", baseline: "manager without PlatformOperators",
		notes: []string{"For comparison, the memory requests of related components, which were not measured: OLM v0 160 MiB for the olm-operator, 80 MiB for the catalog-operator and 50 MiB for the packageserver; cluster-olm-operator 20 MiB; rukpak's core 100 to 160 MiB; the CVO 50 MiB."},
	}
	for _, m := range quiet {
		name := fmt.Sprintf("%d PlatformOperators", m.managed)
		p.figures = append(p.figures,
			figure{name: name + ": writes", unit: count, ours: float64(m.requests.Writes), baseline: float64(idle.requests.Writes), n: 1},
			figure{name: name + ": GETs and LISTs", unit: count, ours: float64(m.requests.Gets + m.requests.Lists), baseline: float64(idle.requests.Gets + idle.requests.Lists), n: 1},
			figure{name: name + ": processor time", unit: seconds, ours: m.processor, baseline: idle.processor, n: 1},
			figure{name: name + ": anonymous RSS", unit: size, ours: m.memory.anonymous, baseline: idle.memory.anonymous, n: 1},
			figure{name: name + ": total RSS", unit: size, ours: m.memory.total, baseline: idle.memory.total, n: 1},
		)
	}
	for _, r := range reactions {
		for _, percent := range []int{50, 95} {
			p.figures = append(p.figures,
				figure{name: fmt.Sprintf("%d PlatformOperators: reaction to a catalog, p%d", r.operators, percent), unit: seconds, ours: percentile(r.catalogs, percent), n: len(r.catalogs)},
				figure{name: fmt.Sprintf("%d PlatformOperators: reaction to the cluster version, p%d", r.operators, percent), unit: seconds, ours: percentile(r.cluster, percent), n: len(r.cluster)},
			)
		}
	}
	return p
}
