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
	// changes is how often each kind of change is made and waited for.
	changes = 20
	// changeLimit is how long the ClusterOperator may take to say the right thing.
	changeLimit = time.Minute
	// limited is the operator whose limit decides what the ClusterOperator says, limit its olm.maxOpenShiftVersion, which is the
	// cluster's own version; looser is one that is far away.
	limited, limit, looser = "limited", `"4.21"`, `"4.40"`
	// before is a version of the cluster whose next minor the limit permits.
	before = "4.20.0"
)

// platformSizes are how many PlatformOperators there are.
var platformSizes = []int{0, 10, 100}

// reaction is how long it took, in seconds and in the order in which it was measured, until the ClusterOperator said the right
// thing.
type reaction struct {
	operators         int
	catalogs, cluster []float64
}

// measurePlatform sees the manager as the platform does: what it takes with few and with many PlatformOperators while nothing
// changes, and how soon the ClusterOperator is right when a catalog or the cluster's version has changed.
func measurePlatform(ctx context.Context, dir string, say func(string, ...any)) (part, error) {
	most := platformSizes[len(platformSizes)-1]
	offered := []samples.Operator{{Package: limited, Version: sampleVersion, MaxOpenShiftVersion: limit}}
	for i := range most - 1 {
		offered = append(offered, samples.Operator{Package: fmt.Sprintf("platform-%d", i), Version: sampleVersion})
	}
	return onLive(ctx, dir, environment.Options{Samples: offered, AuditLog: true}, say, func(ctx context.Context, l *live) (part, error) {
		return l.measurePlatform(ctx, offered)
	})
}

func (l *live) measurePlatform(ctx context.Context, offered []samples.Operator) (part, error) {
	log, err := steady.OpenLog(l.AuditLog)
	if err != nil {
		return part{}, err
	}
	var quiet []quietMinute
	var reactions []reaction
	for i, operators := range platformSizes {
		if i > 0 {
			step := installStep(offered[platformSizes[i-1]:operators])
			step.Within = settleLimit
			if err := step.Run(ctx, l.admin); err != nil {
				return part{}, err
			}
			measured, err := l.react(ctx, operators)
			if err != nil {
				return part{}, err
			}
			reactions = append(reactions, measured)
			l.say("%d PlatformOperators: the ClusterOperator is right %s after a catalog's change, %s after the cluster's (p95)", operators,
				seconds.format(percentile(measured.catalogs, 95)), seconds.format(percentile(measured.cluster, 95)))
		}
		minute, err := l.quietMinute(ctx, log, time.Now())
		if err != nil {
			return part{}, err
		}
		minute.managed = operators
		l.say("%d PlatformOperators: %s of processor, anonymous RSS %s, %d requests", operators, seconds.format(minute.processor), size.format(minute.memory.anonymous), minute.requests.Total())
		quiet = append(quiet, minute)
	}
	return platformPart(quiet, reactions), nil
}

// react changes catalogs and the cluster's version, one after the other, and waits each time until the ClusterOperator says of
// upgrades what is true then.
func (l *live) react(ctx context.Context, operators int) (reaction, error) {
	measured := reaction{operators: operators}
	for i := range changes {
		permitted := i%2 == 0
		value := limit
		if permitted {
			value = looser
		}
		if err := l.publishLimit(value); err != nil {
			return reaction{}, err
		}
		// The catalog's own reading of its folder is not ours: what is measured begins when it is announced.
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

// publishLimit writes another limit of the limited operator into the catalog, and leaves its bundle as it is.
func (l *live) publishLimit(value string) error {
	path := filepath.Join(l.SamplesDir, "catalog", limited, "catalog.yaml")
	content, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("reading the catalog: %w", err)
	}
	text := strings.NewReplacer("value: "+limit, "value: "+value, "value: "+looser, "value: "+value).Replace(string(content))
	if !strings.Contains(text, "value: "+value) {
		return fmt.Errorf("writing %s into %s: no limit is in there", value, path)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		return fmt.Errorf("writing the catalog: %w", err)
	}
	return nil
}

// setDesired moves the cluster to another version by one write.
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

// upgradeable is how long it takes, from the beginning of a change, until a watch shows the ClusterOperator's Upgradeable as it
// should be.
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
	err = seen(events.ResultChan(), want)
	return time.Since(start), err
}

func seen(events <-chan watch.Event, want bool) error {
	for event := range events {
		clusterOperator, ok := event.Object.(*configv1.ClusterOperator)
		if ok && v1helpers.IsStatusConditionTrue(clusterOperator.Status.Conditions, configv1.OperatorUpgradeable) == want {
			return nil
		}
	}
	return fmt.Errorf("waiting for Upgradeable to be %t: the ClusterOperator did not say so within %s", want, changeLimit)
}

func platformPart(quiet []quietMinute, reactions []reaction) part {
	idle := quiet[0]
	p := part{
		title: "Being a part of the platform",
		text: fmt.Sprintf("What the manager takes with some PlatformOperators, each of a package of its own, installed and healthy, over %s in which nothing changes; the baseline is the same process without any. Requests are counted as above. "+
			"Then how soon ClusterOperator `platform-operators-aggregated` says the right `Upgradeable`: after a catalog changed the limit of an installed bundle, from the first write to the catalog objects on, and after the cluster's version changed, from that write on; "+
			"both %d times back and forth, seen by another client's watch. No baseline does this.", steadyWindow, changes),
		ours: "manager", baseline: "manager without PlatformOperators",
		notes: []string{"For comparison, what neighbours ask for as memory requests (none was measured here): OLM v0 160 MiB for the olm-operator, 80 MiB for the catalog-operator and 50 MiB for the packageserver; cluster-olm-operator 20 MiB; rukpak's core 100 to 160 MiB; the CVO 50 MiB."},
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
				figure{name: fmt.Sprintf("%d PlatformOperators: a catalog's change, p%d", r.operators, percent), unit: seconds, ours: percentile(r.catalogs, percent), n: len(r.catalogs)},
				figure{name: fmt.Sprintf("%d PlatformOperators: the cluster's change, p%d", r.operators, percent), unit: seconds, ours: percentile(r.cluster, percent), n: len(r.cluster)},
			)
		}
	}
	return p
}
