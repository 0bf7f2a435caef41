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
	// engineParallel is how many objects of a phase the engine applies at once (pkg/apply/pacing), and so does the plain loop.
	engineParallel = 8
	// bulkRounds bounds the rounds of the large size, which take most of the run's time.
	bulkRounds = 2
)

var bulkSizes = []int{500, 5000}

// bulkInstalls is what installing a bundle of one size took, in seconds.
type bulkInstalls struct {
	size                 int
	ours, plain, kubectl []float64
}

// measureBulk installs one large bundle by one BundleDeployment, beside a plain loop with the same parallelism and beside
// kubectl. Each round has other names, and nothing is removed in between.
func measureBulk(ctx context.Context, dir string, rounds int, say func(string, ...any)) (part, error) {
	return onLive(ctx, dir, environment.Options{}, say, func(ctx context.Context, l *live) (part, error) {
		var all []bulkInstalls
		for _, size := range bulkSizes {
			measured := bulkInstalls{size: size}
			for round := range min(rounds, bulkRounds) {
				if err := l.bulkRound(ctx, &measured, round); err != nil {
					return part{}, fmt.Errorf("installing %d objects: %w", size, err)
				}
				say("installed %d objects, round %d: manager %s, plain loop %s", size, round+1,
					seconds.format(measured.ours[round]), seconds.format(measured.plain[round]))
			}
			took, err := l.byKubectl(ctx, bulk.Bundle{Name: fmt.Sprintf("kubectl-%d", size), Objects: size})
			if err != nil {
				return part{}, err
			}
			measured.kubectl = append(measured.kubectl, took.Seconds())
			say("applied %d objects by kubectl: %s", size, seconds.format(took.Seconds()))
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

	operator, err := plainly(bulk.Bundle{Name: fmt.Sprintf("plain-%d-%d", measured.size, round), Objects: measured.size})
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

// byKubectl applies the same by `kubectl apply --server-side`, all in one file.
func (l *live) byKubectl(ctx context.Context, bundle bulk.Bundle) (time.Duration, error) {
	operator, err := plainly(bundle)
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
		text: fmt.Sprintf("One BundleDeployment of a bundle with so many objects (eight in ten are ConfigMaps, the others Secrets and Services; beside them a Namespace and a Deployment), from its creation until another client sees it installed and healthy: pulling, rendering, storing the revision, applying, probing, status. "+
			"The baseline is a plain loop of server-side applies of the same objects by client-go, %d at once as the engine has it and without a rate limit, until the Deployment is available; the second baseline is one `kubectl apply --server-side` of one file, to its end. Nothing is removed in between.", engineParallel),
		ours: "manager", baseline: "plain loop, or kubectl",
	}
	for _, m := range all {
		p.figures = append(p.figures,
			figure{name: fmt.Sprintf("%d objects, beside the plain loop", m.size), unit: seconds, ours: median(m.ours), baseline: median(m.plain), n: len(m.ours)},
			figure{name: fmt.Sprintf("%d objects, beside kubectl", m.size), unit: seconds, ours: median(m.ours), baseline: median(m.kubectl), n: len(m.kubectl)})
	}
	p.details = growth("objects", len(all), func(i int) (string, float64, float64) {
		return fmt.Sprint(all[i].size), median(all[i].ours), median(all[i].plain)
	})
	return p
}

// growth is a table of how figures grow from one size to the next.
func growth(unitName string, sizes int, at func(i int) (size string, ours, baseline float64)) table {
	t := table{caption: "Growth, each row over the one above it:", head: []string{unitName, "ours", "baseline"}}
	for i := 1; i < sizes; i++ {
		_, ours, baseline := at(i - 1)
		size, oursNow, baselineNow := at(i)
		t.rows = append(t.rows, []string{size, formatRatio(oursNow / ours), formatRatio(baselineNow / baseline)})
	}
	return t
}
