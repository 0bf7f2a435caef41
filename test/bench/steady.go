package main

import (
	"context"
	"fmt"
	"time"

	"github.com/openshift/platform-operators/test/bulk"
	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/steady"
)

const (
	// steadyWindow is the duration of the measurement. The long test in test/steady takes ten minutes.
	steadyWindow = time.Minute
	// idleDelay is the time between an installation and the measurement. It is longer than a minute because library-go's StatusSyncer
	// updates the ClusterOperator once a minute.
	idleDelay = 70 * time.Second
)

var steadySizes = []struct{ managed, others int }{{0, 0}, {100, 5_000}, {1_000, 50_000}}

// idleWindow holds the manager's requests, processor time and memory during a period without changes.
type idleWindow struct {
	managed, others int
	requests        steady.Requests
	processor       float64 // seconds
	memory          residentMemory
}

// measureSteady measures the manager while nothing changes. It varies the numbers of installed objects and of objects of other owners.
func measureSteady(ctx context.Context, dir string, logf func(string, ...any)) (part, error) {
	return withCluster(ctx, dir, environment.Options{AuditLog: true}, logf, func(ctx context.Context, l *live) (part, error) {
		log, err := steady.OpenLog(l.AuditLog)
		if err != nil {
			return part{}, err
		}
		var all []idleWindow
		there := 0
		for i, amount := range steadySizes {
			if amount.managed > 0 {
				// A bulk bundle contains a Deployment and a Namespace in addition to its Objects.
				bundle := bulk.Bundle{Name: fmt.Sprintf("steady-%d", i), Objects: amount.managed - managedBefore(i) - 2}
				ref, err := l.publish(ctx, bundle)
				if err != nil {
					return part{}, err
				}
				if _, err := l.deploy(ctx, bundle.Name, ref); err != nil {
					return part{}, err
				}
			}
			installed := time.Now()
			if err := bulk.CreateOthers(ctx, l.Admin, there, amount.others); err != nil {
				return part{}, err
			}
			there = amount.others
			minute, err := l.idleWindow(ctx, log, installed, steadyWindow)
			if err != nil {
				return part{}, err
			}
			minute.managed, minute.others = amount.managed, amount.others
			logf("%d objects among %d others: %s of processor, anonymous RSS %s, %d requests", amount.managed, amount.others,
				seconds.format(minute.processor), size.format(minute.memory.anonymous), minute.requests.Total())
			all = append(all, minute)
		}
		return steadyPart(all), nil
	})
}

// managedBefore returns the number of managed objects that exist before the size with index i is installed.
func managedBefore(i int) int {
	if i == 0 {
		return 0
	}
	return steadySizes[i-1].managed
}

// idleWindow waits until idleDelay has passed since installed, and measures the manager during window.
func (l *live) idleWindow(ctx context.Context, log *steady.Log, installed time.Time, window time.Duration) (idleWindow, error) {
	if err := sleep(ctx, time.Until(installed.Add(idleDelay))); err != nil {
		return idleWindow{}, err
	}
	if _, err := log.Read(steady.ManagersUser); err != nil { // discards earlier requests
		return idleWindow{}, err
	}
	pid := l.Manager.PID()
	before, err := processorTime(pid)
	if err != nil {
		return idleWindow{}, err
	}
	if err := sleep(ctx, window); err != nil {
		return idleWindow{}, err
	}
	var minute idleWindow
	after, err := processorTime(pid)
	if err != nil {
		return idleWindow{}, err
	}
	minute.processor = after - before
	if minute.requests, err = log.Read(steady.ManagersUser); err != nil {
		return idleWindow{}, err
	}
	minute.memory, err = readResidentMemory(pid)
	return minute, err
}

// sleep waits for a duration. It returns the context's error if the context ends first.
func sleep(ctx context.Context, duration time.Duration) error {
	timer := time.NewTimer(duration)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func steadyPart(all []idleWindow) part {
	idle := all[0]
	p := part{
		title: "Idle with installed bundles",
		text: fmt.Sprintf("The manager's requests, processor time and memory during %s without changes. The cluster has objects that the manager installed, and ConfigMaps of other owners. Requests are counted in the API server's audit log, without watches. “Anonymous” is the heap and stacks; “total” includes the pages of the binary.\n\n"+
			"The baseline is the same process before the first BundleDeployment, without those ConfigMaps.", steadyWindow),
		ours: "manager", baseline: "manager without bundles",
	}
	for _, m := range all[1:] {
		name := fmt.Sprintf("%d objects among %d others", m.managed, m.others)
		p.figures = append(p.figures,
			figure{name: name + ": writes", unit: count, ours: float64(m.requests.Writes), baseline: float64(idle.requests.Writes), n: 1},
			figure{name: name + ": GETs", unit: count, ours: float64(m.requests.Gets), baseline: float64(idle.requests.Gets), n: 1},
			figure{name: name + ": LISTs", unit: count, ours: float64(m.requests.Lists), baseline: float64(idle.requests.Lists), n: 1},
			figure{name: name + ": processor time", unit: seconds, ours: m.processor, baseline: idle.processor, n: 1},
			figure{name: name + ": anonymous RSS", unit: size, ours: m.memory.anonymous, baseline: idle.memory.anonymous, n: 1},
			figure{name: name + ": total RSS", unit: size, ours: m.memory.total, baseline: idle.memory.total, n: 1},
		)
		if m.requests.Total() > 0 {
			p.notes = append(p.notes, fmt.Sprintf("Requests with %s: %s.", name, m.requests))
		}
	}
	return p
}
