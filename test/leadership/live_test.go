package leadership

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	configv1 "github.com/openshift/api/config/v1"

	"github.com/openshift/platform-operators/pkg/health"
	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/faults"
	"github.com/openshift/platform-operators/test/samples"
	"github.com/openshift/platform-operators/test/story"
)

// live and scaled are flags. The tests start a cluster and wait for leases to expire. "make test-long" uses the payload's timings, and
// "make test-sample" a tenth of them.
var (
	live   = flag.Bool("live", false, "start a cluster and wait for leases to expire; without it the tests are skipped")
	scaled = flag.Bool("scaled", false, "with -live: use a tenth of the payload's timings, and skip the test of refused lists")
)

const (
	pkg = "keeper"
	// convergenceTimeout is the time limit of waits that usually take seconds, on a busy machine.
	convergenceTimeout = time.Minute
	// degradedAfter is the time for which lists must be refused until the ClusterOperator is Degraded.
	degradedAfter = 2*time.Minute + health.WatchErrorExpiry
)

// managers has two managers, of which the first reaches the API server through a proxy, and their cluster.
type managers struct {
	env           *environment.Environment
	admin         *story.Admin
	proxy         *faults.Proxy
	first, second *environment.Manager
	timings       Timings
	// outage is the time for which the API server may be unreachable without the leader losing its lease, as library-go guarantees.
	outage time.Duration
}

const firstProgram, secondProgram = "manager-first", "manager-second"

// TestLeadership tests takeovers, an outage of the API server, refused lists and a lost lease, one after the other on one
// cluster.
func TestLeadership(t *testing.T) {
	if !*live {
		t.Skip("this test starts a cluster and takes a quarter of an hour; run make test-long, or pass -args -live")
	}
	p := &managers{timings: HighlyAvailable, outage: 78 * time.Second}
	if *scaled {
		p.timings, p.outage = HighlyAvailable.Scaled(10), 6*time.Second
	}
	p.start(t.Context(), t)
	t.Run("CLU-P12 a leader is killed, and another one stops", func(t *testing.T) { p.testTakeover(t.Context(), t) })
	if *scaled {
		t.Run("the API server is unreachable, and then the lease is lost", func(t *testing.T) {
			p.testOutage(t.Context(), t)
			p.testLostLease(t.Context(), t)
		})
		return
	}
	// Promise CLU-O5: The ClusterOperator does not change when the API server is away for 78 seconds or the lease is lost. It is Degraded
	// while lists of the manager are refused, and recovers.
	t.Run("CLU-O5 the API server is unreachable, lists are refused, and the lease is lost", func(t *testing.T) {
		p.testOutage(t.Context(), t)
		p.testRefusedLists(t.Context(), t)
		p.testLostLease(t.Context(), t)
	})
}

func (p *managers) start(ctx context.Context, t *testing.T) {
	t.Helper()
	dir, err := os.MkdirTemp("", "platform-operators-leadership-")
	if err != nil {
		t.Fatal(err)
	}
	p.env, err = environment.Start(ctx, environment.Options{
		Dir: dir, Log: t.Output(), OpenShiftVersion: story.ClusterVersion, AuditLog: true, WithoutManager: true,
		Samples: []samples.Operator{{Package: pkg, Version: "1.0.0"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := errors.Join(p.first.Stop(), p.second.Stop(), p.env.Stop())
		p.proxy.Close()
		if err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("the logs are in %s", dir)
		} else if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if p.admin, err = story.NewAdmin(p.env); err != nil {
		t.Fatal(err)
	}
	p.first = p.manager(ctx, t, environment.AnotherOptions{Name: firstProgram, InFront: func(admin *rest.Config) (_ *rest.Config, err error) {
		if p.proxy, err = faults.NewAPIServerProxy(admin); err != nil {
			return nil, err
		}
		return &rest.Config{Host: p.proxy.URL(), TLSClientConfig: rest.TLSClientConfig{CAData: p.proxy.CABundle()}}, nil
	}})
	p.second = p.manager(ctx, t, environment.AnotherOptions{Name: secondProgram})
	if err := p.first.Start(); err != nil {
		t.Fatal(err)
	}
	p.waitForNewHolder(ctx, t, Lease{}, 0)
	if err := p.admin.Create(ctx, pkg, ""); err != nil {
		t.Fatal(err)
	}
	eventually(ctx, t, convergenceTimeout, func() error { return p.admin.Installed(ctx, pkg, "1.0.0") })
	eventually(ctx, t, 2*convergenceTimeout, func() error { // the StatusSyncer runs once a minute
		_, err := p.admin.ClusterOperatorHas(ctx, configv1.OperatorProgressing, configv1.ConditionFalse)
		return err
	})
}

func (p *managers) manager(ctx context.Context, t *testing.T, options environment.AnotherOptions) *environment.Manager {
	t.Helper()
	if p.timings != HighlyAvailable { // the manager has these timings by default, as in the payload
		options.Args = append(options.Args, p.timings.Args()...)
	}
	manager, err := p.env.Another(ctx, options)
	if err != nil {
		t.Fatal(err)
	}
	return manager
}

// expectTransitions starts to record the ClusterOperator's transitions. check fails the test unless they are exactly the wanted ones, each
// as "Type=Status".
func (p *managers) expectTransitions(ctx context.Context, t *testing.T) (check func(want ...string)) {
	t.Helper()
	recorder, err := RecordConditions(ctx, p.admin.Config, story.ClusterOperatorName)
	if err != nil {
		t.Fatal(err)
	}
	return func(want ...string) {
		t.Helper()
		transitions, err := recorder.Stop()
		if err != nil {
			t.Error(err)
		}
		var got []string
		for _, move := range transitions {
			got = append(got, move[:strings.Index(move, " ")])
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("the ClusterOperator's transitions are %q, want %q:\n%s", got, want, strings.Join(transitions, "\n"))
		}
	}
}

// waitForNewHolder waits until a manager other than the holder of before holds the lease, and returns the lease. It fails the test after
// within and convergenceTimeout, or if the lease does not have the expected duration.
func (p *managers) waitForNewHolder(ctx context.Context, t *testing.T, before Lease, within time.Duration) Lease {
	t.Helper()
	var now Lease
	eventually(ctx, t, within+convergenceTimeout, func() (err error) {
		if now, err = ReadLease(ctx, p.admin.Kubernetes); err != nil {
			return err
		}
		if now.Holder == "" || now.Holder == before.Holder {
			return fmt.Errorf("the lease is still held by %q", now.Holder)
		}
		return nil
	})
	if now.Duration != p.timings.Lease {
		t.Errorf("the lease duration is %s, want %s", now.Duration, p.timings.Lease)
	}
	return now
}

// waitForLeaseRequest waits until the manager with this program name has requested the lease since after.
func (p *managers) waitForLeaseRequest(ctx context.Context, t *testing.T, program string, after time.Time) {
	t.Helper()
	eventually(ctx, t, convergenceTimeout, func() error {
		for _, each := range p.requests(t, program, after) {
			if each.Resource == "leases" {
				return nil
			}
		}
		return fmt.Errorf("%s has not requested the lease", program)
	})
}

func (p *managers) requests(t *testing.T, program string, after time.Time) []AuditedRequest {
	t.Helper()
	requests, err := Requests(p.env.AuditLog, program, after)
	if err != nil {
		t.Fatal(err)
	}
	return requests
}

// startSecond starts the second manager and waits until it requests the lease. It returns the time of the start and the lease, which the
// first manager holds.
func (p *managers) startSecond(ctx context.Context, t *testing.T) (time.Time, Lease) {
	t.Helper()
	began := time.Now()
	if err := p.second.Start(); err != nil {
		t.Fatal(err)
	}
	p.waitForLeaseRequest(ctx, t, secondProgram, began)
	held, err := ReadLease(ctx, p.admin.Kubernetes)
	if err != nil {
		t.Fatal(err)
	}
	return began, held
}

// expectRepair deletes a Service of the installed operator, and waits until a manager creates it again.
func (p *managers) expectRepair(ctx context.Context, t *testing.T) {
	t.Helper()
	services := p.admin.Kubernetes.CoreV1().Services(pkg)
	if err := services.Delete(ctx, pkg+"-metrics", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(ctx, t, 2*convergenceTimeout, func() error {
		_, err := services.Get(ctx, pkg+"-metrics", metav1.GetOptions{})
		return err
	})
}

// testTakeover kills the first manager, starts it again and stops the second one. At the end the first manager is the leader, and the
// second one does not run.
func (p *managers) testTakeover(ctx context.Context, t *testing.T) {
	check := p.expectTransitions(ctx, t)
	began, before := p.startSecond(ctx, t)
	killed := time.Now()
	if err := p.first.Kill(); err != nil {
		t.Fatal(err)
	}
	acquired := p.waitForNewHolder(ctx, t, before, p.timings.AfterCrash())
	checkDuration(t, "takeover-from-killed-leader", acquired.Acquired.Sub(killed), p.timings.AfterCrash())
	if early := killed.Add(p.timings.Lease - p.timings.AfterRelease()); acquired.Acquired.Before(early) {
		t.Errorf("the lease was acquired before it had expired")
	}
	p.expectRepair(ctx, t)
	p.checkNoOverlap(t, firstProgram, secondProgram, began)

	restarted := time.Now()
	if err := p.first.Start(); err != nil {
		t.Fatal(err)
	}
	p.waitForLeaseRequest(ctx, t, firstProgram, restarted)
	stopped := time.Now()
	if err := p.second.Stop(); err != nil {
		t.Fatal(err)
	}
	released := p.waitForNewHolder(ctx, t, acquired, p.timings.AfterRelease())
	checkDuration(t, "takeover-from-stopped-leader", released.Acquired.Sub(stopped), p.timings.AfterRelease())
	p.expectRepair(ctx, t)
	p.checkNoOverlap(t, secondProgram, firstProgram, restarted)
	check()
}

func checkDuration(t *testing.T, what string, was, most time.Duration) {
	t.Helper()
	t.Attr(what, fmt.Sprintf("after %.1f s of at most %.1f s", was.Seconds(), most.Seconds()))
	if was > most+5*time.Second { // for the duration of requests
		t.Errorf("%s took %s, want at most %s", what, was, most)
	}
}

func (p *managers) checkNoOverlap(t *testing.T, earlier, later string, after time.Time) {
	t.Helper()
	earlierWrites, writes := Writes(p.requests(t, earlier, after)), Writes(p.requests(t, later, after))
	if err := CheckNoOverlap(earlierWrites, writes); err != nil {
		t.Error(err)
	}
	if len(writes) == 0 {
		t.Errorf("%s has written nothing, so that the test shows nothing", later)
	}
}

// testOutage makes the API server unreachable for the first manager for as long as the timings allow, and asserts that the manager keeps
// its lease.
func (p *managers) testOutage(ctx context.Context, t *testing.T) {
	check := p.expectTransitions(ctx, t)
	before, err := ReadLease(ctx, p.admin.Kubernetes)
	if err != nil {
		t.Fatal(err)
	}
	outageFault := p.proxy.Inject(faults.Fault{On: func(faults.Request) bool { return true }, Times: faults.Always, Do: faults.Reset()})
	p.proxy.CloseWatches()
	wait(ctx, t, p.outage)
	outageFault.Remove()
	if len(outageFault.Affected()) == 0 {
		t.Error("the manager sent no request during the outage, so that the test shows nothing")
	}
	eventually(ctx, t, 2*convergenceTimeout, func() error {
		now, err := ReadLease(ctx, p.admin.Kubernetes)
		if err == nil && !now.Renewed.After(before.Renewed.Add(p.outage)) {
			err = fmt.Errorf("the lease was last renewed at %s", now.Renewed)
		}
		return err
	})
	p.expectRepair(ctx, t)
	wait(ctx, t, convergenceTimeout) // the manager may write what it could not write during the outage
	now, err := ReadLease(ctx, p.admin.Kubernetes)
	if err != nil {
		t.Fatal(err)
	}
	if now.Holder != before.Holder || now.Transitions != before.Transitions {
		t.Errorf("the lease changed from %+v to %+v", before, now)
	}
	check()
}

// testRefusedLists refuses lists of the manager's own kinds until the ClusterOperator is Degraded, and then permits them until it is not.
func (p *managers) testRefusedLists(ctx context.Context, t *testing.T) {
	check := p.expectTransitions(ctx, t)
	of := func(r faults.Request) bool {
		return (r.Verb == "list" || r.Verb == "watch") && (r.Resource == "platformoperators" || r.Resource == "bundledeployments")
	}
	refused := p.proxy.Inject(faults.Fault{On: of, Times: faults.Always, Do: faults.Refuse(http.StatusForbidden, metav1.StatusReasonForbidden, 0)})
	began := time.Now()
	p.proxy.CloseWatches()
	var degraded *configv1.ClusterOperatorStatusCondition
	eventually(ctx, t, degradedAfter+4*convergenceTimeout, func() (err error) {
		degraded, err = p.admin.ClusterOperatorHas(ctx, configv1.OperatorDegraded, configv1.ConditionTrue)
		return err
	})
	t.Logf("Degraded after %.0f s: %s: %s", time.Since(began).Seconds(), degraded.Reason, degraded.Message)
	if time.Since(began) < degradedAfter {
		t.Errorf("the ClusterOperator was Degraded after %s already, which is too early", time.Since(began))
	}
	if want := "Watches_InstalledOperatorsNotListed"; degraded.Reason != want {
		t.Errorf("Degraded has reason %s, want %s: %s", degraded.Reason, want, degraded.Message)
	}
	for _, resource := range []string{"platformoperators: ", "bundledeployments: "} {
		if !strings.Contains(degraded.Message, resource) {
			t.Errorf("the message of Degraded does not name %q: %s", resource, degraded.Message)
		}
	}
	refused.Remove()
	eventually(ctx, t, 5*convergenceTimeout, func() error {
		_, err := p.admin.ClusterOperatorHas(ctx, configv1.OperatorDegraded, configv1.ConditionFalse)
		return err
	})
	p.expectRepair(ctx, t)
	check("Degraded=True", "Degraded=False")
}

// testLostLease makes the leader's renewals fail until it loses the lease and the other manager takes over.
func (p *managers) testLostLease(ctx context.Context, t *testing.T) {
	check := p.expectTransitions(ctx, t)
	began, before := p.startSecond(ctx, t)
	p.proxy.Inject(faults.Fault{On: faults.To("", "leases"), Times: faults.Always, Do: faults.Refuse(http.StatusInternalServerError, metav1.StatusReasonInternalError, 0)})
	defer p.proxy.RemoveAll()
	select {
	case <-p.first.Exited():
	case <-time.After(p.timings.Renew + p.timings.AfterRelease() + convergenceTimeout):
		t.Fatal("a leader that cannot renew its lease does not exit")
	}
	log, err := os.ReadFile(p.first.LogFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, why := range []string{"refused by the fault harness", "leader election lost"} {
		if !strings.Contains(string(log), why) {
			t.Errorf("the log %s does not contain %q", p.first.LogFile, why)
		}
	}
	p.waitForNewHolder(ctx, t, before, p.timings.AfterCrash())
	p.expectRepair(ctx, t)
	p.checkNoOverlap(t, firstProgram, secondProgram, began)
	wait(ctx, t, convergenceTimeout) // the new leader writes its status within a minute
	check()
}

func wait(ctx context.Context, t *testing.T, d time.Duration) {
	t.Helper()
	select {
	case <-ctx.Done():
		t.Fatal(ctx.Err())
	case <-time.After(d):
	}
}

// eventually calls check until it returns no error. It fails the test when the time limit or ctx ends.
func eventually(ctx context.Context, t *testing.T, within time.Duration, check func() error) {
	t.Helper()
	deadline, tick := time.After(within), time.NewTicker(200*time.Millisecond)
	defer tick.Stop()
	for {
		err := check()
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("%v: %v", ctx.Err(), err)
		case <-deadline:
			t.Fatalf("within %s: %v", within, err)
		case <-tick.C:
		}
	}
}
