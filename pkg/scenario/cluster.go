package scenario

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"github.com/openshift/platform-operators/pkg/scenario/apiserver"
	"github.com/openshift/platform-operators/pkg/scenario/controllers"
	"github.com/openshift/platform-operators/pkg/scenario/etcd"
	_ "github.com/openshift/platform-operators/pkg/scenario/queues" // makes virtual time cheap
	"github.com/openshift/platform-operators/pkg/scenario/workloads"
)

// DefaultKubernetesVersion is what a cluster reports unless Options say otherwise: the version of the API server's libraries.
const DefaultKubernetesVersion = "v1.36.3"

// defaultMaxRequestsPerSecond is more than the installation of a bundle of thousands of objects takes.
const defaultMaxRequestsPerSecond = 50_000

// AdminUser is a user that may do everything.
const AdminUser = apiserver.AdminUser

// PrepareProcess prepares a process for clusters in bubbles. Call it once, at the beginning of TestMain. It removes the rate limit of
// Kubernetes' libraries for reported errors: the limit counts from the process's last error, so that in a bubble, whose time begins in the
// year 2000, it would sleep for decades. It also has klog print only errors; klog.LogToStderr(true) prints everything again.
func PrepareProcess() { apiserver.PrepareProcess() }

// Options say what cluster to start.
type Options struct {
	// KubernetesVersion is what the API server reports, such as "v1.36.3"; empty means DefaultKubernetesVersion.
	KubernetesVersion string
	// From is what the cluster holds at first; nil starts an empty one. Time continues from when the snapshot was taken.
	From *Snapshot
	// MaxRequestsPerSecond is how many requests may be sent within a second of virtual time, which ends endless loops; 0 means 50,000.
	MaxRequestsPerSecond int
	// Registries serve the built-in kinds; nil is package builtin. All clusters of a snapshot have the same.
	Registries apiserver.Registries
}

// Snapshot is everything that a cluster held at one moment. Any number of clusters may start from it, also at the same time and in
// bubbles of their own.
type Snapshot struct{ store *etcd.Snapshot }

// Revision is the number of the cluster's last write. Snapshots of one cluster that have the same one are equal.
func (s *Snapshot) Revision() int64 { return s.store.Revision() }

// Cluster is a Kubernetes cluster in memory.
type Cluster struct {
	store     *etcd.Store
	server    *apiserver.Server
	recorder  *recorder
	faults    faults
	watches   watches
	processes atomic.Int64  // started so far
	resting   chan struct{} // has an element while rest waits
	workloads *workloads.Runner
	stop      context.CancelFunc
	running   sync.WaitGroup
	failed    atomic.Pointer[error] // why the cluster's controllers ended; nil while they run
}

// Start starts a cluster, and returns when it is ready. The caller stops it.
func Start(ctx context.Context, options Options) (*Cluster, error) {
	if options.KubernetesVersion == "" {
		options.KubernetesVersion = DefaultKubernetesVersion
	}
	if options.MaxRequestsPerSecond == 0 {
		options.MaxRequestsPerSecond = defaultMaxRequestsPerSecond
	}
	store := etcd.New()
	if options.From != nil {
		// Objects of the snapshot must not have been created in the future. In a bubble this takes no time.
		time.Sleep(time.Until(options.From.store.Time))
		store = etcd.Restore(options.From.store)
	}
	server, err := apiserver.Start(ctx, apiserver.Options{
		Store: store, Version: options.KubernetesVersion, Masters: append(controllers.Users(), workloads.Users()...), Registries: options.Registries,
	})
	if err != nil {
		store.Close()
		return nil, fmt.Errorf("starting a cluster in memory: %w", err)
	}
	c := &Cluster{store: store, server: server, recorder: newRecorder(options.MaxRequestsPerSecond), resting: make(chan struct{}, 1)}
	if err := c.start(ctx, options); err != nil {
		c.Stop()
		return nil, fmt.Errorf("starting a cluster in memory: %w", err)
	}
	return c, nil
}

// start bootstraps a new cluster, and runs its controllers.
func (c *Cluster) start(ctx context.Context, options Options) error {
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	c.stop = stop
	if options.From == nil {
		if err := c.bootstrap(ctx); err != nil {
			return err
		}
	}
	var err error
	if c.workloads, err = workloads.New(c.componentConfig); err != nil {
		return err
	}
	c.running.Go(func() { c.workloads.Run(running) })
	c.running.Go(func() {
		if err := controllers.Run(running, c.store, c.componentConfig); err != nil && !errors.Is(err, context.Canceled) {
			klog.Errorf("the cluster's controllers have ended: %v", err) // Settle says so, too
			c.failed.Store(&err)
		}
	})
	return nil
}

// SetPodBehavior sets how Pods behave, including Pods that already run. Without it all Pods behave as workloads.Ready describes. The function
// is called with each Pod, one call at a time.
func (c *Cluster) SetPodBehavior(behavior func(*corev1.Pod) workloads.Behavior) error {
	return c.workloads.SetBehavior(behavior)
}

func (c *Cluster) bootstrap(ctx context.Context) error {
	client, err := kubernetes.NewForConfig(c.server.ClientConfig(AdminUser)) // whose requests are not recorded
	if err != nil {
		return err
	}
	return bootstrap(ctx, client)
}

// Stop ends the cluster, and all requests to it.
func (c *Cluster) Stop() {
	c.stop()
	c.server.Stop()
	c.running.Wait()
	c.store.Close()
}

// Snapshot returns what the cluster holds now.
func (c *Cluster) Snapshot() *Snapshot { return &Snapshot{c.store.Snapshot()} }

// ClientConfig returns a configuration of clients that act as a user, such as "system:serviceaccount:namespace:name", in a process that
// is never killed. Their requests are recorded.
func (c *Cluster) ClientConfig(user string) *rest.Config { return c.NewProcess(user).ClientConfig() }

// componentConfig is ClientConfig for the cluster's own components.
func (c *Cluster) componentConfig(user string) *rest.Config {
	process := c.NewProcess(user)
	process.isOfCluster = true
	return process.ClientConfig()
}

// Requests returns the requests of clients that were answered or lost so far, in that order, without watches.
func (c *Cluster) Requests() []Request { return c.recorder.all() }

// Watches returns the watches of clients that were begun so far, in that order.
func (c *Cluster) Watches() []Request { return c.recorder.allWatches() }

// Compact drops the history of all objects: a list or a watch that continues from an earlier resourceVersion gets 410 Gone, as after
// etcd's compaction.
func (c *Cluster) Compact() error {
	if err := c.store.Compact(c.store.Revision()); err != nil {
		return fmt.Errorf("compacting the storage: %w", err)
	}
	return nil
}
