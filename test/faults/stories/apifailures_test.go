package stories

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/platform-operators/test/faults"
)

// apiFailure is a failure of the API server while a BundleDeployment goes through its phases.
type apiFailure struct {
	name string
	// faults are injected at the start of each phase. A fault without Nth affects the first request.
	faults []faults.Fault
	// periodically is called in each phase, at intervals, until as many calls as times have returned more than 0. It returns the number of
	// watches that it ended. It may be nil.
	periodically func(h *harness) int
	times        int
	// discovery is an API group whose discovery fails for some seconds. If it is empty, discovery does not fail. unrelated is whether the
	// bundle has no object of the group, so that the manager may never request it.
	discovery string
	unrelated bool
}

const (
	// failedRequests is the number of consecutive requests that fail. The status reports a fault that lasts for three syncs.
	failedRequests = 5
	// throttledRequests is the number of consecutive requests that get Retry-After. The client waits for a second each time.
	throttledRequests = 3
	// resetConnections is the number of consecutive connections that are reset. Each reset ends all watches, and reflectors
	// back off.
	resetConnections = 2
	// watchCloses is the number of times that the test ends all watches. A reflector backs off if its watch ends within a second, so that
	// watchCloseInterval is longer.
	watchCloses        = 5
	watchCloseInterval = 1100 * time.Millisecond
)

func apiFailures() []apiFailure {
	several := func(times int, action faults.Action) []faults.Fault {
		return []faults.Fault{{On: faults.EngineWrites, Nth: 2, Times: times, Do: action}}
	}
	writes := func(action faults.Action) []faults.Fault { return several(failedRequests, action) }
	all := func(r faults.Request) bool { return r.Resource != "" && r.Verb != "watch" && faults.EngineRequests(r) }
	every := func(times int, action faults.Action) []faults.Fault {
		return []faults.Fault{{On: all, Times: times, Do: action}, {On: faults.EngineWrites, Nth: 5, Times: times, Do: action}}
	}
	tooOld := func(resources ...string) (each []faults.Fault) {
		for _, resource := range resources { // once for each resource, because a reflector's back-off grows to a minute
			each = append(each, faults.Fault{On: faults.Watches(resource), Do: faults.ExpireWatch()})
		}
		return each
	}
	return []apiFailure{
		{name: "409 for writes", faults: writes(faults.Refuse(http.StatusConflict, metav1.StatusReasonConflict, 0))},
		{name: "429 with Retry-After for all requests", faults: every(throttledRequests, faults.Refuse(http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests, 1))},
		{name: "500 for all requests", faults: every(failedRequests, faults.Refuse(http.StatusInternalServerError, metav1.StatusReasonInternalError, 0))},
		{name: "503 for all requests", faults: every(failedRequests, faults.Refuse(http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable, 0))},
		{name: "504 for writes that are not forwarded", faults: writes(faults.Refuse(http.StatusGatewayTimeout, metav1.StatusReasonTimeout, 0))},
		{name: "504 for writes that are forwarded", faults: writes(faults.After(faults.Refuse(http.StatusGatewayTimeout, metav1.StatusReasonTimeout, 0)))},
		{name: "connections reset before the write", faults: several(resetConnections, faults.Reset())},
		{name: "connections reset after the write", faults: several(resetConnections, faults.After(faults.Reset()))},
		{name: "truncated responses", faults: several(resetConnections, faults.Truncate(20))},
		{name: "duplicate writes", faults: []faults.Fault{{On: faults.EngineWrites, Times: faults.Always, Do: faults.ForwardTwice()}}},
		{name: "slow responses", faults: []faults.Fault{{On: faults.EngineWrites, Times: faults.Always, Do: faults.Delay(200*time.Millisecond, faults.Forward())}}},
		{name: "no response for four seconds", faults: []faults.Fault{{On: faults.EngineWrites, Nth: 3, Times: 2, Do: faults.Delay(4*time.Second, faults.Reset())}}},
		{name: "watches closed", periodically: func(h *harness) int { return h.proxy.CloseWatches() }, times: watchCloses},
		{name: "resourceVersion too old", faults: tooOld("bundledeployments", "configmaps", "deployments", "services"),
			periodically: func(h *harness) int { return h.proxy.CloseWatches() }, times: 1},
		{name: "discovery of a built-in group of the bundle fails", discovery: "apps"},
		{name: "discovery of a CRD's group of the bundle fails", discovery: "monitoring.coreos.com"},
		{name: "discovery of an unrelated group fails", discovery: "storage.k8s.io", unrelated: true},
	}
}

// TestENG_D11_APIServerFailures goes through install, upgrade, repair and removal while the API server fails.
//
// Promise ENG-D11: Install, upgrade, repair and removal converge while the API server answers with 409, 429, 500, 503 or 504, cuts
// connections, closes watches or fails discovery. Status is untrue for at most one second, or 20 seconds where drift is not seen yet.
func TestENG_D11_APIServerFailures(t *testing.T) {
	_, h := requireLevel(t, "sample")
	for i, each := range sampled(apiFailures(), sampleAPIFailures) {
		t.Run(each.name, func(t *testing.T) { h.runWithFailure(t.Context(), t, fmt.Sprintf("%s-t%d", pkg, i), each) })
		if t.Failed() {
			break
		}
	}
}

// TestARefusedWrite refuses two writes in each phase. It is the case that "make test-faults" runs.
func TestARefusedWrite(t *testing.T) {
	ctx, h := requireLevel(t, "quick")
	refuse := faults.Refuse(http.StatusInternalServerError, metav1.StatusReasonInternalError, 0)
	h.runWithFailure(ctx, t, pkg+"-refused", apiFailure{name: "500", faults: []faults.Fault{{On: faults.EngineWrites, Nth: 4, Times: 2, Do: refuse}}})
}

// runWithFailure runs all phases except downgrade and rollback with a failure of the API server. It fails the test if the failure affects
// no request in a phase.
func (h *harness) runWithFailure(ctx context.Context, t *testing.T, name string, apiFailure apiFailure) {
	t.Helper()
	h.removeAfterTest(t, name)
	// A reflector resets its back-off only after two minutes without errors. Restarting the manager keeps the back-off of one
	// test from delaying the next.
	if err := errors.Join(h.kill(), h.ensureRunning()); err != nil {
		t.Fatal(err)
	}
	var longest time.Duration
	for _, phase := range phases(t, h) {
		if phase.name == downgrade || phase.name == rollback {
			continue // the API server gets the same requests as for an upgrade
		}
		var injections []*faults.Injection
		for _, fault := range apiFailure.faults {
			injections = append(injections, h.proxy.Inject(fault))
		}
		stopFailure := h.startBackgroundFailure(t, apiFailure)
		monitor := h.inspector.MonitorStatus(ctx, name, phase.tolerance)
		began := time.Now()
		err := h.runPhase(ctx, phase, name)
		count := stopFailure()
		err = errors.Join(err, monitor.Stop())
		affected := 0
		for _, injection := range injections {
			injection.Remove()
			affected += len(injection.Affected())
		}
		t.Logf("%s took %s; %d requests failed, %d watches were ended or discovery requests failed; the status was false for %s at most", phase.name,
			time.Since(began).Round(100*time.Millisecond), affected, count, monitor.MaxLag().Round(100*time.Millisecond))
		longest = max(longest, monitor.MaxLag())
		if err != nil {
			t.Fatalf("%s: %v\nthe last writes: %s", phase.name, err, lastWrites(h.proxy.Writes(0)))
		}
		if len(apiFailure.faults) > 0 && affected == 0 {
			t.Errorf("%s: the faults affected no request", phase.name)
		}
		if (apiFailure.periodically != nil || apiFailure.discovery != "" && !apiFailure.unrelated) && count == 0 {
			t.Errorf("%s: no watch was ended and no discovery request failed", phase.name)
		}
	}
	t.Attr("longest-false-status", longest.Round(100*time.Millisecond).String())
}

// startBackgroundFailure starts the part of a failure that is not a Fault. If discovery is to fail, it kills the manager, which caches
// discovery; the test starts the manager again. Discovery recovers some seconds after its first failed request. stopFailure ends the
// failure and returns the number of failed discovery requests or ended watches.
func (h *harness) startBackgroundFailure(t *testing.T, apiFailure apiFailure) (stopFailure func() int) {
	t.Helper()
	if apiFailure.discovery != "" {
		failing, restore := h.proxy.FailDiscovery(apiFailure.discovery)
		if err := h.kill(); err != nil { // eventually starts it again
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go restoreDiscovery(failing, restore, ended)
		return func() int {
			close(ended)
			restore()
			return len(failing.Affected())
		}
	}
	if apiFailure.periodically == nil {
		return func() int { return 0 }
	}
	done, affected := make(chan struct{}), make(chan int, 1)
	go func() {
		ticker := time.NewTicker(watchCloseInterval)
		defer ticker.Stop()
		total := 0
		defer func() { affected <- total }()
		for times := 0; times < apiFailure.times; {
			if did := apiFailure.periodically(h); did > 0 {
				total, times = total+did, times+1
			}
			select {
			case <-done:
				return
			case <-ticker.C:
			}
		}
	}()
	return func() int {
		close(done)
		return <-affected
	}
}

// restoreDiscovery restores discovery five seconds after the first failed request, because the manager's start takes different times on
// different machines. It returns early, without restoring discovery, when ended is closed.
func restoreDiscovery(failing *faults.Injection, restore func(), ended <-chan struct{}) {
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for len(failing.Affected()) == 0 {
		select {
		case <-ended:
			return
		case <-ticker.C:
		}
	}
	select {
	case <-ended:
	case <-time.After(5 * time.Second):
		restore()
	}
}
