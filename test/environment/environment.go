package environment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/openshift/platform-operators/test/cvo"
	"github.com/openshift/platform-operators/test/localcatalog"
	"github.com/openshift/platform-operators/test/rbac"
	"github.com/openshift/platform-operators/test/samples"
)

// Options are the options of Start.
type Options struct {
	// Dir is the folder for all files. It is created if absent. Required.
	Dir string
	// Log gets a line for each started process. Required.
	Log io.Writer
	// OpenShiftVersion is the version of the ClusterVersion. Required.
	OpenShiftVersion string
	// Samples are the operators in the local catalog at the start. They are ignored if Catalogs is set.
	Samples []samples.Operator
	// Catalogs and Bundles are folders of real data to serve instead of samples. If Packages is not empty, only these packages are served.
	Catalogs, Bundles, Packages []string
	// ManagerArgs are additional arguments for the manager.
	ManagerArgs []string
	// ManagerEnv is added to the manager's environment variables, each as NAME=value.
	ManagerEnv []string
	// AuditLog makes the API server write an audit log to Dir/audit.log.
	AuditLog bool
	// Trace is the file to which Stop writes a summary of the manager's requests for test/rbac. If Trace is empty, Stop writes no summary.
	// Trace implies AuditLog.
	Trace string
	// AsShipped runs the manager as its Deployment does: with leader election, and in a pod. If this manager is killed and started again,
	// it acquires its lease at once; a manager in another pod waits for minutes.
	AsShipped bool
	// Services makes the API server connect to Services, such as those of webhooks, through a proxy on Environment.ServicesSocket.
	Services bool
	// InFront starts a proxy between the manager and the API server. It gets the admin's client configuration, and returns that of the
	// proxy. The manager uses the proxy's address and authority, and sends its ServiceAccount's token to the proxy. If InFront is nil, the
	// manager connects to the API server directly.
	InFront func(admin *rest.Config) (*rest.Config, error)
	// Variant is a folder of the checkout whose files replace those of manifests/ with the same names, such as Scoped; empty means that
	// manifests/ is applied as it is.
	Variant string
	// WithoutManager makes Start set up the manager without starting it. Call Manager.Start later.
	WithoutManager bool
}

// Environment is a running cluster with catalogs and the manager.
type Environment struct {
	// Dir is Options.Dir.
	Dir string
	// Root is the checkout's root folder.
	Root string
	// SamplesDir is the folder of the sample operators, which Publish reads again. It is not used with Options.Catalogs.
	SamplesDir string
	// Kubeconfig is the path of the admin's kubeconfig. Kubectl is the path of a kubectl of the cluster's version.
	Kubeconfig, Kubectl string
	// AuditLog is the path of the API server's audit log; empty without Options.AuditLog.
	AuditLog string
	// ServicesSocket is the socket of the proxy of test/services; empty without Options.Services.
	ServicesSocket string
	// Admin is the admin's client configuration, without a rate limit.
	Admin *rest.Config

	Catalog *localcatalog.Server
	Manager *Manager

	cluster *cluster
	added   []*localcatalog.Server
	// manifests is the folder of the applied manifests.
	manifests string
	shipped   []string // the Deployment's environment variables, which every manager's process gets
	binary    string
	cancel    context.CancelFunc
	trace     string
}

// Start starts the cluster, the catalogs and the manager, in that order, and returns when the manager's process runs. If Start fails, it
// stops what it started. ctx must not end before Stop. All processes end when this process ends, even if Stop is not called.
func Start(ctx context.Context, options Options) (*Environment, error) {
	root, err := Root()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(options.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("making the environment's folder: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	e := &Environment{Dir: options.Dir, Root: root, SamplesDir: filepath.Join(options.Dir, "samples"), cancel: cancel, trace: options.Trace}
	options.AuditLog = options.AuditLog || options.Trace != ""
	if err := e.start(ctx, options); err != nil {
		return nil, errors.Join(err, e.Stop())
	}
	return e, nil
}

func (e *Environment) start(ctx context.Context, options Options) error {
	progress := newProgress(options.Log)
	progress.say("building the manager")
	built := progress.every(15*time.Second, "still building the manager")
	binary, err := buildManager(ctx, e.Root, e.Dir)
	built()
	if err != nil {
		return err
	}
	e.binary = binary
	progress.say("built the manager")

	if e.cluster, err = startCluster(ctx, e.Root, filepath.Join(e.Dir, "cluster"), options, options.Log); err != nil {
		return err
	}
	e.Kubeconfig, e.Kubectl, e.AuditLog, e.ServicesSocket = e.cluster.Kubeconfig, e.cluster.Kubectl, e.cluster.AuditLog, e.cluster.ServicesSocket
	if e.Admin, err = clientcmd.BuildConfigFromFlags("", e.Kubeconfig); err != nil {
		return fmt.Errorf("reading the cluster's kubeconfig: %w", err)
	}
	if e.manifests, err = manifestsOf(e.Root, options.Variant, filepath.Join(e.Dir, "manifests")); err != nil {
		return err
	}
	e.Admin.QPS = -1                           // tests must not be slower than the manager
	e.Admin.WarningHandler = rest.NoWarnings{} // the CVO does not print the API server's warnings either
	progress.say("started an OpenShift %s lookalike (Kubernetes %s) at %s", options.OpenShiftVersion, e.cluster.KubernetesVersion, e.Admin.Host)

	if _, err := cvo.Apply(ctx, e.Admin, e.manifests); err != nil {
		return err
	}
	progress.say("applied %s/ in the CVO's order", filepath.Base(cmp.Or(options.Variant, e.manifests)))

	if err := e.startCatalog(ctx, options); err != nil {
		return err
	}
	progress.say("serving catalogs: gRPC at %s, HTTPS at %s, images at %s", e.Catalog.GRPCAddress(), e.Catalog.HTTPSBaseURL(), e.Catalog.RegistryHost())

	server := e.Admin
	if options.InFront != nil {
		if server, err = options.InFront(e.Admin); err != nil {
			return fmt.Errorf("putting something between the manager and the API server: %w", err)
		}
	}
	kubeconfig, err := writeIdentity(ctx, e.Admin, server, e.Dir)
	if err != nil {
		return err
	}
	if e.Manager, err = newManager(binary, kubeconfig, e.Dir, e.Catalog.CAFile(), options.ManagerArgs); err != nil {
		return err
	}
	if e.shipped, err = shippedEnv(e.manifests); err != nil {
		return err
	}
	e.Manager.env = slices.Concat(e.shipped, options.ManagerEnv)
	if options.AsShipped {
		if err := e.Manager.asShipped(ctx, e.Admin); err != nil {
			return err
		}
	}
	if options.WithoutManager {
		return nil
	}
	if err := e.Manager.Start(); err != nil {
		return err
	}
	progress.say("started the manager as ServiceAccount %s/%s (process %d, log %s)", Namespace, ServiceAccount, e.Manager.PID(), e.Manager.LogFile)
	return nil
}

func (e *Environment) startCatalog(ctx context.Context, options Options) error {
	catalogs, bundles := options.Catalogs, options.Bundles
	if len(catalogs) == 0 {
		if err := samples.Write(e.SamplesDir, options.Samples...); err != nil {
			return err
		}
		catalogs, bundles = []string{filepath.Join(e.SamplesDir, "catalog")}, []string{filepath.Join(e.SamplesDir, "bundles")}
	}
	var err error
	e.Catalog, err = localcatalog.Start(ctx, localcatalog.Options{
		Catalogs: catalogs, Bundles: bundles, Packages: options.Packages, Dir: filepath.Join(e.Dir, "catalog"),
	})
	if err != nil {
		return fmt.Errorf("starting the local catalog: %w", err)
	}
	return e.Announce(ctx, CatalogName, e.Catalog)
}

// ErrBuild is the error that ReplaceManager returns if the build fails. The running manager then continues.
var ErrBuild = errors.New("the manager cannot be built")

// ReplaceManager builds the manager from the checkout and replaces the running manager with it.
func (e *Environment) ReplaceManager(ctx context.Context) error {
	if _, err := buildManager(ctx, e.Root, e.Dir); err != nil {
		return fmt.Errorf("%w: %w", ErrBuild, err)
	}
	if err := e.Manager.Stop(); err != nil {
		return err
	}
	return e.Manager.Start()
}

// SetClusterVersion sets the ClusterVersion to another version, as if an update had completed.
func (e *Environment) SetClusterVersion(ctx context.Context, version string) error {
	return e.cluster.setVersion(ctx, version)
}

// Stop stops everything that Start started, beginning with the manager and ending with the cluster. It continues after an error, and joins
// the errors.
func (e *Environment) Stop() error {
	var faults []error
	if e.Manager != nil {
		faults = append(faults, e.Manager.Stop())
	}
	if e.Catalog != nil {
		faults = append(faults, e.Catalog.Close())
	}
	for _, catalog := range e.added {
		faults = append(faults, catalog.Close())
	}
	if e.trace != "" && e.AuditLog != "" {
		faults = append(faults, e.writeTrace())
	}
	if e.cluster != nil {
		faults = append(faults, e.cluster.stop())
	}
	e.cancel()
	return errors.Join(faults...)
}

// writeTrace writes a summary of the manager's requests in the audit log to Options.Trace.
func (e *Environment) writeTrace() error {
	shipped, err := rbac.ReadShippedRoles(e.manifests)
	if err != nil {
		return err
	}
	trace, err := rbac.Collect(e.AuditLog, shipped)
	if err != nil {
		return err
	}
	return trace.Write(e.trace)
}

// Exceeded returns the manager's requests in the audit log that were denied, or that a role permitted which is not in the applied manifests,
// sorted. Call it when the manager has ended.
func (e *Environment) Exceeded() ([]string, error) {
	shipped, err := rbac.ReadShippedRoles(e.manifests)
	if err != nil {
		return nil, err
	}
	trace, err := rbac.Collect(e.AuditLog, shipped)
	if err != nil {
		return nil, err
	}
	return trace.Exceeding(shipped), nil
}

// Root returns the root folder of the Go module that contains the working directory. It returns an error outside of a module.
func Root() (string, error) {
	output, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("looking for the checkout's root: %w", err)
	}
	path := strings.TrimSpace(string(output))
	if path == "" || path == os.DevNull {
		return "", errors.New("looking for the checkout's root: not inside the module's folders")
	}
	return filepath.Dir(path), nil
}

// progress prints lines, each with the number of seconds since newProgress was called.
type progress struct {
	out   io.Writer
	start time.Time
}

func newProgress(out io.Writer) progress { return progress{out, time.Now()} }

// every prints the same line at an interval until the returned function is called.
func (p progress) every(interval time.Duration, text string) (stop func()) {
	ticker := time.NewTicker(interval)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				p.say("%s", text)
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(done)
	}
}

func (p progress) say(format string, args ...any) {
	fmt.Fprintf(p.out, "%7.1fs  %s\n", time.Since(p.start).Seconds(), fmt.Sprintf(format, args...))
}
