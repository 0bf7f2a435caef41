package main

import (
	"fmt"
	"time"

	"github.com/spf13/pflag"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/leaderelection"

	"github.com/openshift/library-go/pkg/controller/controllercmd"
)

// leaderElection is what flags say of the lease. Durations of zero are library-go's, which follow the control plane's topology.
type leaderElection struct {
	enabled                                   bool
	leaseDuration, renewDeadline, retryPeriod time.Duration
}

func (e *leaderElection) addFlags(flags *pflag.FlagSet) {
	flags.BoolVar(&e.enabled, "leader-elect", true,
		"Hold a lease before doing anything, so that one manager acts at a time. Turn it off only where nothing else can run.")
	flags.DurationVar(&e.leaseDuration, "leader-elect-lease-duration", 0,
		"How long a manager that does not renew its lease keeps it. Zero means as OpenShift has it: 137s, on a single node 270s. All three durations or none.")
	flags.DurationVar(&e.renewDeadline, "leader-elect-renew-deadline", 0,
		"How long a manager tries to renew its lease before it ends. Zero means 107s, on a single node 240s.")
	flags.DurationVar(&e.retryPeriod, "leader-elect-retry-period", 0,
		"How long a manager waits at least between two tries to get or renew the lease. Zero means 26s, on a single node 60s.")
}

// validate says what client-go would otherwise end the process over once it has started.
func (e *leaderElection) validate() error {
	if e.leaseDuration == 0 && e.renewDeadline == 0 && e.retryPeriod == 0 {
		return nil
	}
	given := fmt.Sprintf("--leader-elect-lease-duration=%s, --leader-elect-renew-deadline=%s, --leader-elect-retry-period=%s",
		e.leaseDuration, e.renewDeadline, e.retryPeriod)
	switch {
	case e.leaseDuration <= 0 || e.renewDeadline <= 0 || e.retryPeriod <= 0:
		return fmt.Errorf("%s: give all three, above zero, or none", given)
	case e.leaseDuration < time.Second:
		return fmt.Errorf("%s: a lease is held for whole seconds, one at least", given)
	case e.leaseDuration <= e.renewDeadline:
		return fmt.Errorf("%s: the lease has to outlast the tries to renew it", given)
	case float64(e.renewDeadline) <= leaderelection.JitterFactor*float64(e.retryPeriod):
		return fmt.Errorf("%s: the deadline leaves no time for a second try, which comes after up to %v times the retry period", given, leaderelection.JitterFactor)
	}
	return nil
}

func (e *leaderElection) applyTo(config *controllercmd.ControllerCommandConfig) {
	config.DisableLeaderElection = !e.enabled
	config.LeaseDuration = metav1.Duration{Duration: e.leaseDuration}
	config.RenewDeadline = metav1.Duration{Duration: e.renewDeadline}
	config.RetryPeriod = metav1.Duration{Duration: e.retryPeriod}
}
