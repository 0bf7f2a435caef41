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

// The tests start a cluster and wait for as long as leases last: "make test-long" for the payload's, "make test-sample" for a
// tenth of that.
var (
	live   = flag.Bool("live", false, "start a cluster, and wait for as long as leases last; otherwise those tests are skipped")
	scaled = flag.Bool("scaled", false, "with -live: leases of a tenth of the payload's durations, and no test of refused lists")
)

const (
	pkg = "keeper"
	// soon is how long what comes within seconds may take on a busy machine.
	soon = time.Minute
	// inertia is how long refused lists are kept from the ClusterOperator.
	inertia = 2*time.Minute + health.WatchErrorExpiry
)

// pair are two managers, of which the first reaches the API server through a proxy.
type pair struct {
	env           *environment.Environment
	admin         *story.Admin
	proxy         *faults.Proxy
	first, second *environment.Manager
	timings       Timings
	// outage is how long the API server may be away without anybody losing a lease: library-go's tolerance.
	outage time.Duration
}

const firstProgram, secondProgram = "manager-first", "manager-second"

// TestLeadership goes through what may become of a leader, one after the other upon one cluster, with the payload's timings.
func TestLeadership(t *testing.T) {
	if !*live {
		t.Skip("this test starts a cluster and takes a quarter of an hour: make test-long runs it, or give -args -live")
	}
	p := &pair{timings: HighlyAvailable, outage: 78 * time.Second}
	if *scaled {
		p.timings, p.outage = HighlyAvailable.Scaled(10), 6*time.Second
	}
	p.start(t.Context(), t)
	t.Run("CLU-P12 a leader is killed, another one stops", func(t *testing.T) { p.testTakeover(t.Context(), t) })
	if *scaled {
		t.Run("the API server is away, the lease is lost", func(t *testing.T) {
			p.testOutage(t.Context(), t)
			p.testLostLease(t.Context(), t)
		})
		return
	}
	// Promise CLU-O5: The ClusterOperator does not change when the API server is away for 78 seconds or the lease is lost. It is Degraded
	// while lists of the manager are refused, and recovers.
	t.Run("CLU-O5 lists are refused, the API server is away, the lease is lost", func(t *testing.T) {
		p.testOutage(t.Context(), t)
		p.testRefusedLists(t.Context(), t)
		p.testLostLease(t.Context(), t)
	})
}

func (p *pair) start(ctx context.Context, t *testing.T) {
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
			t.Logf("everything is kept in %s", dir)
		} else if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if p.admin, err = story.NewAdmin(p.env); err != nil {
		t.Fatal(err)
	}
	p.first = p.manager(ctx, t, environment.AnotherOptions{Name: firstProgram, InFront: func(admin *rest.Config) (_ *rest.Config, err error) {
		if p.proxy, err = faults.InFrontOfServer(admin); err != nil {
			return nil, err
		}
		return &rest.Config{Host: p.proxy.URL(), TLSClientConfig: rest.TLSClientConfig{CAData: p.proxy.Authority()}}, nil
	}})
	p.second = p.manager(ctx, t, environment.AnotherOptions{Name: secondProgram})
	if err := p.first.Start(); err != nil {
		t.Fatal(err)
	}
	p.takesOver(ctx, t, Lease{}, 0)
	if err := p.admin.Create(ctx, pkg, ""); err != nil {
		t.Fatal(err)
	}
	eventually(ctx, t, soon, func() error { return p.admin.Installed(ctx, pkg, "1.0.0") })
	eventually(ctx, t, 2*soon, func() error { // the syncer looks once a minute
		_, err := p.admin.ClusterOperatorHas(ctx, configv1.OperatorProgressing, configv1.ConditionFalse)
		return err
	})
}

func (p *pair) manager(ctx context.Context, t *testing.T, options environment.AnotherOptions) *environment.Manager {
	t.Helper()
	if p.timings != HighlyAvailable { // which the payload has by default
		options.Args = append(options.Args, p.timings.Args()...)
	}
	manager, err := p.env.Another(ctx, options)
	if err != nil {
		t.Fatal(err)
	}
	return manager
}

// watch begins to watch the ClusterOperator; the function that it gives fails the test when a condition has moved that is not
// among these.
func (p *pair) watch(ctx context.Context, t *testing.T) (quiet func(but ...string)) {
	t.Helper()
	witness, err := Watch(ctx, p.admin.Config, story.ClusterOperatorName)
	if err != nil {
		t.Fatal(err)
	}
	return func(but ...string) {
		t.Helper()
		moves, err := witness.Stop()
		if err != nil {
			t.Error(err)
		}
		var told []string
		for _, move := range moves {
			told = append(told, move[:strings.Index(move, " ")])
		}
		if strings.Join(told, " ") != strings.Join(but, " ") {
			t.Errorf("the ClusterOperator said %q, want %q:\n%s", told, but, strings.Join(moves, "\n"))
		}
	}
}

// takesOver waits until somebody else holds the lease than before.
func (p *pair) takesOver(ctx context.Context, t *testing.T, before Lease, within time.Duration) Lease {
	t.Helper()
	var now Lease
	eventually(ctx, t, within+soon, func() (err error) {
		if now, err = ReadLease(ctx, p.admin.Kubernetes); err != nil {
			return err
		}
		if now.Holder == "" || now.Holder == before.Holder {
			return fmt.Errorf("the lease is still that of %q", now.Holder)
		}
		return nil
	})
	if now.Duration != p.timings.Lease {
		t.Errorf("the lease is for %s, want %s", now.Duration, p.timings.Lease)
	}
	return now
}

// waits waits until a manager has asked for the lease.
func (p *pair) waits(ctx context.Context, t *testing.T, program string, after time.Time) {
	t.Helper()
	eventually(ctx, t, soon, func() error {
		for _, each := range p.requests(t, program, after) {
			if each.Resource == "leases" {
				return nil
			}
		}
		return fmt.Errorf("%s has not asked for the lease", program)
	})
}

func (p *pair) requests(t *testing.T, program string, after time.Time) []Asked {
	t.Helper()
	requests, err := Requests(p.env.AuditLog, program, after)
	if err != nil {
		t.Fatal(err)
	}
	return requests
}

// secondWaits starts the second manager, and gives when that was, and the lease that it waits for.
func (p *pair) secondWaits(ctx context.Context, t *testing.T) (time.Time, Lease) {
	t.Helper()
	began := time.Now()
	if err := p.second.Start(); err != nil {
		t.Fatal(err)
	}
	p.waits(ctx, t, secondProgram, began)
	held, err := ReadLease(ctx, p.admin.Kubernetes)
	if err != nil {
		t.Fatal(err)
	}
	return began, held
}

// works asserts that somebody repairs what is installed.
func (p *pair) works(ctx context.Context, t *testing.T) {
	t.Helper()
	services := p.admin.Kubernetes.CoreV1().Services(pkg)
	if err := services.Delete(ctx, pkg+"-metrics", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(ctx, t, 2*soon, func() error {
		_, err := services.Get(ctx, pkg+"-metrics", metav1.GetOptions{})
		return err
	})
}

// testTakeover ends with the first manager as the leader, and the second one not running.
func (p *pair) testTakeover(ctx context.Context, t *testing.T) {
	quiet := p.watch(ctx, t)
	began, before := p.secondWaits(ctx, t)
	killed := time.Now()
	if err := p.first.Kill(); err != nil {
		t.Fatal(err)
	}
	taken := p.takesOver(ctx, t, before, p.timings.AfterCrash())
	took(t, "takeover-from-a-killed-leader", taken.Acquired.Sub(killed), p.timings.AfterCrash())
	if early := killed.Add(p.timings.Lease - p.timings.AfterRelease()); taken.Acquired.Before(early) {
		t.Errorf("it was taken before it had run out")
	}
	p.works(ctx, t)
	p.apart(t, firstProgram, secondProgram, began)

	again := time.Now()
	if err := p.first.Start(); err != nil {
		t.Fatal(err)
	}
	p.waits(ctx, t, firstProgram, again)
	stopped := time.Now()
	if err := p.second.Stop(); err != nil {
		t.Fatal(err)
	}
	given := p.takesOver(ctx, t, taken, p.timings.AfterRelease())
	took(t, "takeover-from-a-leader-that-stopped", given.Acquired.Sub(stopped), p.timings.AfterRelease())
	p.works(ctx, t)
	p.apart(t, secondProgram, firstProgram, again)
	quiet()
}

func took(t *testing.T, what string, was, most time.Duration) {
	t.Helper()
	t.Attr(what, fmt.Sprintf("after %.1f s of at most %.1f s", was.Seconds(), most.Seconds()))
	if was > most+5*time.Second { // what it takes to ask
		t.Errorf("%s took %s, and the lease's rules allow %s", what, was, most)
	}
}

func (p *pair) apart(t *testing.T, earlier, later string, after time.Time) {
	t.Helper()
	wrote, writes := Writes(p.requests(t, earlier, after)), Writes(p.requests(t, later, after))
	if err := Apart(wrote, writes); err != nil {
		t.Error(err)
	}
	if len(writes) == 0 {
		t.Errorf("%s has written nothing, so nothing can be told", later)
	}
}

// testOutage has the API server away for as long as the lease allows.
func (p *pair) testOutage(ctx context.Context, t *testing.T) {
	quiet := p.watch(ctx, t)
	before, err := ReadLease(ctx, p.admin.Kubernetes)
	if err != nil {
		t.Fatal(err)
	}
	away := p.proxy.Inject(faults.Fault{On: func(faults.Request) bool { return true }, Times: faults.Always, Do: faults.Reset()})
	p.proxy.CloseWatches()
	letPass(ctx, t, p.outage)
	away.Lift()
	if len(away.Struck()) == 0 {
		t.Error("the manager asked for nothing while the API server was away, so nothing can be told")
	}
	eventually(ctx, t, 2*soon, func() error {
		now, err := ReadLease(ctx, p.admin.Kubernetes)
		if err == nil && !now.Renewed.After(before.Renewed.Add(p.outage)) {
			err = fmt.Errorf("the lease was renewed at %s last", now.Renewed)
		}
		return err
	})
	p.works(ctx, t)
	letPass(ctx, t, soon) // what was not written then may be now
	now, err := ReadLease(ctx, p.admin.Kubernetes)
	if err != nil {
		t.Fatal(err)
	}
	if now.Holder != before.Holder || now.Transitions != before.Transitions {
		t.Errorf("the lease was %+v and is %+v", before, now)
	}
	quiet()
}

// testRefusedLists has the API server refuse the manager's own kinds until the ClusterOperator says so.
func (p *pair) testRefusedLists(ctx context.Context, t *testing.T) {
	quiet := p.watch(ctx, t)
	of := func(r faults.Request) bool {
		return (r.Verb == "list" || r.Verb == "watch") && (r.Resource == "platformoperators" || r.Resource == "bundledeployments")
	}
	refused := p.proxy.Inject(faults.Fault{On: of, Times: faults.Always, Do: faults.Refuse(http.StatusForbidden, metav1.StatusReasonForbidden, 0)})
	began := time.Now()
	p.proxy.CloseWatches()
	var degraded *configv1.ClusterOperatorStatusCondition
	eventually(ctx, t, inertia+4*soon, func() (err error) {
		degraded, err = p.admin.ClusterOperatorHas(ctx, configv1.OperatorDegraded, configv1.ConditionTrue)
		return err
	})
	t.Logf("Degraded after %.0f s: %s: %s", time.Since(began).Seconds(), degraded.Reason, degraded.Message)
	if time.Since(began) < inertia {
		t.Errorf("it was Degraded after %s already", time.Since(began))
	}
	if want := "Watches_InstalledOperatorsNotListed"; degraded.Reason != want {
		t.Errorf("Degraded has reason %s, want %s: %s", degraded.Reason, want, degraded.Message)
	}
	for _, resource := range []string{"platformoperators: ", "bundledeployments: "} {
		if !strings.Contains(degraded.Message, resource) {
			t.Errorf("the message of Degraded does not name %q: %s", resource, degraded.Message)
		}
	}
	refused.Lift()
	eventually(ctx, t, 5*soon, func() error {
		_, err := p.admin.ClusterOperatorHas(ctx, configv1.OperatorDegraded, configv1.ConditionFalse)
		return err
	})
	p.works(ctx, t)
	quiet("Degraded=True", "Degraded=False")
}

// testLostLease has the leader's lease not renewed until it is lost; another one takes over.
func (p *pair) testLostLease(ctx context.Context, t *testing.T) {
	quiet := p.watch(ctx, t)
	began, before := p.secondWaits(ctx, t)
	p.proxy.Inject(faults.Fault{On: faults.To("", "leases"), Times: faults.Always, Do: faults.Refuse(http.StatusInternalServerError, metav1.StatusReasonInternalError, 0)})
	defer p.proxy.LiftAll()
	select {
	case <-p.first.Exited():
	case <-time.After(p.timings.Renew + p.timings.AfterRelease() + soon):
		t.Fatal("a leader that cannot renew its lease goes on")
	}
	log, err := os.ReadFile(p.first.LogFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, why := range []string{"refused by the fault harness", "leader election lost"} {
		if !strings.Contains(string(log), why) {
			t.Errorf("its log %s does not say %q", p.first.LogFile, why)
		}
	}
	p.takesOver(ctx, t, before, p.timings.AfterCrash())
	p.works(ctx, t)
	p.apart(t, firstProgram, secondProgram, began)
	letPass(ctx, t, soon) // the next leader writes its status within a minute
	quiet()
}

func letPass(ctx context.Context, t *testing.T, d time.Duration) {
	t.Helper()
	select {
	case <-ctx.Done():
		t.Fatal(ctx.Err())
	case <-time.After(d):
	}
}

// eventually calls a function until it returns no error.
func eventually(ctx context.Context, t *testing.T, within time.Duration, ask func() error) {
	t.Helper()
	deadline, tick := time.After(within), time.NewTicker(200*time.Millisecond)
	defer tick.Stop()
	for {
		err := ask()
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
