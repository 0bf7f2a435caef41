package scenarios

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/dynamic"

	"github.com/openshift/platform-operators/pkg/applyconfiguration"
	"github.com/openshift/platform-operators/pkg/scenario"
)

const (
	// roundInterval is the time between a change of the cluster and the next round.
	roundInterval = 100 * time.Millisecond
	// retryRefused is the time until the next round if the API server has refused a mutation. It doubles with each such round, up to
	// maxRetryRefused.
	retryRefused, maxRetryRefused = time.Second, 5 * time.Minute
	// retryMissing is the time until the next round if a round lacks a catalog or an image, which may be available then.
	retryMissing = 30 * time.Second
	// maxRounds is the maximum number of rounds in a row that have mutations.
	maxRounds = 300
	// maxCompared is the number of the last round that may be the one that also runs from a directory.
	maxCompared = 20
	// maxStoryRounds is the maximum number of rounds of a story.
	maxStoryRounds = 3000
)

var roundLogs = flag.Bool("round-logs", false, "print the mutations of each round")

// roundsRunner runs rounds of apply-configuration in place of the manager's process. A round follows each change of the cluster, and the
// times that run-again.yaml names. It sends the mutations as the manager, in an order that the seed chooses.
type roundsRunner struct {
	random  *rand.Rand
	objects objectCapture
	content *roundContent
	cache   applyconfiguration.Cache
	// seen is the revision of the cluster of which the last round had the objects, or -1.
	seen atomic.Int64
	// number is the number of rounds so far. The round with number compared also runs from a directory.
	number   atomic.Int64
	compared int64
}

// newRounds returns a roundsRunner. The seed chooses the order of the mutations.
func newRounds(seed uint64) *roundsRunner {
	r := &roundsRunner{random: rand.New(rand.NewPCG(seed, 0)), content: newRoundContent()}
	r.compared = 1 + r.random.Int64N(maxCompared)
	r.seen.Store(-1)
	return r
}

// log logs the number of rounds, and how long the story took with the manager's process and by rounds.
func (r *roundsRunner) log(t *testing.T, live, rounds time.Duration) {
	t.Helper()
	t.Logf("%d rounds in %s; %s with the manager's process", r.number.Load(), rounds.Round(time.Millisecond), live.Round(time.Millisecond))
}

// isIdle implements rounds.
func (r *roundsRunner) isIdle(s *Story) bool { return r.seen.Load() == s.Revision() }

// run implements rounds.
func (r *roundsRunner) run(ctx context.Context, s *Story, m *Manager) error {
	r.seen.Store(-1)
	r.objects = objectCapture{}
	busy, retry := 0, retryRefused
	for due := (time.Time{}); r.wait(ctx, s, due); {
		result, err := r.round(ctx, s, m)
		if *roundLogs {
			s.Logf("%s round %d: due %q, %v, sent:\n%s", time.Now().Format(time.TimeOnly), r.number.Load(), result.dueKeys, err, strings.Join(result.sent, "\n"))
		}
		switch {
		case ctx.Err() != nil || m.process.IsKilled():
			<-ctx.Done()
			return nil
		case err != nil:
			return err
		case len(result.sent) == 0:
			busy = 0
		default:
			if busy++; busy >= maxRounds {
				return fmt.Errorf("%d rounds in a row have mutations; those of the last round are:\n%s", busy, strings.Join(result.sent, "\n"))
			}
		}
		if r.number.Load() >= maxStoryRounds {
			return fmt.Errorf("the story takes more than %d rounds; the next round is due at %s for %s", maxStoryRounds, result.due.Format(time.TimeOnly), strings.Join(result.dueKeys, ", "))
		}
		if due = result.due; result.isMissing {
			due = earlier(due, time.Now().Add(retryMissing))
		}
		if result.isRefused {
			due = earlier(due, time.Now().Add(retry))
			retry = min(2*retry, maxRetryRefused)
		} else {
			retry = retryRefused
		}
	}
	return nil
}

// wait waits until the cluster has changed since the last round, or until due unless due is zero. It returns false if the context ends.
func (r *roundsRunner) wait(ctx context.Context, s *Story, due time.Time) bool {
	for {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(roundInterval):
		}
		if !r.isIdle(s) || !due.IsZero() && !time.Now().Before(due) {
			return true
		}
	}
}

// roundResult is the result of a round.
type roundResult struct {
	// sent are the mutations, with the error of each one that the API server has refused.
	sent      []string
	isRefused bool
	// due is the time of the next round if nothing changes; zero if there is none.
	due time.Time
	// isMissing is true if the round lacks a catalog or an image.
	isMissing bool
	// dueKeys are the syncs that are due again.
	dueKeys []string
}

// round runs apply-configuration on the objects of the cluster, and sends the mutations to the cluster as the manager.
func (r *roundsRunner) round(ctx context.Context, s *Story, m *Manager) (roundResult, error) {
	revision := s.Revision()
	output, options, err := r.reconcile(ctx, s)
	if err != nil {
		return roundResult{}, err
	}
	if r.number.Add(1) == r.compared {
		if err := r.compareDirectories(ctx, s, options, output); err != nil {
			return roundResult{}, err
		}
	}
	result := roundResult{isMissing: len(output.Missing.Catalogs)+len(output.Missing.Images) > 0}
	for _, each := range output.RunAgain.Syncs {
		result.due = earlier(result.due, each.At)
		result.dueKeys = append(result.dueKeys, fmt.Sprintf("%s %q at %s", each.Controller, each.Key, each.At.Format(time.TimeOnly)))
	}
	client, err := dynamic.NewForConfig(m.process.ClientConfig())
	if err != nil {
		return result, err
	}
	r.random.Shuffle(len(output.Requests), func(i, j int) { output.Requests[i], output.Requests[j] = output.Requests[j], output.Requests[i] })
	for i := range output.Requests {
		line := output.Requests[i].StringID()
		if err := send(ctx, client, &output.Requests[i]); err != nil { // the next round sends it again
			result.isRefused = true
			line += ": " + err.Error()
		}
		result.sent = append(result.sent, line)
	}
	r.seen.Store(revision)
	return result, nil
}

// reconcile runs apply-configuration, and returns the output and the options. If images are missing and registries have them, it adds the images
// and runs apply-configuration again.
func (r *roundsRunner) reconcile(ctx context.Context, s *Story) (*applyconfiguration.Output, applyconfiguration.Options, error) {
	options := applyconfiguration.Options{
		Controllers: []string{"*"}, Now: time.Now().Format(time.RFC3339Nano), Seed: r.random.Uint64(), Timeout: time.Hour,
		KubernetesVersion: scenario.DefaultKubernetesVersion, Cache: &r.cache,
	}
	if err := errors.Join(r.objects.update(ctx, s), r.content.update(ctx, s, r.objects.objects)); err != nil {
		return nil, options, err
	}
	for {
		output, err := applyconfiguration.Reconcile(ctx, r.objects.input(), r.content.files, options)
		if err != nil {
			return nil, options, errors.Join(err, ctx.Err())
		}
		isAdded, err := r.content.addImages(ctx, s, output.Missing.Images)
		if err != nil || !isAdded {
			return output, options, err
		}
	}
}

// earlier returns the earlier one of two times. A zero time is later than all others.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

var _ rounds = &roundsRunner{}
