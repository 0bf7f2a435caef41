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
	full    = flag.Bool("full", false, "every kill point, however long that takes")
	seed    = flag.Int64("seed", 0, "random seed for the order of kill points and the faults of a sample; 0 uses the current time")
	budget  = flag.Duration("budget", 150*time.Second, "how long kill points are tried; -full takes no heed of it")
)

// What -stories=sample runs of each class, chosen by the seed.
const (
	sampleLives    = 2 // each is killed once in every chapter
	sampleTroubles = 4
	sampleRegistry = 3
)

// levels are the values of -stories, by how much they run.
var levels = map[string]int{"": 0, "quick": 1, "sample": 2, "long": 3}

// cluster is the environment of all tests, which go one after the other: whoever kills the manager does so for all.
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

// needs skips a test that is not asked for.
func needs(t *testing.T, wanted string) (context.Context, *harness) {
	t.Helper()
	if levels[*stories] < levels[wanted] {
		t.Skipf("this test needs a cluster and -stories=%s: make test-long, make test-sample, or make test-faults for the quick ones", wanted)
	}
	t.Attr("seed", strconv.FormatInt(*seed, 10))
	t.Cleanup(func() {
		cluster.proxy.LiftAll()
		cluster.registry.LiftAll()
		if err := cluster.alive(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("the manager's log is %s", cluster.env.Manager.LogFile)
		}
	})
	return t.Context(), cluster
}

// harness is a cluster with proxies in front of the API server and of the registry.
type harness struct {
	dir         string
	env         *environment.Environment
	proxy       *faults.Proxy
	registry    *faults.Proxy
	estate      *faults.Estate
	deployments coreclient.BundleDeploymentInterface
	// admin is the cluster's, past the proxy.
	admin kubernetes.Interface
	// lock is held while the manager is killed or started: one happens in the proxy, the other in the test.
	lock sync.Mutex
}

// pkg is the package of the bundle that lives are lived with.
const pkg = "keeper"

// The versions of it: from one to the next an object goes, one comes, and others change. The last one never gets ready.
var (
	first  = samples.Operator{Package: pkg, Version: "1.0.0", ExtraConfigMap: pkg + "-first"}
	second = samples.Operator{Package: pkg, Version: "1.1.0", ExtraConfigMap: pkg + "-second"}
	broken = samples.Operator{Package: pkg, Version: "1.2.0", ExtraConfigMap: pkg + "-third", NeverReady: true}
)

// Versions that cannot be installed: one has to be told what to watch, one holds what no bundle may hold.
var (
	choosy  = samples.Operator{Package: "choosy", Version: "1.0.0", SingleNamespaceOnly: true}
	garbled = samples.Operator{Package: "garbled", Version: "1.0.0"}
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
	h.registry = faults.InFrontOfRegistry(h.env.Catalog.RegistryHost())
	if h.estate, err = faults.NewEstate(h.env.Admin, environment.Namespace); err != nil {
		return nil, errors.Join(err, h.stop(false))
	}
	if err := h.publish(ctx); err != nil {
		return nil, errors.Join(err, h.stop(false))
	}
	return h, nil
}

// inFront puts the proxy between the manager and the API server.
func (h *harness) inFront(admin *rest.Config) (_ *rest.Config, err error) {
	if h.proxy, err = faults.InFrontOfServer(admin); err != nil {
		return nil, err
	}
	return &rest.Config{Host: h.proxy.URL(), TLSClientConfig: rest.TLSClientConfig{CAData: h.proxy.Authority()}}, nil
}

func (h *harness) publish(ctx context.Context) error {
	if err := samples.Write(h.env.SamplesDir, first, second, broken, choosy, garbled); err != nil {
		return err
	}
	for _, each := range []samples.Operator{first, second, broken} {
		if err := samples.AddOwnKind(h.env.SamplesDir, each); err != nil {
			return err
		}
	}
	service := filepath.Join(h.env.SamplesDir, "bundles", garbled.Package, garbled.Version, "manifests", garbled.Package+"-metrics.service.yaml")
	if err := os.WriteFile(service, []byte("apiVersion: v1\nkind: Node\nmetadata: {name: garbled}\n"), 0o644); err != nil {
		return err
	}
	return h.env.Publish(ctx)
}

func (h *harness) stop(clean bool) error {
	var faults []error
	if h.env != nil {
		faults = append(faults, h.env.Stop())
	}
	if h.proxy != nil {
		h.proxy.Close()
	}
	if h.registry != nil {
		h.registry.Close()
	}
	if clean && errors.Join(faults...) == nil {
		faults = append(faults, os.RemoveAll(h.dir))
	} else {
		fmt.Fprintf(os.Stderr, "logs are kept in %s\n", h.dir)
	}
	return errors.Join(faults...)
}

// sampled returns n of the cases, chosen by the seed, in their order; all of them unless -stories=sample.
func sampled[T any](cases []T, n int) []T {
	if *stories != "sample" {
		return cases
	}
	return seeded.Sample(cases, n, *seed)
}

// kill ends the manager as a crash would.
func (h *harness) kill() error {
	h.lock.Lock()
	defer h.lock.Unlock()
	return h.env.Manager.Kill()
}

// alive starts the manager if it does not run.
func (h *harness) alive() error {
	h.lock.Lock()
	defer h.lock.Unlock()
	select {
	case <-h.env.Manager.Exited():
		return h.env.Manager.Start()
	default:
		return nil
	}
}
