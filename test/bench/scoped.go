package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/openshift/platform-operators/test/bulk"
	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/steady"
)

const (
	// scopedDeployments is the number of BundleDeployments.
	scopedDeployments = 100
	// scopedObjects is the number of objects in the bundle of each BundleDeployment, without its Deployment.
	scopedObjects = 9
	// scopedWindow is the duration of the measurement. Together with idleDelay it is longer than the five minutes for which the manager
	// relies on a permission.
	scopedWindow = 4 * time.Minute
)

// scopedIdle is the idle manager with BundleDeployments that all have a ServiceAccount, or all have none.
type scopedIdle struct {
	window idleWindow
	// before and after are the memory of managers that were started before the first BundleDeployment and after the window.
	before, after []residentMemory
	// heap is the size of the heap after the window, in bytes.
	heap float64
}

// measureScoped measures the idle manager with scoped BundleDeployments, and with unscoped ones on a cluster of their own.
func measureScoped(ctx context.Context, dir string, rounds int, logf func(string, ...any)) (part, error) {
	var measured [2]scopedIdle
	for i, name := range []string{"scoped", "unscoped"} {
		options := environment.Options{AuditLog: true}
		_, err := withCluster(ctx, filepath.Join(dir, name), options, logf, func(ctx context.Context, l *live) (part, error) {
			return part{}, l.measureScopedIdle(ctx, &measured[i], name, rounds)
		})
		if err != nil {
			return part{}, err
		}
		idle := measured[i]
		logf("%d %s BundleDeployments: %d requests, anonymous RSS %s, before the first one %s", scopedDeployments, name, idle.window.requests.Total(),
			size.format(median(anonymous(idle.after))), size.format(median(anonymous(idle.before))))
	}
	return scopedPart(measured[0], measured[1]), nil
}

// measureScopedIdle measures the manager before it installs BundleDeployments, while nothing changes after that, and after restarts. kind is
// "scoped" or "unscoped", and the prefix of the names.
func (l *live) measureScopedIdle(ctx context.Context, measured *scopedIdle, kind string, rounds int) error {
	log, err := steady.OpenLog(l.AuditLog)
	if err != nil {
		return err
	}
	if measured.before, err = l.memoryOfRestarts(ctx, rounds); err != nil {
		return err
	}
	for i := range scopedDeployments {
		bundle := bulk.Bundle{Name: fmt.Sprintf("%s-%03d", kind, i), Objects: scopedObjects}
		ref, err := l.publish(ctx, bundle)
		if err != nil {
			return err
		}
		if err := l.deployIntoNamespace(ctx, bundle.Name, ref, kind == "scoped"); err != nil {
			return err
		}
	}
	for i := range scopedDeployments {
		if err := bulk.WaitUntilInstalled(ctx, l.admin.Platform, fmt.Sprintf("%s-%03d", kind, i), waitLimit); err != nil {
			return err
		}
	}
	if measured.window, err = l.idleWindow(ctx, log, time.Now(), scopedWindow); err != nil {
		return err
	}
	if measured.heap, err = l.heap(ctx); err != nil {
		return err
	}
	measured.after, err = l.memoryOfRestarts(ctx, rounds)
	return err
}

func scopedPart(scoped, unscoped scopedIdle) part {
	name := fmt.Sprintf("%d deployments", scopedDeployments)
	ours, theirs := scoped.window, unscoped.window
	p := part{
		title: "Idle with scoped BundleDeployments",
		text: fmt.Sprintf("The manager's requests and processor time during %s without changes, with %d BundleDeployments of %d objects each. Each has a ServiceAccount of its own in `spec.serviceAccountName`, which has ClusterRole admin in the install namespace. Requests are counted in the API server's audit log, without watches, and with those that the manager sends as a ServiceAccount. The target is no request.\n\n"+
			"“Anonymous” is the heap and stacks, and “total” includes the pages of the binary, %s after a start of the manager. “Live heap” is the heap after the last garbage collection in the quiet time, of which there is one every two minutes. The memory of each deployment is the memory with all of them, minus the median of both sides before the first one, divided by %[2]d.\n\n"+
			"The baseline is another cluster, with as many BundleDeployments of the same objects without a ServiceAccount. Everything else is the same: each namespace exists before, with its ServiceAccount.", scopedWindow, scopedDeployments, scopedObjects+1, restartedAge),
		ours: "scoped", baseline: "unscoped",
		figures: []figure{
			{name: name + ": writes", unit: count, ours: float64(ours.requests.Writes), baseline: float64(theirs.requests.Writes), n: 1},
			{name: name + ": GETs", unit: count, ours: float64(ours.requests.Gets), baseline: float64(theirs.requests.Gets), n: 1},
			{name: name + ": LISTs", unit: count, ours: float64(ours.requests.Lists), baseline: float64(theirs.requests.Lists), n: 1},
			{name: name + ": processor time", unit: seconds, ours: ours.processor, baseline: theirs.processor, n: 1},
		},
	}
	p.figures = append(p.figures, scopedMemoryFigures(name, scoped, unscoped)...)
	for _, side := range []struct {
		name     string
		requests steady.Requests
	}{{"scoped", ours.requests}, {"unscoped", theirs.requests}} {
		if side.requests.Total() > 0 {
			p.notes = append(p.notes, fmt.Sprintf("Requests with %d %s deployments: %s.", scopedDeployments, side.name, side.requests))
		}
	}
	return p
}
