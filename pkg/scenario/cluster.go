package scenario

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/openshift/platform-operators/pkg/scenario/apiserver"
	"github.com/openshift/platform-operators/pkg/scenario/controllers"
	"github.com/openshift/platform-operators/pkg/scenario/etcd"
	_ "github.com/openshift/platform-operators/pkg/scenario/queues" // makes virtual time cheap
	"github.com/openshift/platform-operators/pkg/scenario/workloads"
)

// DefaultKubernetesVersion is the default for Options.KubernetesVersion: the Kubernetes version of the vendored API server.
const DefaultKubernetesVersion = "v1.36.3"

// defaultMaxRequestsPerSecond is the default for Options.MaxRequestsPerSecond. It exceeds the number of requests needed to install a bundle
// with thousands of objects.
const defaultMaxRequestsPerSecond = 50_000

// AdminUser is the name of a user that may send every request.
const AdminUser = apiserver.AdminUser

// PrepareProcess prepares a test process for clusters in testing/synctest bubbles. Call it once, at the beginning of TestMain. It removes
// the rate limit of Kubernetes' error handlers. With the limit, the handlers would sleep for decades, because time in a bubble begins in
// the year 2000. It also makes klog print errors only; klog.LogToStderr(true) makes it print everything again.
func PrepareProcess() { apiserver.PrepareProcess() }

// Options configure a Cluster.
type Options struct {
	// KubernetesVersion is the version that the API server reports, such as "v1.36.3". The default is DefaultKubernetesVersion.
	KubernetesVersion string
	// From is the initial content of the cluster. If it is nil, the cluster starts with only the objects that kube-apiserver creates. If
	// the time of the snapshot is in the future, Start first sleeps until then.
	From *Snapshot
	// MaxRequestsPerSecond is the maximum number of requests in one second of virtual time. Requests from the cluster's own components do
	// not count. When the maximum is exceeded, all later requests that count fail and Settle returns an error, so that endless loops end. 0
	// means 50,000.
	MaxRequestsPerSecond int
	// Registries serve the built-in kinds. The default is package builtin. A cluster that starts from a snapshot must use the same
	// Registries as the cluster from which the snapshot was taken.
	Registries apiserver.Registries
}

// Snapshot is an immutable copy of all objects of a cluster. Any number of clusters may start from it, concurrently and in different
// bubbles.
type Snapshot struct{ store *etcd.Snapshot }

// Revision returns the revision of the last write before the snapshot. Two snapshots of the same cluster with the same revision hold the
// same objects.
func (s *Snapshot) Revision() int64 { return s.store.Revision() }

// At returns a copy of the snapshot without the writes after a revision. It returns an error if the revision is later than that of the
// snapshot, or was compacted.
func (s *Snapshot) At(revision int64) (*Snapshot, error) {
	earlier, err := s.store.At(revision)
	if err != nil {
		return nil, fmt.Errorf("returning the snapshot of revision %d at revision %d: %w", s.Revision(), revision, err)
	}
	return &Snapshot{earlier}, nil
}

// Cluster is an in-memory Kubernetes cluster.
type Cluster struct {
	store         *etcd.Store
	serverOptions apiserver.Options
	server        atomic.Pointer[apiserver.Server]
	restarting    atomic.Bool // true while RestoreSnapshot restarts the API server
	recorder      *recorder
	faults        faults
	watches       watches
	staleLists    staleLists
	checker       atomic.Pointer[checker] // nil before Check
	processes     atomic.Int64            // the number of the last process
	waiting       chan struct{}           // a semaphore for waitForOthers
	restoring     chan struct{}           // a semaphore for RestoreSnapshot
	components    components
	lifetime      context.Context // ends when Stop is called
	stop          context.CancelFunc
	failed        atomic.Pointer[error] // the error that ended the cluster's controllers; nil while they run
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
		// Without the sleep, creation times in the snapshot would be in the future. In a bubble the sleep takes no real time.
		time.Sleep(time.Until(options.From.store.Time))
		store = etcd.Restore(options.From.store)
	}
	serverOptions := apiserver.Options{
		Store: store, Version: options.KubernetesVersion, PrivilegedUsers: append(controllers.Users(), workloads.Users()...), Registries: options.Registries,
	}
	server, err := apiserver.Start(ctx, serverOptions)
	if err != nil {
		store.Close()
		return nil, fmt.Errorf("starting a cluster in memory: %w", err)
	}
	c := &Cluster{
		store: store, serverOptions: serverOptions, recorder: newRecorder(options.MaxRequestsPerSecond),
		waiting: make(chan struct{}, 1), restoring: make(chan struct{}, 1),
	}
	c.server.Store(server)
	if err := c.start(ctx, options); err != nil {
		c.Stop()
		return nil, fmt.Errorf("starting a cluster in memory: %w", err)
	}
	return c, nil
}

// start creates the bootstrap objects unless the cluster starts from a snapshot, and starts the components.
func (c *Cluster) start(ctx context.Context, options Options) error {
	c.lifetime, c.stop = context.WithCancel(context.WithoutCancel(ctx))
	if options.From == nil {
		if err := c.bootstrap(ctx); err != nil {
			return err
		}
	}
	return c.startComponents()
}

func (c *Cluster) bootstrap(ctx context.Context) error {
	client, err := kubernetes.NewForConfig(c.server.Load().ClientConfig(AdminUser)) // the client's requests are not recorded
	if err != nil {
		return err
	}
	return bootstrap(ctx, client)
}

// Stop stops the cluster and waits until its goroutines have ended. Requests in flight fail. Stop takes two seconds, which are virtual in a
// bubble.
func (c *Cluster) Stop() {
	c.checker.Load().close()
	c.stop()
	if !c.restarting.Load() { // otherwise RestoreSnapshot has stopped the server and failed to start another one
		c.server.Load().Stop()
	}
	c.stopComponents()
	c.store.Close()
}

// Snapshot returns a copy of all objects in the cluster's storage.
func (c *Cluster) Snapshot() *Snapshot { return &Snapshot{c.store.Snapshot()} }

// ClientConfig returns a configuration for clients that authenticate as user, such as "system:serviceaccount:namespace:name". Each call
// starts a new Process. The cluster records the clients' requests.
func (c *Cluster) ClientConfig(user string) *rest.Config { return c.NewProcess(user).ClientConfig() }

// componentConfig is like ClientConfig, for the cluster's own components. Their requests do not count toward Options.MaxRequestsPerSecond.
func (c *Cluster) componentConfig(user string) *rest.Config {
	process := c.NewProcess(user)
	process.isOfCluster = true
	return process.ClientConfig()
}

// Requests returns the requests that have ended, with a response or with an error, in the order in which they ended. It omits watches, and
// requests that were prevented by Process.Kill or Options.MaxRequestsPerSecond.
func (c *Cluster) Requests() []Request { return c.recorder.all() }

// Watches returns all watch requests that got a response, in the order of the responses. It includes watches that have ended.
func (c *Cluster) Watches() []Request { return c.recorder.allWatches() }

// Compact removes the history of all objects, like etcd's compaction. After that, a list or a watch from an earlier resourceVersion gets
// 410 Gone. Compact returns an error if no object was written since the previous call.
func (c *Cluster) Compact() error {
	if err := c.store.Compact(c.store.Revision()); err != nil {
		return fmt.Errorf("compacting the storage: %w", err)
	}
	return nil
}
