// Command demo shows platform operators on a real API server. It starts a cluster, catalogs and the manager, and runs a scenario. A client
// other than the manager observes the results. After the scenario, even a failed one, everything keeps running until Ctrl-C. With --exit,
// the command ends instead.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/story"
)

const help = `Demo of platform-operators on a local cluster. Run by "make demo":

  make demo                 tell the story of the sample operators, then stay up until Ctrl-C
  make demo DEMO=exit       the same, and end
  make demo SCOPED=yes      the same with the roles of manifests-scoped/: the manager may neither bind nor escalate, and a ServiceAccount
                            installs each operator
  make demo CATALOG=<folder of a file-based catalog> BUNDLES=<folder of bundles> PACKAGE=<package>
                            serve real data instead, and install one package of it; the catalog is a folder of JSON or
                            YAML as "opm render" writes it and as a catalog's image has it in /configs, a folder a package

Flags:
`

type options struct {
	catalog, bundles, pkg, dir string
	exit, scoped               bool
}

func main() {
	var o options
	flag.StringVar(&o.catalog, "catalog", "", "folder of a file-based catalog, a folder a package")
	flag.StringVar(&o.bundles, "bundles", "", "folder of bundles, <package>/<version>/{manifests,metadata}")
	flag.StringVar(&o.pkg, "package", "", "the package of that catalog to install")
	flag.StringVar(&o.dir, "dir", "", "where to keep everything (default: a temporary folder, removed at the end)")
	flag.BoolVar(&o.exit, "exit", false, "end after the story instead of staying up")
	flag.BoolVar(&o.scoped, "scoped", false, "install as ServiceAccounts, with a manager that may neither bind nor escalate")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), help)
		flag.PrintDefaults()
	}
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, o)
	if err != nil && ctx.Err() != nil {
		err = errors.New("interrupted") // an interrupted scenario shows nothing
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "demo: %v\n", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) (err error) {
	settings, steps, err := o.plan()
	if err != nil {
		return err
	}
	if o.dir == "" {
		if o.dir, err = os.MkdirTemp("", "platform-operators-demo-"); err != nil {
			return fmt.Errorf("making a folder for the demo: %w", err)
		}
		defer func() {
			if err != nil && ctx.Err() == nil { // keeps the logs after a failure
				err = fmt.Errorf("%w\nwhat was started is kept in %s; remove it when you have read the logs", err, o.dir)
				return
			}
			err = errors.Join(err, os.RemoveAll(o.dir))
		}()
	}
	settings.Dir, settings.Log = o.dir, os.Stdout
	if o.scoped {
		settings.Variant = environment.Scoped
	}
	env, err := environment.Start(ctx, settings)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, env.Stop()) }()
	admin, err := story.NewAdmin(env)
	if err != nil {
		return err
	}
	admin.Scoped = o.scoped
	end := supervise(ctx, env)
	defer func() { err = errors.Join(err, end()) }()
	if err := env.BuildPlugin(ctx); err != nil {
		return err
	}
	// The plugin reads the ClusterCatalog at an address of this machine, whose certificate the system does not trust.
	fmt.Printf("\nIn another terminal:\n  export KUBECONFIG=%s PATH=%s:$PATH SSL_CERT_FILE=%s\n\n", env.Kubeconfig,
		filepath.Dir(env.Kubectl), env.Catalog.CAFile())
	untold := story.Tell(ctx, admin, steps, os.Stdout)
	if untold != nil && (o.exit || ctx.Err() != nil) {
		return untold
	}
	if o.exit {
		fmt.Println("\nThe story is told; DEMO=exit ends it here.")
		return nil
	}
	fmt.Print(o.hints(untold, env))
	<-ctx.Done()
	return untold
}

// hints returns the text that the demo prints after the scenario: commands to try while everything runs. untold is the error of the
// scenario, or nil.
func (o options) hints(untold error, env *environment.Environment) string {
	text := "\nThe story is told and everything stays up."
	if untold != nil {
		text = "\nThe story ends here, and everything stays up, so that you can look at what is in the way."
	}
	text += fmt.Sprintf(stayHint, env.Manager.Address, os.Getpid())
	if o.pkg == "" {
		return text + fmt.Sprintf(samplesHint, filepath.Join(env.Root, "test", "localcluster"), filepath.Dir(env.Kubeconfig), env.Catalog.RegistryHost())
	}
	return text + packageHint
}

// supervise starts a goroutine that restarts the manager when it ends. On SIGHUP, the goroutine builds the manager from the checkout and
// replaces the running one. end stops the goroutine, and returns an error if the manager did not stay up.
func supervise(ctx context.Context, env *environment.Environment) (end func() error) {
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	ctx, cancel := context.WithCancel(ctx)
	failed := make(chan error, 1)
	go func() {
		err := env.Supervise(ctx, hangup, os.Stdout)
		if err != nil {
			fmt.Printf("The demo goes on without a manager: %v\n", err)
		}
		failed <- err
	}()
	return func() error {
		signal.Stop(hangup)
		cancel()
		return <-failed
	}
}

const stayHint = ` For example:
  kubectl get plop,bd,co
  kubectl platform status
  kubectl describe plop
  kubectl explain plop.spec
  kubectl get events -n default
  kubectl get --raw /metrics --server=https://%s --insecure-skip-tls-verify | grep ^platform_operators
The manager is a process on this machine; the pod of its Deployment is a simulated one that does nothing. After a change of
the code, "kill -HUP %d" builds the manager again and puts it in the place of the one that runs. Ctrl-C stops it all.
`

const samplesHint = `
The catalogs offer beacon 0.1.0, 0.2.0, 0.3.0 (never ready), 0.3.1, 0.4.0 (never ready), 0.4.1; sextant 1.0.0, 1.1.3, 1.1.4, 1.2.2,
1.3.0, 1.3.1, whose author has rules for its upgrades; and compass 1.0.0, 1.1.0. The cluster is at 4.22 now.
  kubectl delete deployment -n compass compass       # comes back
May the cluster go on? At 4.23 the next version is 5.1, as 4.23 and 5.0 are one, and compass 1.1.0 is in the way of that:
  go run -C %s . set-version 4.23.0 --dir %s
  kubectl get co platform-operators-aggregated -o jsonpath='{.status.conditions[?(@.type=="Upgradeable")].message}'
  kubectl platform explain upgrade
The admin acknowledges the risk; then ask the same again:
  kubectl patch plop compass --type=merge -p '{"spec":{"compatibilityOverrides":[
    {"openShiftVersion":"5.1","reason":"trying it out","expires":"'$(date -u -d '+14 days' +%%FT%%TZ)'"}]}}'
And at last:
  kubectl delete plop compass                        # goes, its CRD stays
docs/samples has more to try. In its bundle.yaml and bundledeployment.yaml, replace the value of "ref" with this, and remove "pullSecret" from the second file:
  %s/bundles/beacon:0.1.0
`

const packageHint = `
Of the same catalog, another package whose bundle is among the bundles that are served:
  kubectl apply -f - <<< '{"apiVersion": "platform.openshift.io/v1alpha1", "kind": "PlatformOperator",
    "metadata": {"name": "NAME"}, "spec": {"package": {"name": "PACKAGE"}}}'
`

// plan returns what to start, and which scenario to run, for the given options. It returns an error if only some of catalog, bundles and
// pkg are set, or if the catalog or the bundles lack the package.
func (o options) plan() (environment.Options, []story.Step, error) {
	settings := environment.Options{OpenShiftVersion: story.ClusterVersion, Samples: story.FirstCatalog()}
	given := 0
	for _, value := range []string{o.catalog, o.bundles, o.pkg} {
		if value != "" {
			given++
		}
	}
	switch given {
	case 0:
		return settings, story.Samples(), nil
	case 3:
		settings.Samples = nil
		settings.Catalogs, settings.Bundles = []string{o.catalog}, []string{o.bundles}
		for _, folder := range []string{filepath.Join(o.catalog, o.pkg), filepath.Join(o.bundles, o.pkg)} {
			if _, err := os.Stat(folder); err != nil {
				return settings, nil, fmt.Errorf("looking for package %q: %w", o.pkg, err)
			}
		}
		return settings, story.Package(o.pkg), nil
	}
	return settings, nil, errors.New("CATALOG, BUNDLES and PACKAGE belong together: give all three or none")
}
