// Package invocation describes how the plugin was called: by which name, with which streams, terminal, clock and connection flags. pkg/cli
// creates one Invocation, and every command receives it. The package does not connect to a cluster; pkg/cli/cluster does.
package invocation

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/utils/clock"

	"github.com/openshift/platform-operators/pkg/cli/printer"
)

// DefaultTimeout is the default of --timeout. A search in three full catalogs takes seconds.
const DefaultTimeout = time.Minute

// Invocation is one call of the plugin.
type Invocation struct {
	// Name is the command that usage texts and remedies show, such as "oc platform".
	Name string
	// Streams are the streams of the process. Reports go to Out. Errors, warnings and progress go to ErrOut.
	Streams genericiooptions.IOStreams
	// Width is the number of columns of the terminal that Out writes to; 0 if Out is not a terminal.
	Width int
	// CanAsk means that In is a terminal, so that a command can ask the user.
	CanAsk bool
	// Now returns the current time.
	Now func() time.Time
	// Connection holds the values of the flags that select the cluster, the user and the namespace.
	Connection *genericclioptions.ConfigFlags
	// Timeout is the maximum duration of the command; 0 means none.
	Timeout time.Duration
}

// New returns the invocation of the program at path, with the defaults of the flags and an output that is not a terminal.
func New(path string, streams genericiooptions.IOStreams) *Invocation {
	connection := genericclioptions.NewConfigFlags(true)
	// The plugin does not need discovery, so it does not write a cache.
	connection.CacheDir = nil
	return &Invocation{Name: DisplayName(path), Streams: streams, Now: clock.RealClock{}.Now, Connection: connection, Timeout: DefaultTimeout}
}

// AddFlags adds the flags that every command has.
func (i *Invocation) AddFlags(flags *pflag.FlagSet) {
	i.Connection.AddFlags(flags)
	flags.Lookup("namespace").Usage = "has no effect: what the plugin reads has no namespace, or a fixed one"
	flags.DurationVar(&i.Timeout, "timeout", i.Timeout, "maximum duration of the whole command; 0 means no maximum. --request-timeout "+
		"limits each request")
}

// WithTimeout returns a context that ends after Timeout.
func (i *Invocation) WithTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	if i.Timeout <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, i.Timeout)
}

// Client returns the command-line client that remedies use: "oc" if oc called the plugin, or else "kubectl".
func (i *Invocation) Client() string {
	if strings.HasPrefix(i.Name, "oc ") {
		return "oc"
	}
	return "kubectl"
}

// Warn prints a warning to ErrOut, in one line and without hidden characters.
func (i *Invocation) Warn(sentence string) {
	fmt.Fprintf(i.Streams.ErrOut, "warning: %s\n", printer.OneLine(sentence))
}

// DisplayName returns the command with which a user calls the program at path. kubectl and oc run a program "kubectl-platform" for "kubectl
// platform", and oc also runs "oc-platform". Any other name is the command itself.
func DisplayName(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), ".exe")
	for _, cli := range []string{"kubectl", "oc"} {
		if plugin, ok := strings.CutPrefix(name, cli+"-"); ok {
			return cli + " " + strings.ReplaceAll(plugin, "_", "-")
		}
	}
	return name
}

// IsCompletion reports whether kubectl or oc called the program at path to complete an argument. In that case, kubectl runs
// "kubectl_complete-platform".
func IsCompletion(path string) bool {
	name := filepath.Base(path)
	return strings.HasPrefix(name, "kubectl_complete-") || strings.HasPrefix(name, "oc_complete-")
}
