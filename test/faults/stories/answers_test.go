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
	// meanwhile is called again and again in each saga; nil is nothing.
	meanwhile func(h *harness)
	// discovery of this group fails for a while; empty is none.
	discovery string
}

const (
	// aFew requests in a row fail: status tells of a fault that lasts for three syncs.
	aFew = 5
	// cuts are how many connections in a row: each takes all watches along, and reflectors wait ever longer.
	cuts = 2
)

func troubles() []trouble {
	several := func(times int, act faults.Act) []faults.Fault {
		return []faults.Fault{{On: faults.EngineWrites, Nth: 2, Times: times, Do: act}}
	}
	writes := func(act faults.Act) []faults.Fault { return several(aFew, act) }
	all := func(r faults.Request) bool { return r.Resource != "" && r.Verb != "watch" && faults.EngineRequests(r) }
	every := func(act faults.Act) []faults.Fault {
		return []faults.Fault{{On: all, Times: aFew, Do: act}, {On: faults.EngineWrites, Nth: 5, Times: aFew, Do: act}}
	}
	return []trouble{
		{name: "409 to writes", faults: writes(faults.Refuse(http.StatusConflict, metav1.StatusReasonConflict, 0))},
		{name: "429 with Retry-After to anything", faults: every(faults.Refuse(http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests, 1))},
		{name: "500 to anything", faults: every(faults.Refuse(http.StatusInternalServerError, metav1.StatusReasonInternalError, 0))},
		{name: "503 to anything", faults: every(faults.Refuse(http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable, 0))},
		{name: "504 to writes that have not gone through", faults: writes(faults.Refuse(http.StatusGatewayTimeout, metav1.StatusReasonTimeout, 0))},
		{name: "504 to writes that have", faults: writes(faults.After(faults.Refuse(http.StatusGatewayTimeout, metav1.StatusReasonTimeout, 0)))},
		{name: "connections reset before the write", faults: several(cuts, faults.Reset())},
		{name: "connections reset after the write", faults: several(cuts, faults.After(faults.Reset()))},
		{name: "answers that end in the middle", faults: several(cuts, faults.Cut(20))},
		{name: "writes that arrive twice", faults: []faults.Fault{{On: faults.EngineWrites, Times: faults.Always, Do: faults.Twice()}}},
		{name: "slow answers", faults: []faults.Fault{{On: faults.EngineWrites, Times: faults.Always, Do: faults.Delay(200*time.Millisecond, faults.Pass())}}},
		{name: "no answer for a while", faults: []faults.Fault{{On: faults.EngineWrites, Nth: 3, Times: 2, Do: faults.Delay(5*time.Second, faults.Reset())}}},
		{name: "watches closed", meanwhile: func(h *harness) { h.proxy.CloseWatches() }},
		{name: "resourceVersion too old", faults: []faults.Fault{{On: faults.Watches(""), Times: 40, Do: faults.TooOld()}},
			meanwhile: func(h *harness) { h.proxy.CloseWatches() }},
		{name: "discovery of a group of the bundle failing", discovery: "apps"},
		{name: "discovery of a group of the bundle's own kinds failing", discovery: "monitoring.coreos.com"},
		{name: "discovery of a group of nobody's failing", discovery: "storage.k8s.io"},
	}
}

// TestENG_D11_TheAPIServerInTrouble goes through install, upgrade and removal while the API server fails.
func TestENG_D11_TheAPIServerInTrouble(t *testing.T) {
	_, h := needs(t, "long")
	for i, each := range troubles() {
		t.Run(each.name, func(t *testing.T) { h.endure(t.Context(), t, fmt.Sprintf("%s-t%d", pkg, i), each) })
		if t.Failed() {
			break
		}
	}
}

// TestARefusedWrite is what make test-integration tries of it.
func TestARefusedWrite(t *testing.T) {
	ctx, h := needs(t, "quick")
	refuse := faults.Refuse(http.StatusInternalServerError, metav1.StatusReasonInternalError, 0)
	h.endure(ctx, t, pkg+"-refused", trouble{name: "500", faults: []faults.Fault{{On: faults.EngineWrites, Nth: 4, Times: 2, Do: refuse}}})
}

// endure lives a life in trouble.
func (h *harness) endure(ctx context.Context, t *testing.T, name string, trouble trouble) {
	t.Helper()
	h.cleared(t, name)
	struck := 0
	for _, chapter := range sagas(t, h) {
		if chapter.name == goingBack || chapter.name == rollback {
			continue // as far as answers go it is an upgrade
		}
		var injections []*faults.Injection
		for _, fault := range trouble.faults {
			injections = append(injections, h.proxy.Inject(fault))
		}
		relief := h.begins(trouble)
		witness := h.estate.Witness(ctx, name)
		err := h.through(ctx, chapter, name)
		relief()
		err = errors.Join(err, witness.Stop())
		for _, injection := range injections {
			injection.Lift()
			struck += len(injection.Struck())
		}
		if err != nil {
			t.Fatalf("%s: %v\nthe last writes: %s", chapter.name, err, tail(h.proxy.Writes(0)))
		}
	}
	if len(trouble.faults) > 0 && struck == 0 {
		t.Error("none of the faults has happened")
	}
}

// begins starts the part of a trouble that is not about single requests. The manager starts anew where discovery is to fail,
// because what it has discovered it keeps. Discovery recovers by itself after some seconds; the rest goes on until relief.
func (h *harness) begins(trouble trouble) (relief func()) {
	done := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if trouble.discovery != "" {
			lift := h.proxy.FailDiscovery(trouble.discovery)
			defer lift()
			_ = h.kill() // whoever waits for the saga's end starts it again
			select {
			case <-done:
			case <-time.After(5 * time.Second):
			}
			return
		}
		if trouble.meanwhile == nil {
			return
		}
		ticker := time.NewTicker(300 * time.Millisecond)
		defer ticker.Stop()
		for count := 0; count < 20; count++ {
			select {
			case <-done:
				return
			case <-ticker.C:
				trouble.meanwhile(h)
			}
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}
