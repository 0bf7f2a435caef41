package capture

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/clock"

	"github.com/openshift/platform-operators/pkg/mustgather"
)

// requestsPerSecond limits the load on the API server. The capture of one operator needs about five requests.
const requestsPerSecond = 100

// Options are the settings of Run.
type Options struct {
	// OutputDir is the directory for the capture. It must be empty or not exist.
	OutputDir string
	// MustGather is the directory of a must-gather; empty to read from the cluster.
	MustGather string
	// Kubeconfig is the path of a kubeconfig; empty for the default one. Context is a context in it; empty for its current one.
	Kubeconfig, Context string
	// KubernetesVersion is the version of the API server; empty for that of the cluster, or of ClusterOperator kube-apiserver in the
	// must-gather.
	KubernetesVersion string
	Clock             clock.PassiveClock
}

// AddFlags registers the flags.
func (o *Options) AddFlags(flags *pflag.FlagSet) {
	flags.StringVar(&o.OutputDir, "output-dir", o.OutputDir, "directory for the capture; it must be empty or not exist")
	flags.StringVar(&o.MustGather, "must-gather", o.MustGather, "directory of a must-gather to read instead of a cluster")
	flags.StringVar(&o.Kubeconfig, "kubeconfig", o.Kubeconfig, "kubeconfig of the cluster (default: as kubectl)")
	flags.StringVar(&o.Context, "context", o.Context, "context in the kubeconfig (default: its current context)")
	flags.StringVar(&o.KubernetesVersion, "kubernetes-version", o.KubernetesVersion,
		"version of the API server, such as v1.36.3 (default: that of the cluster, or of ClusterOperator kube-apiserver in the must-gather)")
}

// Run captures a cluster or a must-gather into OutputDir, and returns a summary for the user. Run calls progress with a line before each round.
func Run(ctx context.Context, options Options, progress func(string)) (string, error) {
	if options.OutputDir == "" {
		return "", errors.New("--output-dir is required")
	}
	if options.MustGather != "" && (options.Kubeconfig != "" || options.Context != "") {
		return "", errors.New("--must-gather cannot be combined with --kubeconfig or --context; set only one source")
	}
	if entries, err := os.ReadDir(options.OutputDir); err == nil && len(entries) > 0 { // before much is read
		return "", fmt.Errorf("output directory %s is not empty; empty it, or choose a different one", options.OutputDir)
	}
	source, version, err := options.source()
	if err != nil {
		return "", err
	}
	at := options.Clock.Now()
	result, err := Capture(ctx, source, version, at, progress)
	if err != nil {
		return "", err
	}
	if err := mustgather.Write(options.OutputDir, result.Objects, result.NotCollected); err != nil {
		return "", fmt.Errorf("writing the capture: %w", err)
	}
	if err := writeStory(options.OutputDir, at, options.MustGather != ""); err != nil {
		return "", fmt.Errorf("writing the story of the capture: %w", err)
	}
	return result.summary(options, version), nil
}

// source returns the source and the version of its API server. The version is empty if ClusterOperator kube-apiserver has it.
func (o *Options) source() (Source, string, error) {
	if o.MustGather != "" {
		input, err := mustgather.Read(os.DirFS(o.MustGather), nil)
		if err != nil {
			return nil, "", fmt.Errorf("reading the must-gather %s: %w", o.MustGather, err)
		}
		return MustGather{input}, o.KubernetesVersion, nil
	}
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = o.Kubeconfig
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: o.Context}).ClientConfig()
	if err != nil {
		return nil, "", fmt.Errorf("reading the kubeconfig: %w", err)
	}
	return o.cluster(config)
}

func (o *Options) cluster(config *rest.Config) (Source, string, error) {
	config = rest.CopyConfig(config)
	config.QPS, config.Burst = requestsPerSecond, 2*requestsPerSecond
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, "", fmt.Errorf("building a client of the cluster: %w", err)
	}
	if o.KubernetesVersion != "" {
		return Cluster{client}, o.KubernetesVersion, nil
	}
	asking, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, "", fmt.Errorf("building a client of the cluster: %w", err)
	}
	version, err := asking.ServerVersion()
	if err != nil {
		return nil, "", fmt.Errorf("reading the version of the API server: %w", err)
	}
	return Cluster{client}, version.GitVersion, nil
}

// summary returns what was captured, what is missing, and how to use the capture.
func (r Result) summary(options Options, version string) string {
	elided, hasVersion := 0, false
	for _, each := range r.Objects {
		if each.IsElided() {
			elided++
		}
		hasVersion = hasVersion || each.Resource.Resource == "clusteroperators" && each.GetName() == "kube-apiserver"
	}
	var text strings.Builder
	fmt.Fprintf(&text, "Captured %d objects in %s, of which %d are Secrets without values.\n", len(r.Objects), options.OutputDir, elided)
	var lacks []string
	for _, each := range r.NotCollected.Resources {
		lacks = append(lacks, strings.TrimSuffix(each.Resource+"."+each.Group, "."))
	}
	if slices.Sort(lacks); len(lacks) > 0 {
		fmt.Fprintf(&text, "Not captured completely (see not-collected.yaml): %s.\n", strings.Join(lacks, ", "))
	}
	if r.Errs != nil {
		fmt.Fprintf(&text, "These syncs fail on the capture:\n%v\n", r.Errs)
	}
	text.WriteString("To see which mutations the manager sends without the content of catalogs and images, run:\n")
	fmt.Fprintf(&text, "  platform-operators apply-configuration --input-dir %s --output-dir OUTPUT", options.OutputDir)
	if !hasVersion && version != "" {
		fmt.Fprintf(&text, " --kubernetes-version %s", version)
	}
	text.WriteString("\n")
	fmt.Fprintf(&text, "To run the manager on a copy of this cluster, run the story in %s from a checkout of platform-operators:\n", filepath.Join(options.OutputDir, StoryFile))
	dir, err := filepath.Abs(options.OutputDir)
	if err != nil {
		dir = options.OutputDir
	}
	fmt.Fprintf(&text, "  go test -vet=off ./test/scenarios -run TestCaptured -args -update -captured=%s\n", dir)
	return text.String()
}
