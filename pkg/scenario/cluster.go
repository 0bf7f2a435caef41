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

// DefaultKubernetesVersion is the default of Options.KubernetesVersion: the Kubernetes version of the vendored API server.
const DefaultKubernetesVersion = "v1.36.3"

// defaultMaxRequestsPerSecond exceeds the number of requests that installing a bundle with thousands of objects takes.
const defaultMaxRequestsPerSecond = 50_000

// AdminUser is the name of a user that may send every request.
const AdminUser = apiserver.AdminUser

// PrepareProcess prepares a test process for clusters in testing/synctest bubbles. Call it once, at the beginning of TestMain. It
// removes the rate limit of Kubernetes' error handlers. They would sleep for decades, because time in a bubble begins in the year 2000.
// It also makes klog print errors only; klog.LogToStderr(true) makes it print everything again.
func PrepareProcess() { apiserver.PrepareProcess() }

// Options configure a Cluster.
type Options struct {
	// KubernetesVersion is the version that the API server reports, such as "v1.36.3". The default is DefaultKubernetesVersion.
	KubernetesVersion string
	// From is the initial content of the cluster. Nil starts an empty cluster. In a bubble, Start first sleeps until the time of the snapshot.
	From *Snapshot
	// MaxRequestsPerSecond limits the requests in one second of virtual time. Beyond the limit, requests fail and Settle returns an error, so
	// that endless loops end. The default is 50,000.
	MaxRequestsPerSecond int
	// Registries serve the built-in kinds. The default is package builtin. Clusters that start from the same snapshot must use the same
	// Registries.
	Registries apiserver.Registries
}

// Snapshot is an immutable copy of all objects of a cluster. Any number of clusters may start from it, concurrently and in different
// bubbles.
type Snapshot struct{ store *etcd.Snapshot }

// Revision returns the revision of the last write before the snapshot. Two snapshots of one cluster with the same revision are equal.
func (s *Snapshot) Revision() int64 { return s.store.Revision() }

// Cluster is an in-memory Kubernetes cluster.
type Cluster struct {
	store     *etcd.Store
	server    *apiserver.Server
	recorder  *recorder
	faults    faults
	watches   watches
	processes atomic.Int64  // the number of the last process
	waiting   chan struct{} // a semaphore for waitForOthers
	workloads *workloads.Runner
	stop      context.CancelFunc
	running   sync.WaitGroup
	failed    atomic.Pointer[error] // the error that ended the cluster's controllers; nil while they run
}

// Start starts a cluster and returns when its API server serves requests. The caller must call Stop. The cluster keeps running when ctx
// ends.
func Start(ctx context.Context, options Options) (*Cluster, error) {
	if options.KubernetesVersion == "" {
		options.KubernetesVersion = DefaultKubernetesVersion
	}
	if options.MaxRequestsPerSecond == 0 {
		options.MaxRequestsPerSecond = defaultMaxRequestsPerSecond
	}
	store := etcd.New()
	if options.From != nil {
		// Otherwise creation times in the snapshot would be in the future. In a bubble the sleep takes no real time.
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
	c := &Cluster{store: store, server: server, recorder: newRecorder(options.MaxRequestsPerSecond), waiting: make(chan struct{}, 1)}
	if err := c.start(ctx, options); err != nil {
		c.Stop()
		return nil, fmt.Errorf("starting a cluster in memory: %w", err)
	}
	return c, nil
}

// start creates the bootstrap objects unless the cluster starts from a snapshot, and starts the controllers.
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
			klog.Errorf("the cluster's controllers have ended: %v", err) // Settle returns the error, too
			c.failed.Store(&err)
		}
	})
	return nil
}

// SetPodBehavior sets the function that returns the behavior of each Pod, including Pods that already run. The default is
// workloads.Ready for all Pods. The cluster never calls the function concurrently.
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

// Stop stops the cluster and waits until its goroutines have ended. Requests in flight fail.
func (c *Cluster) Stop() {
	c.stop()
	c.server.Stop()
	c.running.Wait()
	c.store.Close()
}

// Snapshot returns a copy of all objects in the cluster's storage.
func (c *Cluster) Snapshot() *Snapshot { return &Snapshot{c.store.Snapshot()} }

// ClientConfig returns a configuration for clients that authenticate as user, such as "system:serviceaccount:namespace:name". Each call
// starts a new Process. The cluster records the clients' requests.
func (c *Cluster) ClientConfig(user string) *rest.Config { return c.NewProcess(user).ClientConfig() }

// componentConfig is like ClientConfig, for the cluster's own components.
func (c *Cluster) componentConfig(user string) *rest.Config {
	process := c.NewProcess(user)
	process.isOfCluster = true
	return process.ClientConfig()
}

// Requests returns the requests, except watches, that have ended: with a response or with an error. They are in the order in which they
// ended.
func (c *Cluster) Requests() []Request { return c.recorder.all() }

// Watches returns all watch requests that got a response, in the order in which they started. It includes watches that have ended.
func (c *Cluster) Watches() []Request { return c.recorder.allWatches() }

// Compact removes the history of all objects, like etcd's compaction. A list or a watch from an earlier resourceVersion then gets 410 Gone.
func (c *Cluster) Compact() error {
	if err := c.store.Compact(c.store.Revision()); err != nil {
		return fmt.Errorf("compacting the storage: %w", err)
	}
	return nil
}
