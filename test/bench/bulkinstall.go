package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/platform-operators/test/bulk"
	"github.com/openshift/platform-operators/test/environment"
)

const (
	// engineParallel is the maximum number of objects that the manager (pkg/apply/pacing) and the plain loop apply concurrently.
	engineParallel = 8
	// bulkRounds is the maximum number of rounds for one size. It is low because the large size takes most of the run's time.
	bulkRounds = 2
)

var bulkSizes = []int{500, 5000}

// bulkInstalls holds the times, in seconds, of installing bundles of one size. ours and plain have one value per round; kubectl has a
// single value.
type bulkInstalls struct {
	size                 int
	ours, plain, kubectl []float64
}

// measureBulk measures installing a large bundle with a BundleDeployment and with a plain loop, in at most bulkRounds rounds, and once with
// kubectl. Each round uses different names, and nothing is removed.
func measureBulk(ctx context.Context, dir string, rounds int, logf func(string, ...any)) (part, error) {
	return withCluster(ctx, dir, environment.Options{}, logf, func(ctx context.Context, l *live) (part, error) {
		var all []bulkInstalls
		for _, size := range bulkSizes {
			measured := bulkInstalls{size: size}
			for round := range min(rounds, bulkRounds) {
				if err := l.bulkRound(ctx, &measured, round); err != nil {
					return part{}, fmt.Errorf("installing %d objects: %w", size, err)
				}
				logf("installed %d objects, round %d: manager %s, plain loop %s", size, round+1,
					seconds.format(measured.ours[round]), seconds.format(measured.plain[round]))
			}
			took, err := l.byKubectl(ctx, bulk.Bundle{Name: fmt.Sprintf("kubectl-%d", size), Objects: size})
			if err != nil {
				return part{}, err
			}
			measured.kubectl = append(measured.kubectl, took.Seconds())
			logf("applied %d objects by kubectl: %s", size, seconds.format(took.Seconds()))
			all = append(all, measured)
		}
		return bulkPart(all), nil
	})
}

func (l *live) bulkRound(ctx context.Context, measured *bulkInstalls, round int) error {
	managed := bulk.Bundle{Name: fmt.Sprintf("managed-%d-%d", measured.size, round), Objects: measured.size}
	ref, err := l.publish(ctx, managed)
	if err != nil {
		return err
	}
	took, err := l.deploy(ctx, managed.Name, ref)
	if err != nil {
		return err
	}
	measured.ours = append(measured.ours, took.Seconds())

	operator, err := renderForLoop(bulk.Bundle{Name: fmt.Sprintf("plain-%d-%d", measured.size, round), Objects: measured.size})
	if err != nil {
		return err
	}
	start := time.Now()
	if _, err := l.loop.install(ctx, []rendered{operator}, engineParallel); err != nil {
		return err
	}
	measured.plain = append(measured.plain, time.Since(start).Seconds())
	return nil
}

// byKubectl creates a namespace with the bundle's name, and applies the bundle's objects from one file with `kubectl apply --server-side`.
// It returns the time that kubectl took.
func (l *live) byKubectl(ctx context.Context, bundle bulk.Bundle) (time.Duration, error) {
	operator, err := renderForLoop(bundle)
	if err != nil {
		return 0, err
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: bundle.Name}}
	if _, err := l.admin.Kubernetes.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil {
		return 0, err
	}
	var content bytes.Buffer
	for _, object := range operator.objects {
		if err := json.NewEncoder(&content).Encode(object.Object); err != nil {
			return 0, err
		}
	}
	file := filepath.Join(l.Dir, bundle.Name+".json")
	if err := os.WriteFile(file, content.Bytes(), 0o600); err != nil {
		return 0, err
	}
	start := time.Now()
	if output, err := exec.CommandContext(ctx, l.Kubectl, "apply", "--server-side", "--filename", file).CombinedOutput(); err != nil {
		return 0, fmt.Errorf("applying %d objects by kubectl: %w: %.500s", bundle.Objects, err, output)
	}
	return time.Since(start), nil
}

func bulkPart(all []bulkInstalls) part {
	p := part{
		title: "Installing a large bundle",
		text: fmt.Sprintf("The time to install one BundleDeployment, from its creation until another client sees it installed and healthy. It includes pulling, rendering, storing the revision, applying, probing and writing status. Eight in ten objects are ConfigMaps; the others are Secrets and Services, with one Namespace and one Deployment.\n\n"+
			"The first baseline applies the same objects by server-side apply in a client-go loop until the Deployment is available. It applies %d at once, as the manager does, without a rate limit. The second baseline is `kubectl apply --server-side` of one file. Nothing is removed between rounds.", engineParallel),
		ours: "manager", baseline: "plain loop, or kubectl",
	}
	for _, m := range all {
		p.figures = append(p.figures,
			figure{name: fmt.Sprintf("%d objects; baseline plain loop", m.size), unit: seconds, ours: median(m.ours), baseline: median(m.plain), n: len(m.ours)},
			figure{name: fmt.Sprintf("%d objects; baseline kubectl", m.size), unit: seconds, ours: median(m.ours), baseline: median(m.kubectl), n: len(m.kubectl)})
	}
	p.details = growth("objects", len(all), func(i int) (string, float64, float64) {
		return fmt.Sprint(all[i].size), median(all[i].ours), median(all[i].plain)
	})
	return p
}

// growth returns a table that shows how the figures of both sides grow from one size to the next. sizes is the number of sizes. at returns
// the name of the size at an index and the figures of both sides.
func growth(unitName string, sizes int, at func(i int) (size string, ours, baseline float64)) table {
	t := table{caption: "Growth, each row relative to the previous size:", head: []string{unitName, "ours", "baseline"}}
	for i := 1; i < sizes; i++ {
		_, ours, baseline := at(i - 1)
		size, oursNow, baselineNow := at(i)
		t.rows = append(t.rows, []string{size, formatRatio(oursNow / ours), formatRatio(baselineNow / baseline)})
	}
	return t
}
