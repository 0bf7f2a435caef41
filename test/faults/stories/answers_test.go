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

// trouble is something that is wrong with the API server while a BundleDeployment goes through its life.
type trouble struct {
	name string
	// faults are in place in each saga; one that names no Nth strikes from the first request on.
	faults []faults.Fault
	// meanwhile is called in each saga from its beginning, until it has done something this many times; it says how much. nil
	// is nothing.
	meanwhile func(h *harness) int
	times     int
	// discovery of this group fails for a while; empty is none. The manager need not ask for a group that is nobody's.
	discovery string
	nobodys   bool
}

const (
	// aFew requests in a row fail: status tells of a fault that lasts for three syncs.
	aFew = 5
	// waits are how many requests in a row are told to come again in a second: the client does, so that the engine only waits.
	waits = 3
	// cuts are how many connections in a row: each takes all watches along, and reflectors wait ever longer.
	cuts = 2
	// aWhile is how often watches are ended, and between how long they last: a watch that ends within a second has a reflector
	// wait ever longer for the next one.
	aWhile  = 5
	between = 1100 * time.Millisecond
)

func troubles() []trouble {
	several := func(times int, act faults.Act) []faults.Fault {
		return []faults.Fault{{On: faults.EngineWrites, Nth: 2, Times: times, Do: act}}
	}
	writes := func(act faults.Act) []faults.Fault { return several(aFew, act) }
	all := func(r faults.Request) bool { return r.Resource != "" && r.Verb != "watch" && faults.EngineRequests(r) }
	every := func(times int, act faults.Act) []faults.Fault {
		return []faults.Fault{{On: all, Times: times, Do: act}, {On: faults.EngineWrites, Nth: 5, Times: times, Do: act}}
	}
	tooOld := func(resources ...string) (each []faults.Fault) {
		for _, resource := range resources { // once each: a reflector that it meets again and again waits up to a minute
			each = append(each, faults.Fault{On: faults.Watches(resource), Do: faults.TooOld()})
		}
		return each
	}
	return []trouble{
		{name: "409 to writes", faults: writes(faults.Refuse(http.StatusConflict, metav1.StatusReasonConflict, 0))},
		{name: "429 with Retry-After to anything", faults: every(waits, faults.Refuse(http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests, 1))},
		{name: "500 to anything", faults: every(aFew, faults.Refuse(http.StatusInternalServerError, metav1.StatusReasonInternalError, 0))},
		{name: "503 to anything", faults: every(aFew, faults.Refuse(http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable, 0))},
		{name: "504 to writes that have not gone through", faults: writes(faults.Refuse(http.StatusGatewayTimeout, metav1.StatusReasonTimeout, 0))},
		{name: "504 to writes that have", faults: writes(faults.After(faults.Refuse(http.StatusGatewayTimeout, metav1.StatusReasonTimeout, 0)))},
		{name: "connections reset before the write", faults: several(cuts, faults.Reset())},
		{name: "connections reset after the write", faults: several(cuts, faults.After(faults.Reset()))},
		{name: "answers that end in the middle", faults: several(cuts, faults.Cut(20))},
		{name: "writes that arrive twice", faults: []faults.Fault{{On: faults.EngineWrites, Times: faults.Always, Do: faults.Twice()}}},
		{name: "slow answers", faults: []faults.Fault{{On: faults.EngineWrites, Times: faults.Always, Do: faults.Delay(200*time.Millisecond, faults.Pass())}}},
		{name: "no answer for a while", faults: []faults.Fault{{On: faults.EngineWrites, Nth: 3, Times: 2, Do: faults.Delay(4*time.Second, faults.Reset())}}},
		{name: "watches closed", meanwhile: func(h *harness) int { return h.proxy.CloseWatches() }, times: aWhile},
		{name: "resourceVersion too old", faults: tooOld("bundledeployments", "configmaps", "deployments", "services"),
			meanwhile: func(h *harness) int { return h.proxy.CloseWatches() }, times: 1},
		{name: "discovery of a group of the bundle failing", discovery: "apps"},
		{name: "discovery of a group of the bundle's own kinds failing", discovery: "monitoring.coreos.com"},
		{name: "discovery of a group of nobody's failing", discovery: "storage.k8s.io", nobodys: true},
	}
}

// TestENG_D11_TheAPIServerInTrouble goes through install, upgrade, repair and removal while the API server fails.
//
// Promise ENG-D11: Install, upgrade, repair and removal converge while the API server answers with 409, 429, 500, 503 or 504, cuts
// connections, closes watches or fails discovery. Status is untrue for at most one second, or 20 seconds where drift is not seen yet.
func TestENG_D11_TheAPIServerInTrouble(t *testing.T) {
	_, h := needs(t, "sample")
	for i, each := range sampled(troubles(), sampleTroubles) {
		t.Run(each.name, func(t *testing.T) { h.endure(t.Context(), t, fmt.Sprintf("%s-t%d", pkg, i), each) })
		if t.Failed() {
			break
		}
	}
}

// TestARefusedWrite is what make test-faults tries of it.
func TestARefusedWrite(t *testing.T) {
	ctx, h := needs(t, "quick")
	refuse := faults.Refuse(http.StatusInternalServerError, metav1.StatusReasonInternalError, 0)
	h.endure(ctx, t, pkg+"-refused", trouble{name: "500", faults: []faults.Fault{{On: faults.EngineWrites, Nth: 4, Times: 2, Do: refuse}}})
}

// endure lives a life in trouble, which has to strike in each saga.
func (h *harness) endure(ctx context.Context, t *testing.T, name string, trouble trouble) {
	t.Helper()
	h.cleared(t, name)
	// What watches for the manager forgets how long it has to wait for the next try only after two minutes without trouble: the
	// waits of one story would be the next one's.
	if err := errors.Join(h.kill(), h.alive()); err != nil {
		t.Fatal(err)
	}
	var longest time.Duration
	for _, chapter := range sagas(t, h) {
		if chapter.name == goingBack || chapter.name == rollback {
			continue // as far as answers go it is an upgrade
		}
		var injections []*faults.Injection
		for _, fault := range trouble.faults {
			injections = append(injections, h.proxy.Inject(fault))
		}
		relief := h.begins(t, trouble)
		witness := h.estate.Witness(ctx, name, chapter.patience)
		began := time.Now()
		err := h.through(ctx, chapter, name)
		count := relief()
		err = errors.Join(err, witness.Stop())
		struck := 0
		for _, injection := range injections {
			injection.Lift()
			struck += len(injection.Struck())
		}
		t.Logf("%s took %s; %d requests failed, %d watches were ended or questions refused; status was behind for %s at most", chapter.name,
			time.Since(began).Round(100*time.Millisecond), struck, count, witness.Behind().Round(100*time.Millisecond))
		longest = max(longest, witness.Behind())
		if err != nil {
			t.Fatalf("%s: %v\nthe last writes: %s", chapter.name, err, tail(h.proxy.Writes(0)))
		}
		if len(trouble.faults) > 0 && struck == 0 {
			t.Errorf("%s: none of the faults has happened", chapter.name)
		}
		if (trouble.meanwhile != nil || trouble.discovery != "" && !trouble.nobodys) && count == 0 {
			t.Errorf("%s: no watch was ended, or nobody asked for what was not to be discovered", chapter.name)
		}
	}
	t.Attr("status-behind-at-most", longest.Round(100*time.Millisecond).String())
}

// begins starts the part of a trouble that is not about single requests. The manager starts anew where discovery is to fail,
// because what it has discovered it keeps. Discovery recovers by itself some seconds after it was asked for; the rest goes on until
// relief, which says how often it struck.
func (h *harness) begins(t *testing.T, trouble trouble) (relief func() int) {
	t.Helper()
	if trouble.discovery != "" {
		failing, lift := h.proxy.FailDiscovery(trouble.discovery)
		if err := h.kill(); err != nil { // whoever waits for the saga's end starts it again
			t.Fatal(err)
		}
		over := make(chan struct{})
		go recovers(failing, lift, over)
		return func() int {
			close(over)
			lift()
			return len(failing.Struck())
		}
	}
	if trouble.meanwhile == nil {
		return func() int { return 0 }
	}
	done, struck := make(chan struct{}), make(chan int, 1)
	go func() {
		ticker := time.NewTicker(between)
		defer ticker.Stop()
		total := 0
		defer func() { struck <- total }()
		for times := 0; times < trouble.times; {
			if did := trouble.meanwhile(h); did > 0 {
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
		return <-struck
	}
}

// recovers has discovery work again some seconds after it was first asked for: how long a manager takes to start and to ask depends on
// the machine.
func recovers(failing *faults.Injection, lift func(), over <-chan struct{}) {
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for len(failing.Struck()) == 0 {
		select {
		case <-over:
			return
		case <-ticker.C:
		}
	}
	select {
	case <-over:
	case <-time.After(5 * time.Second):
		lift()
	}
}
