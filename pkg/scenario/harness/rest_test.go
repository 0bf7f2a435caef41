package harness_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/openshift/platform-operators/pkg/scenario"
)

// work is the work of an operator in period n. It ignores errors, because the next period retries.
type work func(ctx context.Context, client kubernetes.Interface, n int)

func createsConfigMaps(ctx context.Context, client kubernetes.Interface, n int) {
	_, _ = client.CoreV1().ConfigMaps(namespace).Create(ctx, configMap(fmt.Sprint("number-", n), "red"), metav1.CreateOptions{})
}

// upTo returns work that is done in periods 1 to last only.
func upTo(last int, each work) work {
	return func(ctx context.Context, client kubernetes.Interface, n int) {
		if n <= last {
			each(ctx, client, n)
		}
	}
}

func createsEvents(ctx context.Context, client kubernetes.Interface, n int) {
	involved := corev1.ObjectReference{Kind: "ConfigMap", Namespace: namespace, Name: "a"}
	_, _ = client.CoreV1().Events(namespace).Create(ctx, &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("number-", n)}, InvolvedObject: involved,
	}, metav1.CreateOptions{})
}

func createsLeases(ctx context.Context, client kubernetes.Interface, n int) {
	_, _ = client.CoordinationV1().Leases(namespace).Create(ctx, &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("number-", n)},
	}, metav1.CreateOptions{})
}

func isRefused(ctx context.Context, client kubernetes.Interface, n int) {
	_, _ = client.CoreV1().ConfigMaps("no-such-namespace").Create(ctx, configMap(fmt.Sprint("number-", n), "red"), metav1.CreateOptions{})
}

func reads(ctx context.Context, client kubernetes.Interface, _ int) {
	_, _ = client.CoreV1().ConfigMaps(namespace).List(ctx, metav1.ListOptions{})
}

func sendsDryRuns(ctx context.Context, client kubernetes.Interface, n int) {
	options := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}
	_, _ = client.CoreV1().ConfigMaps(namespace).Create(ctx, configMap(fmt.Sprint("number-", n), "red"), options)
}

func TestAnOperatorIsAtRestWhenItDoesNotWrite(t *testing.T) {
	for name, test := range map[string]struct {
		work work
		rest time.Duration // 0 if the operator is never at rest
	}{
		"it does nothing":                    {nil, interval},
		"it writes within one interval only": {upTo(3, createsConfigMaps), 2 * interval},
		"it writes within two intervals":     {upTo(12, createsConfigMaps), 3 * interval},
		"it never stops writing":             {createsConfigMaps, 0},
		"it creates Events":                  {createsEvents, interval},
		"it renews Leases":                   {createsLeases, interval},
		"its writes are refused for a while": {upTo(12, isRefused), 3 * interval},
		"its writes are refused for ever":    {isRefused, 0},
		"it reads":                           {reads, interval},
		"it sends dry runs":                  {sendsDryRuns, interval},
	} {
		t.Run(name, func(t *testing.T) {
			o := (&operator{work: test.work}).underTest()
			var begun time.Time
			prepare := func(system) error {
				begun = time.Now()
				return nil
			}
			started(t, o, prepare, func(_ system, err error) {
				passed := time.Since(begun)
				if (err == nil) != (test.rest != 0) {
					t.Fatalf("after %s, the error is %v", passed, err)
				}
				const settling = 30 * time.Second // the longest time in which the cluster settles after an interval
				if intervals := int(test.rest / interval); err == nil && (passed < test.rest || passed > test.rest+time.Duration(intervals+1)*settling) {
					t.Errorf("it was at rest after %s, want %s", passed, test.rest)
				}
			})
		})
	}
}

func TestAnOperatorMayRepeatRefusedWritesWithABackOff(t *testing.T) {
	for name, test := range map[string]struct {
		every     time.Duration
		permitted int
		message   string // a part of the error, or empty if the operator is at rest
	}{
		"as often as it may":     {interval / 2, 2, ""},
		"more often than it may": {interval / 2, 1, "after 40m0s the API server still refuses its writes, 2 times in the last 5m0s; the last writes were:"},
		"every ten seconds":      {10 * time.Second, 2, "has not settled"},
		"every 20 seconds":       {20 * time.Second, 2, "the API server still refuses its writes, 15 times in the last 5m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			o := (&operator{work: isRefused, every: test.every}).underTest()
			o.MaxRefusedWrites = test.permitted
			started(t, o, nil, func(_ system, err error) {
				if (err == nil) != (test.message == "") || err != nil && !strings.Contains(err.Error(), test.message) {
					t.Errorf("got %v, want an error with %q", err, test.message)
				}
			})
		})
	}
}

func TestAnOperatorThatRepeatsRefusedWritesIsNotAtRest(t *testing.T) {
	o := &operator{work: isRefused, every: 4 * time.Second}
	started(t, o.underTest(), nil, func(_ system, err error) {
		if err == nil || !strings.Contains(err.Error(), "the cluster has not settled within 10m0s") {
			t.Errorf("got %v", err)
		}
	})
}

func TestWaitForRestIgnoresWritesOfOtherUsers(t *testing.T) {
	started(t, (&operator{}).underTest(), nil, func(s system, err error) {
		s.must(err)
		ctx, cancel := context.WithCancel(s.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for n := 0; ctx.Err() == nil; n++ {
				createsConfigMaps(ctx, s.admin, n)
				time.Sleep(30 * time.Second)
			}
		}()
		if err := s.WaitForRest(); err != nil {
			t.Error(err)
		}
		cancel()
		<-ended
	})
}

func TestWaitForRestReportsTheLastWritesOfABusyOperator(t *testing.T) {
	o := &operator{work: createsConfigMaps, every: 20 * time.Second}
	started(t, o.underTest(), nil, func(_ system, err error) {
		if err == nil {
			t.Fatal("no error")
		}
		lines := strings.Split(err.Error(), "\n")
		const first = "the operator is not at rest: after 40m0s it still writes, 15 times in the last 5m0s; the last writes were:"
		if lines[0] != first {
			t.Errorf("the error begins with %q, want %q", lines[0], first)
		}
		if len(lines) != 11 {
			t.Fatalf("the error has %d lines, want 10 writes: %v", len(lines), err)
		}
		number := 0
		for i, line := range lines[1:] {
			var at string
			var each int
			_, err := fmt.Sscanf(line, "%s "+operatorUser+`: create configmaps "default/number-%d": 201`, &at, &each)
			if err != nil || i > 0 && each != number+1 {
				t.Errorf("line %d is %q: %v", i, line, err)
			}
			number = each
		}
		if number < 120 { // 3 in a minute
			t.Errorf("the last write is number %d, want at least 120", number)
		}
	})
}

func TestWaitForRestReportsAClusterThatDoesNotSettle(t *testing.T) {
	o := &operator{work: createsConfigMaps, every: time.Second}
	started(t, o.underTest(), nil, func(_ system, err error) {
		if err == nil || !strings.Contains(err.Error(), "the cluster has not settled within 10m0s") {
			t.Errorf("got %v", err)
		}
	})
}

func TestIsOperatorWriteSelectsTheWritesOfTheOperatorsUsers(t *testing.T) {
	o := (&operator{}).underTest()
	o.Users = append(o.Users, "second")
	request := func(change func(*scenario.Request)) scenario.Request {
		r := scenario.Request{User: operatorUser, Verb: "update", Code: 200}
		r.Resource.Resource = "configmaps"
		change(&r)
		return r
	}
	for name, test := range map[string]struct {
		request scenario.Request
		want    bool
	}{
		"an update":             {request(func(*scenario.Request) {}), true},
		"of its second user":    {request(func(r *scenario.Request) { r.User = "second" }), true},
		"of another user":       {request(func(r *scenario.Request) { r.User = "third" }), false},
		"a read":                {request(func(r *scenario.Request) { r.Verb = "get" }), false},
		"a dry run":             {request(func(r *scenario.Request) { r.DryRun = true }), false},
		"of an Event":           {request(func(r *scenario.Request) { r.Resource.Resource = "events" }), false},
		"of an Event of events": {request(func(r *scenario.Request) { r.Resource.Group, r.Resource.Resource = "events.k8s.io", "events" }), false},
		"of a Lease":            {request(func(r *scenario.Request) { r.Resource.Group, r.Resource.Resource = "coordination.k8s.io", "leases" }), false},
	} {
		if got := o.IsOperatorWrite(test.request); got != test.want {
			t.Errorf("%s: %s is a write: %t", name, test.request, got)
		}
	}
}
