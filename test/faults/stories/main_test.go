package stories

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	coreclient "github.com/openshift/platform-operators/pkg/client/clientset/versioned/typed/core/v1alpha2"
	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/faults"
	"github.com/openshift/platform-operators/test/samples"
	"github.com/openshift/platform-operators/test/seeded"
	"github.com/openshift/platform-operators/test/story"
)

var (
	stories = flag.String("stories", "", `"quick", "sample" or "long"; empty skips the tests, which need a cluster`)
	full    = flag.Bool("full", false, "try every kill point, however long that takes")
	seed    = flag.Int64("seed", 0, "random seed for the order of kill points and the faults of a sample; 0 uses the current time")
	budget  = flag.Duration("budget", 150*time.Second, "how long to try kill points; ignored with -full")
)

// sampleRuns, sampleAPIFailures and sampleRegistry are the numbers of cases of each kind that -stories=sample runs, chosen by the seed.
const (
	sampleRuns        = 1 // it kills the manager once in every phase
	sampleAPIFailures = 4
	sampleRegistry    = 3
)

// levels are the values of -stories. A higher level runs more tests.
var levels = map[string]int{"": 0, "quick": 1, "sample": 2, "long": 3}

// cluster is the harness of all tests. They run one after the other, because killing the manager affects all of them.
var cluster *harness

func TestMain(m *testing.M) {
	flag.Parse()
	if _, known := levels[*stories]; !known {
		fmt.Fprintf(os.Stderr, "-stories=%s: want quick, sample or long\n", *stories)
		os.Exit(2)
	}
	if *seed == 0 {
		*seed = time.Now().UnixNano()
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if *stories == "" {
		return m.Run()
	}
	started, err := start(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	cluster = started
	code := m.Run()
	if err := started.stop(code == 0); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// requireLevel skips a test unless -stories includes the level. After the test it removes all faults and starts the manager if it does not
// run.
func requireLevel(t *testing.T, level string) (context.Context, *harness) {
	t.Helper()
	if levels[*stories] < levels[level] {
		t.Skipf("this test needs a cluster and -stories=%s: make test-long, make test-sample, or make test-faults for the quick ones", level)
	}
	t.Attr("seed", strconv.FormatInt(*seed, 10))
	t.Cleanup(func() {
		cluster.proxy.RemoveAll()
		cluster.registry.RemoveAll()
		if err := cluster.ensureRunning(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("the manager's log is %s", cluster.env.Manager.LogFile)
		}
	})
	return t.Context(), cluster
}

// harness is a cluster with a proxy in front of the API server and one in front of the registry.
type harness struct {
	dir         string
	env         *environment.Environment
	proxy       *faults.Proxy
	registry    *faults.Proxy
	inspector   *faults.Inspector
	deployments coreclient.BundleDeploymentInterface
	// admin connects to the API server without the proxy.
	admin kubernetes.Interface
	// lock is held while the manager is killed or started. The proxy kills the manager, and the test starts it.
	lock sync.Mutex
}

// pkg is the package of the bundle that the phases install.
const pkg = "keeper"

// first, second and broken are the versions of pkg. An upgrade adds, removes and changes objects. The Deployment of broken never becomes
// available.
var (
	first  = samples.Operator{Package: pkg, Version: "1.0.0", ExtraConfigMap: pkg + "-first"}
	second = samples.Operator{Package: pkg, Version: "1.1.0", ExtraConfigMap: pkg + "-second"}
	broken = samples.Operator{Package: pkg, Version: "1.2.0", ExtraConfigMap: pkg + "-third", NeverReady: true}
)

// singleNamespace and invalidBundle are bundles that cannot be installed: the first requires a watch namespace in the spec, and the second
// contains a Node.
var (
	singleNamespace = samples.Operator{Package: "choosy", Version: "1.0.0", SingleNamespaceOnly: true}
	invalidBundle   = samples.Operator{Package: "garbled", Version: "1.0.0"}
)

func start(ctx context.Context) (_ *harness, err error) {
	h := &harness{}
	if h.dir, err = os.MkdirTemp("", "platform-operators-faults-"); err != nil {
		return nil, err
	}
	h.env, err = environment.Start(ctx, environment.Options{
		Dir: h.dir, Log: os.Stderr, OpenShiftVersion: story.ClusterVersion, Samples: []samples.Operator{first}, InFront: h.inFront,
	})
	if err != nil {
		return nil, err
	}
	admin, err := story.NewAdmin(h.env)
	if err != nil {
		return nil, errors.Join(err, h.stop(false))
	}
	h.deployments, h.admin = admin.Platform.CoreV1alpha2().BundleDeployments(), admin.Kubernetes
	h.registry = faults.NewRegistryProxy(h.env.Catalog.RegistryHost())
	if h.inspector, err = faults.NewInspector(h.env.Admin, environment.Namespace); err != nil {
		return nil, errors.Join(err, h.stop(false))
	}
	if err := h.publish(ctx); err != nil {
		return nil, errors.Join(err, h.stop(false))
	}
	return h, nil
}

// inFront starts the proxy between the manager and the API server, and returns the client configuration for the proxy.
func (h *harness) inFront(admin *rest.Config) (_ *rest.Config, err error) {
	if h.proxy, err = faults.NewAPIServerProxy(admin); err != nil {
		return nil, err
	}
	return &rest.Config{Host: h.proxy.URL(), TLSClientConfig: rest.TLSClientConfig{CAData: h.proxy.CABundle()}}, nil
}

func (h *harness) publish(ctx context.Context) error {
	if err := samples.Write(h.env.SamplesDir, first, second, broken, singleNamespace, invalidBundle); err != nil {
		return err
	}
	for _, each := range []samples.Operator{first, second, broken} {
		if err := samples.AddOwnKind(h.env.SamplesDir, each); err != nil {
			return err
		}
	}
	service := filepath.Join(h.env.SamplesDir, "bundles", invalidBundle.Package, invalidBundle.Version, "manifests", invalidBundle.Package+"-metrics.service.yaml")
	if err := os.WriteFile(service, []byte("apiVersion: v1\nkind: Node\nmetadata: {name: garbled}\n"), 0o644); err != nil {
		return err
	}
	return h.env.Publish(ctx)
}

func (h *harness) stop(passed bool) error {
	var errs []error
	if h.env != nil {
		errs = append(errs, h.env.Stop())
	}
	if h.proxy != nil {
		h.proxy.Close()
	}
	if h.registry != nil {
		h.registry.Close()
	}
	if passed && errors.Join(errs...) == nil {
		errs = append(errs, os.RemoveAll(h.dir))
	} else {
		fmt.Fprintf(os.Stderr, "logs are kept in %s\n", h.dir)
	}
	return errors.Join(errs...)
}

// sampled returns n of the cases, chosen by the seed, in their order. It returns all cases unless -stories=sample.
func sampled[T any](cases []T, n int) []T {
	if *stories != "sample" {
		return cases
	}
	return seeded.Sample(cases, n, *seed)
}

// kill kills the manager by SIGKILL.
func (h *harness) kill() error {
	h.lock.Lock()
	defer h.lock.Unlock()
	return h.env.Manager.Kill()
}

// ensureRunning starts the manager if it is not running.
func (h *harness) ensureRunning() error {
	h.lock.Lock()
	defer h.lock.Unlock()
	select {
	case <-h.env.Manager.Exited():
		return h.env.Manager.Start()
	default:
		return nil
	}
}
