//go:build servers

// Command servers is every program of the local cluster in one binary, because linking once makes a cold build much faster. The
// name under which it is started selects the program. The launcher creates links with these names.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	kubectl "k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kwokconfig "sigs.k8s.io/kwok/pkg/config"
	kwok "sigs.k8s.io/kwok/pkg/kwok/cmd"
	kwoklog "sigs.k8s.io/kwok/pkg/log"
	"sigs.k8s.io/kwok/pkg/utils/signals"
)

func main() {
	programs := map[string]func() int{
		"etcd":                    func() int { etcdmain.Main(os.Args); return 0 },
		"kube-apiserver":          func() int { return cli.Run(apiserver.NewAPIServerCommand()) },
		"kube-controller-manager": func() int { return cli.Run(controllermanager.NewControllerManagerCommand()) },
		"kube-scheduler":          func() int { return cli.Run(scheduler.NewSchedulerCommand()) },
		"kubectl":                 func() int { return cli.Run(kubectl.NewDefaultKubectlCommand()) },
		"kwok":                    runKwok,
	}
	name := filepath.Base(os.Args[0])
	run, known := programs[name]
	if !known {
		names := make([]string, 0, len(programs))
		for n := range programs {
			names = append(names, n)
		}
		slices.Sort(names)
		fmt.Fprintf(os.Stderr, "servers: started as %q; start it through a link named one of %s\n", name, strings.Join(names, ", "))
		os.Exit(2)
	}
	os.Exit(run())
}

// runKwok runs kwok with the logger and the stages that its root command expects in the context. It reads the stages from the
// --config files.
func runKwok() int {
	// Kubernetes' packages define a --version flag of another type, which cobra would merge into kwok's flags.
	pflag.CommandLine = pflag.NewFlagSet("kwok", pflag.ContinueOnError)

	flags := pflag.NewFlagSet("kwok", pflag.ContinueOnError)
	flags.ParseErrorsAllowlist.UnknownFlags = true
	flags.Usage = func() {}

	ctx, _ := kwoklog.InitFlags(signals.SetupSignalContext(), flags)
	ctx, err := kwokconfig.InitFlags(ctx, flags)
	if err != nil {
		fmt.Fprintf(os.Stderr, "kwok: reading configuration: %v\n", err)
		return 1
	}
	command := kwok.NewCommand(ctx)
	command.PersistentFlags().AddFlagSet(flags)
	if err := command.ExecuteContext(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "kwok: %v\n", err)
		return 1
	}
	return 0
}
