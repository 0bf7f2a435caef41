package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/leadership"
)

// pollInterval is the time between two reads of the lease.
const pollInterval = 200 * time.Millisecond

// takeovers holds the times, in seconds, until a manager held the lease again. restarted is the time after a killed container was restarted
// in its pod. killed and stopped are the times until another manager held the lease after the leader was killed or stopped.
type takeovers struct{ restarted, killed, stopped float64 }

// measureTakeover measures takeovers among three managers with the payload's leader-election timings.
func measureTakeover(ctx context.Context, dir string, logf func(string, ...any)) (part, error) {
	return withCluster(ctx, dir, environment.Options{}, logf, func(ctx context.Context, l *live) (p part, err error) {
		if err := l.Manager.Stop(); err != nil { // this manager runs without leader election
			return part{}, err
		}
		var managers [3]*environment.Manager
		for i := range managers {
			if managers[i], err = l.Another(ctx, environment.AnotherOptions{Name: fmt.Sprintf("manager-%d", i), Pod: newPod(dir, i)}); err != nil {
				return part{}, err
			}
			defer func() { err = errors.Join(err, managers[i].Stop()) }()
		}
		if err := managers[0].Start(); err != nil {
			return part{}, err
		}
		lease, err := l.waitForLeader(ctx, leadership.Lease{}, waitLimit)
		if err != nil {
			return part{}, err
		}
		var measured takeovers
		if measured.restarted, lease, err = l.restart(ctx, managers[0], lease); err != nil {
			return part{}, err
		}
		logf("a container that was killed and started again led after %s", seconds.format(measured.restarted))
		if measured.killed, lease, err = l.handOver(ctx, managers[1], lease, managers[0].Kill); err != nil {
			return part{}, err
		}
		logf("a leader that was killed was followed after %s", seconds.format(measured.killed))
		if measured.stopped, _, err = l.handOver(ctx, managers[2], lease, managers[1].Stop); err != nil {
			return part{}, err
		}
		logf("a leader that stopped was followed after %s", seconds.format(measured.stopped))
		return takeoverPart(measured), nil
	})
}

// newPod returns a pod for a manager, with a folder for its volume.
func newPod(dir string, number int) *environment.Pod {
	return &environment.Pod{Name: fmt.Sprintf("platform-operators-%d", number), UID: uuid.NewUUID(), Dir: filepath.Join(dir, fmt.Sprintf("volume-%d", number))}
}

// restart kills the leader and starts it again in its pod. held is the lease before that. It returns the time from the start until the
// leader held the lease again, in seconds, and the new lease.
func (l *live) restart(ctx context.Context, manager *environment.Manager, held leadership.Lease) (took float64, now leadership.Lease, err error) {
	if err := manager.Kill(); err != nil {
		return 0, now, err
	}
	started := time.Now()
	if err := manager.Start(); err != nil {
		return 0, now, err
	}
	now, err = l.waitForLeader(ctx, held, leadership.HighlyAvailable.AfterCrash()+waitLimit)
	return now.Acquired.Sub(started).Seconds(), now, err
}

// handOver starts the manager next, waits until next has requested the lease, and calls end to end the leader. held is the lease before
// that. It returns the time from the call of end until next held the lease, in seconds, and the new lease.
func (l *live) handOver(ctx context.Context, next *environment.Manager, held leadership.Lease, end func() error) (took float64, now leadership.Lease, err error) {
	if err := next.Start(); err != nil {
		return 0, now, err
	}
	if err := sleep(ctx, leadership.HighlyAvailable.Retry); err != nil { // next has requested the lease by then
		return 0, now, err
	}
	ended := time.Now()
	if err := end(); err != nil {
		return 0, now, err
	}
	now, err = l.waitForLeader(ctx, held, leadership.HighlyAvailable.AfterCrash()+waitLimit)
	return now.Acquired.Sub(ended).Seconds(), now, err
}

// waitForLeader waits until the lease has a holder other than before.Holder, and returns that lease. It returns an error after limit.
func (l *live) waitForLeader(ctx context.Context, before leadership.Lease, limit time.Duration) (leadership.Lease, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		now, err := leadership.ReadLease(ctx, l.admin.Kubernetes)
		if err == nil && now.Holder != "" && now.Holder != before.Holder {
			return now, nil
		}
		if waited := sleep(ctx, pollInterval); waited != nil {
			return leadership.Lease{}, errors.Join(fmt.Errorf("waiting for another leader than %q: %w", before.Holder, waited), err)
		}
	}
}

func takeoverPart(measured takeovers) part {
	timings := leadership.HighlyAvailable
	return part{
		title: "Leader election",
		text: fmt.Sprintf("The time until a manager holds the payload's lease, which has a duration of %s, a renew deadline of %s and a retry period of %s. In the first row the leader's container is killed, and the time is from its restart in the same pod. In the others it is from the end of the leader until a waiting manager holds the lease, according to the Lease object. Each was measured once.\n\n"+
			"The baseline is the longest possible time with client-go's jitter: %s after a crash, and %s after a release. Meanwhile no manager installs or repairs, and installed operators keep running.", timings.Lease, timings.Renew, timings.Retry, timings.AfterCrash().Round(time.Second), timings.AfterRelease().Round(time.Second)),
		ours: "manager", baseline: "longest possible",
		figures: []figure{
			{name: "the leader's container was killed and restarted", unit: seconds, ours: measured.restarted, baseline: timings.AfterCrash().Seconds(), n: 1},
			{name: "the leader was killed", unit: seconds, ours: measured.killed, baseline: timings.AfterCrash().Seconds(), n: 1},
			{name: "the leader stopped", unit: seconds, ours: measured.stopped, baseline: timings.AfterRelease().Seconds(), n: 1},
		},
	}
}
