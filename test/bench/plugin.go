package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/samples"
	"github.com/openshift/platform-operators/test/steady"
)

const (
	// pluginOperators is the number of PlatformOperators for which `status` is measured.
	pluginOperators = 100
	// adminsUser is the user name of environment.Environment.Kubeconfig in audit events.
	adminsUser = "localcluster-admin"
	// searchedText is part of the name of some packages.
	searchedText = "quay"
)

// realCatalogs are the folders of the real catalogs, and their packages.
type realCatalogs struct {
	folders  []string
	packages []packageLines
}

// measurePlugin measures commands of the plugin n times, each in a process of its own. The packages of the real catalogs are repeated for
// catalogs of full size.
func measurePlugin(ctx context.Context, dir string, catalogs realCatalogs, n int, logf func(string, ...any)) (part, error) {
	large, err := writeCatalogs(filepath.Join(dir, "catalogs"), largeCatalogs, catalogs.packages)
	if err != nil {
		return part{}, err
	}
	var offered []samples.Operator
	for i := range pluginOperators {
		offered = append(offered, samples.Operator{Package: fmt.Sprintf("plugin-%d", i), Version: sampleVersion})
	}
	return withCluster(ctx, dir, environment.Options{Samples: offered, AuditLog: true}, logf, func(ctx context.Context, l *live) (part, error) {
		if err := l.BuildPlugin(ctx); err != nil {
			return part{}, err
		}
		p := pluginPart(len(catalogs.packages))
		plugin := filepath.Join(filepath.Dir(l.Kubectl), "kubectl-platform")
		for _, each := range offlineCommands(plugin, l.Kubectl, catalogs.folders, large) {
			figures, err := each.measure(ctx, n)
			if err != nil {
				return part{}, err
			}
			logf("%s: %s", each.name, seconds.format(figures[0].ours))
			p.figures = append(p.figures, figures...)
		}
		figures, err := l.measureStatus(ctx, plugin, offered, n)
		p.figures = append(p.figures, figures...)
		return p, err
	})
}

// offlineCommands returns the commands that need no cluster. data and large are folders of catalogs. The baselines are kubectl, and this
// program in another process, which reads the catalogs as opm does.
func offlineCommands(plugin, kubectl string, data, large []string) []comparison {
	compare := func(name string, permitted int, directories []string, baseline string, args ...string) comparison {
		return comparison{name: name,
			ours:     invocation{path: plugin, args: args, permitted: permitted},
			baseline: invocation{path: "/proc/self/exe", args: append([]string{baseline}, directories...)}}
	}
	search := func(directories []string) []string {
		args := []string{"search", searchedText}
		for _, each := range directories {
			args = append(args, "--catalog-dir", each)
		}
		return args
	}
	commands := []comparison{
		{name: "--help", ours: invocation{path: plugin, args: []string{"--help"}}, baseline: invocation{path: kubectl, args: []string{"--help"}}},
		compare(fmt.Sprintf("search in %d real catalogs", len(data)), 0, data, loadArgument, search(data)...),
		compare(fmt.Sprintf("search in %d catalogs of full size", len(large)), 0, large, loadArgument, search(large)...),
	}
	for _, each := range data {
		commands = append(commands, compare("catalog lint of "+filepath.Base(each), lintFound, []string{each}, validateArgument, "catalog", "lint", each))
	}
	return commands
}

// lintFound is the exit code of `catalog lint` if the catalog has mistakes.
const lintFound = 5

// measureStatus measures `status` without operators, and with all that are offered, which it installs. It counts the requests.
func (l *live) measureStatus(ctx context.Context, plugin string, offered []samples.Operator, n int) (figures []figure, err error) {
	log, err := steady.OpenLog(l.AuditLog)
	if err != nil {
		return nil, err
	}
	config := "--kubeconfig=" + l.Kubeconfig
	status := comparison{
		ours:     invocation{path: plugin, args: []string{"status", config}},
		baseline: invocation{path: l.Kubectl, args: []string{"get", "platformoperators.platform.openshift.io", config}},
	}
	for _, operators := range []int{0, len(offered)} {
		if operators > 0 {
			step := installStep(offered)
			step.Within = waitLimit
			if err := step.Run(ctx, l.admin); err != nil {
				return nil, err
			}
		}
		status.name = fmt.Sprintf("status of %d operators", operators)
		measured, err := status.measure(ctx, n)
		if err != nil {
			return nil, err
		}
		requests := figure{name: status.name + ": requests", unit: count, n: 1}
		for _, side := range []struct {
			run  invocation
			into *float64
		}{{status.ours, &requests.ours}, {status.baseline, &requests.baseline}} {
			if _, err := log.Read(adminsUser); err != nil { // discards earlier requests
				return nil, err
			}
			if _, err := side.run.run(ctx); err != nil {
				return nil, err
			}
			counted, err := log.Read(adminsUser)
			if err != nil {
				return nil, err
			}
			*side.into = float64(counted.Total())
		}
		l.logf("%s: %s, %.0f requests", status.name, seconds.format(measured[0].ours), requests.ours)
		figures = append(append(figures, measured...), requests)
	}
	return figures, nil
}

// writeCatalogs writes catalogs of these sizes, in bytes, below dir, and returns their folders. Each package has a file, as in catalogs that
// opm renders.
func writeCatalogs(dir string, sizes []int, packages []packageLines) (folders []string, err error) {
	for i, bytes := range sizes {
		stream, err := largeCatalog(bytes, packages)
		if err != nil {
			return nil, err
		}
		split, err := splitPackages(stream)
		if err != nil {
			return nil, err
		}
		folder := filepath.Join(dir, fmt.Sprint(i))
		for _, pkg := range split {
			file := filepath.Join(folder, pkg.name, "catalog.json")
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				return nil, fmt.Errorf("writing a catalog: %w", err)
			}
			if err := os.WriteFile(file, pkg.lines, 0o644); err != nil {
				return nil, fmt.Errorf("writing a catalog: %w", err)
			}
		}
		folders = append(folders, folder)
	}
	return folders, nil
}

func pluginPart(packages int) part {
	sizes := make([]string, len(largeCatalogs))
	for i, each := range largeCatalogs {
		sizes[i] = size.format(float64(each))
	}
	return part{
		title: "Commands of the plugin",
		text: fmt.Sprintf("Each command of `kubectl platform` runs in a process of its own, from its start to its end. Memory is its peak anonymous RSS, read every 5 ms. Requests are counted in the API server's audit log.\n\n"+
			"The real catalogs are folders of YAML files with %d packages. Catalogs of full size have %s of JSON, as opm renders them, and repeat the real packages under other names. "+
			"The targets are 100 ms for a start, 1 s for the status of 100 operators, 3 s and 100 MiB for a search in catalogs of full size, and 2 s for lint.\n\n"+
			"The baselines are `kubectl --help`; `kubectl get platformoperators`; for a search, a process that reads the catalogs with operator-registry's `declcfg.LoadFS`; and for lint, one that also validates the result, as `opm validate` does.",
			packages, strings.Join(sizes, ", ")),
		ours: "plugin", baseline: "kubectl or operator-registry",
	}
}
