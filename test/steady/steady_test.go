package steady

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	configv1 "github.com/openshift/api/config/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/test/bulk"
	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/samples"
	"github.com/openshift/platform-operators/test/story"
)

// The test starts a cluster and takes minutes. "make test-long" measures for ten minutes, and "make test-sample" for one.
var (
	quietFor    = flag.Duration("quiet-for", 0, "how long nothing may happen; zero skips the tests that need a cluster")
	deployments = flag.Int("deployments", 100, "BundleDeployments, of ten objects each")
	others      = flag.Int("others", 50_000, "objects of others")
)

const (
	objectsEach = 10 // a Namespace and a Deployment are two of them
	installTime = 10 * time.Minute
	// rest is the minimum time between the installation and a measurement. library-go's StatusSyncer updates the ClusterOperator once a
	// minute.
	rest = 70 * time.Second
	// restartWindow is the time for which the test watches statuses after a restart. The manager syncs BundleDeployments within
	// seconds, and the ClusterOperator within a minute.
	restartWindow = 75 * time.Second
)

// TestNothingToDo checks promise ENG-D16. A shorter or smaller run does not have the id in its name. make bench measures the
// memory.
//
// Promise ENG-D16: With 1,000 managed objects among 50,000 others the manager sends no request in ten minutes but for its lease
// and its watches. A restart with 100 BundleDeployments, an empty disk and no registry changes no status.
func TestNothingToDo(t *testing.T) {
	if *quietFor == 0 {
		t.Skip("this test starts a cluster and takes minutes: make test-long runs it, or give -args -quiet-for=10m")
	}
	ctx, cancel := context.WithTimeout(t.Context(), installTime+2**quietFor+10*time.Minute)
	defer cancel()
	c := startCluster(ctx, t)
	c.install(ctx, t)

	row := ""
	if *quietFor >= 10*time.Minute && *deployments*objectsEach >= 1000 && *others >= 50_000 {
		row = "ENG-D16 "
	}
	t.Run(row+fmt.Sprintf("%d managed objects among %d others cost no request in %s", *deployments*objectsEach, *others, *quietFor), func(t *testing.T) {
		c.quiet(ctx, t, *quietFor)
	})
	t.Run(row+fmt.Sprintf("a cold restart of %d deployments with the registry down changes no status", *deployments), func(t *testing.T) {
		c.restart(ctx, t)
	})
	t.Run(row+"nothing is asked after that either", func(t *testing.T) {
		c.quiet(ctx, t, min(*quietFor, 30*time.Second))
	})
}

type cluster struct {
	*environment.Environment
	admin    *story.Admin
	registry *bulk.Registry
	log      *Log
}

func startCluster(ctx context.Context, t *testing.T) *cluster {
	t.Helper()
	dir, err := os.MkdirTemp("", "platform-operators-steady-")
	if err != nil {
		t.Fatal(err)
	}
	env, err := environment.Start(ctx, environment.Options{
		Dir: dir, Log: t.Output(), OpenShiftVersion: story.ClusterVersion, AuditLog: true,
		Samples: []samples.Operator{{Package: "unused", Version: "1.0.0"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{Environment: env, registry: bulk.StartRegistry()}
	t.Cleanup(func() {
		c.registry.Close()
		if err := env.Stop(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("everything is kept in %s", dir)
		} else if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if c.admin, err = story.NewAdmin(env); err != nil {
		t.Fatal(err)
	}
	if c.log, err = OpenLog(env.AuditLog); err != nil {
		t.Fatal(err)
	}
	return c
}

func nameOf(i int) string { return fmt.Sprintf("steady-%03d", i) }

// install installs the BundleDeployments, creates the objects of others, and waits until rest has passed since the installation. Each
// BundleDeployment has an image with a different digest. With one digest, a manager that pulls images after a restart would pull only one.
func (c *cluster) install(ctx context.Context, t *testing.T) {
	t.Helper()
	for i := range *deployments {
		image, err := bulk.Bundle{Name: nameOf(i), Objects: objectsEach - 2}.Image()
		if err != nil {
			t.Fatal(err)
		}
		ref, err := c.registry.Push(ctx, nameOf(i), image)
		if err != nil {
			t.Fatal(err)
		}
		if err := bulk.Deploy(ctx, c.admin.Platform, nameOf(i), ref); err != nil {
			t.Fatal(err)
		}
	}
	for i := range *deployments {
		if err := bulk.WaitUntilInstalled(ctx, c.admin.Platform, nameOf(i), installTime); err != nil {
			t.Fatal(err)
		}
	}
	installed := time.Now()
	if err := bulk.CreateOthers(ctx, c.Admin, 0, *others); err != nil {
		t.Fatal(err)
	}
	letPass(ctx, t, time.Until(installed.Add(rest)))
}

// quiet asserts that the manager sends no requests in window, except for watches and leases.
func (c *cluster) quiet(ctx context.Context, t *testing.T, window time.Duration) {
	t.Helper()
	if _, err := c.log.Read(ManagersUser); err != nil { // skip earlier requests
		t.Fatal(err)
	}
	letPass(ctx, t, window)
	requests, err := c.log.Read(ManagersUser)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("in %s: %s", window, requests)
	t.Attr("requests-of-the-manager", strconv.Itoa(requests.Total()))
	if requests.Total() > 0 {
		t.Errorf("the idle manager sent %d requests: %s", requests.Total(), requests)
	}
	// Watches show that the log has the manager's requests.
	if expected := int(math.Floor(window.Minutes() / 10)); requests.Watches < expected {
		t.Errorf("%d watches ended or began in %s; each ends within ten minutes, so that the log is incomplete", requests.Watches, window)
	}
}

// restart kills the manager, removes its content directory, stops the registry, and starts the manager again. It asserts that the
// manager then changes no status, writes nothing, and sends no request to the registry.
func (c *cluster) restart(ctx context.Context, t *testing.T) {
	t.Helper()
	if err := c.Manager.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(c.Dir, "content")); err != nil {
		t.Fatal(err)
	}
	c.registry.SetDown(true)
	defer c.registry.SetDown(false)

	client := c.admin.Platform.CoreV1alpha2().BundleDeployments()
	before, err := client.List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(before.Items) != *deployments {
		t.Fatalf("there are %d BundleDeployments, want %d", len(before.Items), *deployments)
	}
	was := map[string]corev1alpha2.BundleDeploymentStatus{}
	for _, deployment := range before.Items {
		was[deployment.Name] = deployment.Status
	}
	events, err := client.Watch(ctx, metav1.ListOptions{ResourceVersion: before.ResourceVersion})
	if err != nil {
		t.Fatal(err)
	}
	defer events.Stop()
	if _, err := c.log.Read(ManagersUser); err != nil { // skip earlier requests
		t.Fatal(err)
	}
	if err := c.Manager.Start(); err != nil {
		t.Fatal(err)
	}
	if err := statusesKept(ctx, events, was); err != nil {
		t.Error(err)
	}
	requests, err := c.log.Read(ManagersUser)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("after the restart: %s", requests)
	if requests.Gets+requests.Lists == 0 {
		t.Error("the manager asked nothing, so it cannot have looked at anything")
	}
	if requests.Writes > 0 {
		t.Errorf("the manager wrote after a restart without changes: %s", requests)
	}
	if refused := c.registry.Refused(); refused > 0 {
		t.Errorf("the manager sent %d requests to the registry for content that is stored in the cluster", refused)
	}
	if condition, err := c.admin.ClusterOperatorHas(ctx, configv1.OperatorAvailable, configv1.ConditionTrue); err != nil {
		t.Errorf("%v (%v)", err, condition)
	}
	if condition, err := c.admin.ClusterOperatorHas(ctx, configv1.OperatorDegraded, configv1.ConditionFalse); err != nil {
		t.Errorf("%v (%v)", err, condition)
	}
}

// statusesKept reads events for restartWindow, and returns an error if a status differs from the status in was, which is by name. It
// returns an error as well if the watch ends.
func statusesKept(ctx context.Context, events watch.Interface, was map[string]corev1alpha2.BundleDeploymentStatus) error {
	window := time.NewTimer(restartWindow)
	defer window.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-window.C:
			return nil
		case event, open := <-events.ResultChan():
			if !open {
				return errors.New("watching the BundleDeployments: the watch ended")
			}
			live, ok := event.Object.(*corev1alpha2.BundleDeployment)
			if !ok {
				return fmt.Errorf("watching the BundleDeployments: got %s %v", event.Type, event.Object)
			}
			if diff := cmp.Diff(was[live.Name], live.Status); diff != "" {
				return fmt.Errorf("the status of BundleDeployment %q changed by the restart (-was +is):\n%s", live.Name, diff)
			}
		}
	}
}

// letPass waits for a duration. It fails the test if the context is done earlier.
func letPass(ctx context.Context, t *testing.T, duration time.Duration) {
	t.Helper()
	timer := time.NewTimer(duration)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		t.Fatal(ctx.Err())
	}
}

func TestStatusesKeptReportsAChange(t *testing.T) {
	was := map[string]corev1alpha2.BundleDeploymentStatus{"a": {ActiveRevision: 1}}
	events := watch.NewFake()
	go func() {
		events.Modify(&corev1alpha2.BundleDeployment{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Status: corev1alpha2.BundleDeploymentStatus{ActiveRevision: 1}})
		events.Modify(&corev1alpha2.BundleDeployment{ObjectMeta: metav1.ObjectMeta{Name: "a"}})
	}()
	if err := statusesKept(t.Context(), events, was); err == nil {
		t.Error("the change was not found")
	}
}
