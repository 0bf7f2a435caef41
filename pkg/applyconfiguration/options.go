package applyconfiguration

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/utils/clock"

	"github.com/openshift/platform-operators/pkg/manifestserver"
)

// Options are the settings of a run. The first four flags are those of multi-operator-manager.
type Options struct {
	// InputDir is the directory with the objects, in the layout of oc adm inspect.
	InputDir string
	// OutputDir is the directory for the mutations. It must be empty or not exist.
	OutputDir string
	// Controllers selects the controllers that run, as in kube-controller-manager: "*", "name" or "-name".
	Controllers []string
	// Now is the time of the run, in RFC 3339; empty for the time of Clock.
	Now string
	// Clock is read if Now is empty.
	Clock clock.PassiveClock
	// Seed selects the order of the controllers and of their keys. If it is 0, it is derived from Now.
	Seed uint64
	// Timeout is the maximum time of the run.
	Timeout time.Duration
	// KubernetesVersion is the version of the API server; empty to read it from ClusterOperator kube-apiserver.
	KubernetesVersion string
	// Cache makes successive calls of Reconcile faster. It may be nil. No flag sets it.
	Cache *Cache
	// OperatorVersion is the version that the ClusterOperator reports for operand "operator". No flag sets it.
	OperatorVersion string
	// Inspect is called with the server after the controllers have run, for tests of what they read and wrote. It may be nil.
	Inspect func(*manifestserver.Server)

	// ownsInput is true if nothing else uses the objects of the input, so that the server may release them.
	ownsInput bool
}

// AddFlags registers the flags.
func (o *Options) AddFlags(flags *pflag.FlagSet) {
	flags.StringVar(&o.InputDir, "input-dir", o.InputDir, "directory with the objects of the cluster, in the layout of oc adm inspect")
	flags.StringVar(&o.OutputDir, "output-dir", o.OutputDir, "directory for the mutations; it must be empty or not exist")
	flags.StringSliceVar(&o.Controllers, "controllers", []string{"*"}, "controllers to run: * for all, NAME for one, *,-NAME for all but one")
	flags.DurationVar(&o.Timeout, "timeout", time.Minute, "maximum time of the run")
	flags.StringVar(&o.Now, "now", o.Now, "time of the run, in RFC 3339 (default: the current time)")
	flags.Uint64Var(&o.Seed, "seed", o.Seed, "seed for the order of the controllers and of their keys (default: derived from --now)")
	flags.StringVar(&o.KubernetesVersion, "kubernetes-version", o.KubernetesVersion,
		"version of the API server, such as v1.36.3 (default: that of ClusterOperator kube-apiserver)")
}

// complete sets the time and the seed, and returns an error that lists all invalid settings.
func (o *Options) complete() error {
	var faults []error
	if o.InputDir == "" {
		faults = append(faults, errors.New("--input-dir is required"))
	}
	if o.OutputDir == "" {
		faults = append(faults, errors.New("--output-dir is required"))
	}
	now, err := o.time()
	if err != nil {
		faults = append(faults, err)
	}
	o.Now = now.Format(time.RFC3339Nano)
	o.setSeed(now)
	return errors.Join(faults...)
}

// time returns the time of the run.
func (o *Options) time() (time.Time, error) {
	if o.Now == "" {
		return o.Clock.Now().UTC(), nil
	}
	now, err := time.Parse(time.RFC3339, o.Now)
	if err != nil {
		return now, fmt.Errorf("--now is %q, which is not in RFC 3339; set it to a time such as 2026-01-31T12:00:00Z", o.Now)
	}
	if now.Year() > maxYear {
		return now, fmt.Errorf("--now is in the year %d; set it to a time until the year %d", now.Year(), maxYear)
	}
	return now.UTC(), nil
}

// maxYear is the maximum year of --now. RFC 3339 has no years above 9999, and run-again.yaml has later times.
const maxYear = 9000

// setSeed sets the seed to the time of the run, unless it is set.
func (o *Options) setSeed(now time.Time) {
	if o.Seed == 0 {
		o.Seed = uint64(now.UnixNano()) //nolint:gosec // any number is a seed
	}
}

// isSelected returns a function that reports whether a controller runs. It returns an error if Controllers names one that does not exist.
func (o *Options) isSelected(known []string) (func(string) bool, error) {
	for _, each := range o.Controllers {
		if name := strings.TrimPrefix(each, "-"); name != "*" && !slices.Contains(known, name) {
			return nil, fmt.Errorf("--controllers: there is no controller %q; there are %s", name, strings.Join(known, ", "))
		}
	}
	if !slices.ContainsFunc(o.Controllers, func(each string) bool { return !strings.HasPrefix(each, "-") }) {
		return nil, errors.New("--controllers selects no controller; to run all but one, set it to *,-NAME")
	}
	return func(controller string) bool {
		switch {
		case slices.Contains(o.Controllers, "-"+controller):
			return false
		case slices.Contains(o.Controllers, controller):
			return true
		}
		return slices.Contains(o.Controllers, "*")
	}, nil
}
