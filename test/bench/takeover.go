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

// lookEvery is how often the lease is looked at; when it was acquired is in it.
const lookEvery = 200 * time.Millisecond

// takeovers are how long it took until there was a leader again, in seconds: from the start of a container that was killed and
// started again in its pod; after the leader was killed, and after it was told to stop, until another manager led.
type takeovers struct{ restarted, killed, stopped float64 }

// measureTakeover has managers follow one another with the payload's leases.
func measureTakeover(ctx context.Context, dir string, say func(string, ...any)) (part, error) {
	return onLive(ctx, dir, environment.Options{}, say, func(ctx context.Context, l *live) (p part, err error) {
		if err := l.Manager.Stop(); err != nil { // it elects nobody
			return part{}, err
		}
		var managers [3]*environment.Manager
		for i := range managers {
			if managers[i], err = l.Another(ctx, environment.AnotherOptions{Name: fmt.Sprintf("manager-%d", i), Pod: podOf(dir, i)}); err != nil {
				return part{}, err
			}
			defer func() { err = errors.Join(err, managers[i].Stop()) }()
		}
		if err := managers[0].Start(); err != nil {
			return part{}, err
		}
		lease, err := l.followed(ctx, leadership.Lease{}, settleLimit)
		if err != nil {
			return part{}, err
		}
		var measured takeovers
		if measured.restarted, lease, err = l.restart(ctx, managers[0], lease); err != nil {
			return part{}, err
		}
		say("a container that was killed and started again led after %s", seconds.format(measured.restarted))
		if measured.killed, lease, err = l.succeed(ctx, managers[1], lease, managers[0].Kill); err != nil {
			return part{}, err
		}
		say("a leader that was killed was followed after %s", seconds.format(measured.killed))
		if measured.stopped, _, err = l.succeed(ctx, managers[2], lease, managers[1].Stop); err != nil {
			return part{}, err
		}
		say("a leader that stopped was followed after %s", seconds.format(measured.stopped))
		return takeoverPart(measured), nil
	})
}

// podOf is a pod of its own for each manager.
func podOf(dir string, number int) *environment.Pod {
	return &environment.Pod{Name: fmt.Sprintf("platform-operators-%d", number), UID: uuid.NewUUID(), Dir: filepath.Join(dir, fmt.Sprintf("volume-%d", number))}
}

// restart kills the leader and starts it again in its pod, and gives how long it took from that start until it led.
func (l *live) restart(ctx context.Context, manager *environment.Manager, held leadership.Lease) (took float64, now leadership.Lease, err error) {
	if err := manager.Kill(); err != nil {
		return 0, now, err
	}
	started := time.Now()
	if err := manager.Start(); err != nil {
		return 0, now, err
	}
	now, err = l.followed(ctx, held, leadership.HighlyAvailable.AfterCrash()+settleLimit)
	return now.Acquired.Sub(started).Seconds(), now, err
}

// succeed starts a manager, ends the leader when that one waits for the lease, and gives how long it took until it had it.
func (l *live) succeed(ctx context.Context, next *environment.Manager, held leadership.Lease, end func() error) (took float64, now leadership.Lease, err error) {
	if err := next.Start(); err != nil {
		return 0, now, err
	}
	if err := letPass(ctx, leadership.HighlyAvailable.Retry); err != nil { // by then it has asked once
		return 0, now, err
	}
	ended := time.Now()
	if err := end(); err != nil {
		return 0, now, err
	}
	now, err = l.followed(ctx, held, leadership.HighlyAvailable.AfterCrash()+settleLimit)
	return now.Acquired.Sub(ended).Seconds(), now, err
}

// followed waits until somebody else holds the lease than before.
func (l *live) followed(ctx context.Context, before leadership.Lease, limit time.Duration) (leadership.Lease, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		now, err := leadership.ReadLease(ctx, l.admin.Kubernetes)
		if err == nil && now.Holder != "" && now.Holder != before.Holder {
			return now, nil
		}
		if waited := letPass(ctx, lookEvery); waited != nil {
			return leadership.Lease{}, errors.Join(fmt.Errorf("waiting for another leader than %q: %w", before.Holder, waited), err)
		}
	}
}

func takeoverPart(measured takeovers) part {
	timings := leadership.HighlyAvailable
	return part{
		title: "Following a leader",
		text: fmt.Sprintf("With the payload's lease (%s, renewed within %s, asked for every %s): from the end of the leader until the manager that waits holds the lease, by the time that it has written there; and from the start of the leader's process, when its container was killed and started again in the same pod, until that process holds the lease. One time each. "+
			"client-go stretches the waiting by chance, so that the longest that can be is %s after a crash, and %s after an orderly end; the baseline has these. Meanwhile nothing is installed or repaired, and nothing that is installed is disturbed.",
			timings.Lease, timings.Renew, timings.Retry, timings.AfterCrash().Round(time.Second), timings.AfterRelease().Round(time.Second)),
		ours: "manager", baseline: "longest by the lease's rules",
		figures: []figure{
			{name: "the leader's container was killed and started again", unit: seconds, ours: measured.restarted, baseline: timings.AfterCrash().Seconds(), n: 1},
			{name: "the leader was killed", unit: seconds, ours: measured.killed, baseline: timings.AfterCrash().Seconds(), n: 1},
			{name: "the leader stopped", unit: seconds, ours: measured.stopped, baseline: timings.AfterRelease().Seconds(), n: 1},
		},
	}
}
