// Command localcluster starts a Kubernetes control plane with simulated nodes on this machine, with the APIs and objects of
// OpenShift, and stops it. It parses flags and environment variables, builds missing programs (package binaries) and calls
// package cluster. Developers, the demo and the test suites of the main module run it. The test suites run it as a child
// process, because the main go.mod must not require Kubernetes' servers.
package main

import (
	"context"
	"embed"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/openshift/platform-operators/test/localcluster/binaries"
	"github.com/openshift/platform-operators/test/localcluster/cluster"
	"github.com/openshift/platform-operators/test/localcluster/furniture"
)

// serverFiles are the source files from which the multi-call binary of the servers is built. The program embeds them, so that it works from
// any directory.
//
//go:embed go.mod go.sum servers/*.go
var serverFiles embed.FS

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if err := newCommand(os.Stdout, os.Stderr).ExecuteContext(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "localcluster: %v\n", err)
		os.Exit(1)
	}
}

// streams are the outputs of a command: out receives results, and progress receives progress messages.
type streams struct{ out, progress io.Writer }

func newCommand(out, progress io.Writer) *cobra.Command {
	s := streams{out: out, progress: &prefixed{to: progress, prefix: "localcluster: "}}
	root := &cobra.Command{
		Use:   "localcluster",
		Short: "A real Kubernetes API server with simulated nodes that looks like OpenShift, on loopback",
		Long: `localcluster runs etcd, kube-apiserver, kube-controller-manager, kube-scheduler and kwok (which plays nodes and
kubelets, so no container ever runs) as ordinary processes of yours. Everything is compiled from Go modules the
first time, which takes minutes, and kept in your cache directory by version; after that a cluster is up in seconds.

Each cluster lives in a directory of its own and listens on free ports of 127.0.0.1, so several run side by side.
A cluster is furnished with OpenShift's, OLM's and our CRDs, ClusterVersion/version, FeatureGate/cluster,
Infrastructure/cluster, and one control plane node and workers, all simulated.`,
		Example: `  go run -C test/localcluster . up --dir /tmp/c1        # start, wait until it is ready, leave it running
  /tmp/c1/kubectl get nodes,clusterversion              # a kubectl bound to that cluster
  go run -C test/localcluster . set-version 4.22.0 --dir /tmp/c1
  go run -C test/localcluster . down --dir /tmp/c1      # stop it and remove the directory`,
		SilenceUsage:      true,
		SilenceErrors:     true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.SetOut(out)
	root.SetErr(progress)
	root.AddCommand(upCommand(s), downCommand(s), statusCommand(s), setVersionCommand(s), buildCommand(s), objectsCommand(s), superviseCommand())
	return root
}

// dirFlag adds the flag --dir to a command. The returned function returns the flag's value as an absolute path, or the default directory if
// the flag is not set.
func dirFlag(cmd *cobra.Command) func() (string, error) {
	value := cmd.Flags().String("dir", "", `directory of the cluster (default "clusters/default" in the cache directory); relative ones start at test/localcluster under "go run -C test/localcluster"`)
	return func() (string, error) {
		if *value == "" {
			root, err := cacheRoot()
			return filepath.Join(root, "clusters", "default"), err
		}
		dir, err := filepath.Abs(*value)
		if err != nil {
			return "", fmt.Errorf("reading --dir %q: %w", *value, err)
		}
		return dir, nil
	}
}

func cacheRoot() (string, error) {
	root, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("finding your cache directory: %w; set XDG_CACHE_HOME or HOME", err)
	}
	return filepath.Join(root, "platform-operators", "localcluster"), nil
}

func openCache(progress io.Writer) (*binaries.Cache, error) {
	root, err := cacheRoot()
	if err != nil {
		return nil, err
	}
	source := binaries.Source{Files: map[string][]byte{}, Manifests: furniture.Manifests()}
	for _, name := range []string{"go.mod", "go.sum", "servers/main.go", "servers/manifests.go"} {
		content, err := serverFiles.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("reading the servers' source: %w", err)
		}
		source.Files[name] = content
	}
	return binaries.Open(root, source, progress)
}

// provide returns the paths of all programs, keyed by name, and the manifest directory. It uses the programs that exist in the directory
// assets, and compiles the others.
func provide(ctx context.Context, assets string, progress io.Writer) (map[string]string, string, error) {
	cache, err := openCache(progress)
	if err != nil {
		return nil, "", err
	}
	manifests, err := cache.Manifests(ctx)
	if err != nil {
		return nil, "", err
	}
	programs := cluster.FindAssets(assets)
	if assets != "" {
		fmt.Fprintf(progress, "KUBEBUILDER_ASSETS=%s has %d of the %d programs; the others are compiled ones\n", assets, len(programs), len(cluster.Programs()))
	}
	for _, name := range cluster.Programs() {
		if programs[name] != "" {
			continue
		}
		if programs[name], err = cache.Servers(ctx); err != nil {
			return nil, "", err
		}
	}
	return programs, manifests, nil
}

// prefixed is a writer that passes each line, with a prefix, to another writer in a single call. Each call of its Write must pass one line.
type prefixed struct {
	to     io.Writer
	prefix string
}

func (p *prefixed) Write(line []byte) (int, error) {
	if _, err := p.to.Write(append([]byte(p.prefix), line...)); err != nil {
		return 0, err
	}
	return len(line), nil
}

const defaultTimeout = 2 * time.Minute
