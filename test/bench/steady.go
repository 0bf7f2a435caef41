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
	// steadyWindow is how long nothing happens. The long test of the same (test/steady) has ten minutes.
	steadyWindow = time.Minute
	// steadyRest goes before it, from the last installation on: the ClusterOperator is looked at once a minute (library-go's
	// StatusSyncer), so that what an installation changes of it may come that late.
	steadyRest = 70 * time.Second
)

var steadySizes = []struct{ managed, others int }{{0, 0}, {100, 5_000}, {1_000, 50_000}}

// quietMinute is what the manager did while there was nothing to do.
type quietMinute struct {
	managed, others int
	requests        steady.Requests
	processor       float64 // seconds
	memory          residentMemory
}

// measureSteady counts what the manager asks and takes while nothing changes, among objects of others that are none of its
// business.
func measureSteady(ctx context.Context, dir string, say func(string, ...any)) (part, error) {
	return onLive(ctx, dir, environment.Options{AuditLog: true}, say, func(ctx context.Context, l *live) (part, error) {
		log, err := steady.OpenLog(l.AuditLog)
		if err != nil {
			return part{}, err
		}
		var all []quietMinute
		there := 0
		for i, amount := range steadySizes {
			if amount.managed > 0 {
				// One Deployment is beside what a bulk bundle counts as its objects, and a Namespace.
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
			minute, err := l.quietMinute(ctx, log, installed)
			if err != nil {
				return part{}, err
			}
			minute.managed, minute.others = amount.managed, amount.others
			say("%d objects among %d others: %s of processor, anonymous RSS %s, %d requests", amount.managed, amount.others,
				seconds.format(minute.processor), size.format(minute.memory.anonymous), minute.requests.Total())
			all = append(all, minute)
		}
		return steadyPart(all), nil
	})
}

// managedBefore is how many objects the manager has already when a size comes.
func managedBefore(i int) int {
	if i == 0 {
		return 0
	}
	return steadySizes[i-1].managed
}

// quietMinute waits until the installation is over and done with, and then reads what happened in the window.
func (l *live) quietMinute(ctx context.Context, log *steady.Log, installed time.Time) (quietMinute, error) {
	if err := letPass(ctx, time.Until(installed.Add(steadyRest))); err != nil {
		return quietMinute{}, err
	}
	if _, err := log.Read(steady.ManagersUser); err != nil { // what was before
		return quietMinute{}, err
	}
	pid := l.Manager.PID()
	before, err := processorTime(pid)
	if err != nil {
		return quietMinute{}, err
	}
	if err := letPass(ctx, steadyWindow); err != nil {
		return quietMinute{}, err
	}
	var minute quietMinute
	after, err := processorTime(pid)
	if err != nil {
		return quietMinute{}, err
	}
	minute.processor = after - before
	if minute.requests, err = log.Read(steady.ManagersUser); err != nil {
		return quietMinute{}, err
	}
	minute.memory, err = readResidentMemory(pid)
	return minute, err
}

// letPass lets time pass: that nothing happens can only be seen by waiting.
func letPass(ctx context.Context, duration time.Duration) error {
	timer := time.NewTimer(duration)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func steadyPart(all []quietMinute) part {
	idle := all[0]
	p := part{
		title: "Having nothing to do",
		text: fmt.Sprintf("The manager's requests, processor time and memory over %s in which nothing changes, with objects that it has installed and among ConfigMaps of others that are not its business. Requests are counted from the API server's audit log; watches, which the API server ends after some minutes each, are not. Anonymous memory is what only this process has; total counts the pages of its binary too. "+
			"The baseline is the same process before the first BundleDeployment, on the cluster without those objects.", steadyWindow),
		ours: "manager", baseline: "manager without anything",
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
			p.notes = append(p.notes, fmt.Sprintf("What was asked with %s: %s.", name, m.requests))
		}
	}
	return p
}
