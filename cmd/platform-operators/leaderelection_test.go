package main

import (
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1 "github.com/openshift/api/config/v1"
	electionconfig "github.com/openshift/library-go/pkg/config/leaderelection"

	"github.com/openshift/platform-operators/pkg/leaderelection"
)

func TestTimingsOfTheLeaseAreAllGivenOrNone(t *testing.T) {
	for name, test := range map[string]struct {
		args string
		want string
	}{
		"none: library-go's":           {"", ""},
		"no lease at all":              {"--leader-elect=false", ""},
		"three that fit":               {"--leader-elect-lease-duration=8s --leader-elect-renew-deadline=5s --leader-elect-retry-period=1s", ""},
		"only one":                     {"--leader-elect-retry-period=1s", "set all three to more than 0"},
		"one below zero":               {"--leader-elect-lease-duration=8s --leader-elect-renew-deadline=5s --leader-elect-retry-period=-1s", "set all three to more than 0"},
		"less than a second":           {"--leader-elect-lease-duration=900ms --leader-elect-renew-deadline=5ms --leader-elect-retry-period=1ms", "lease duration must be at least 1s"},
		"renewed after it ran out":     {"--leader-elect-lease-duration=8s --leader-elect-renew-deadline=8s --leader-elect-retry-period=1s", "greater than the renew deadline"},
		"no time for a second renewal": {"--leader-elect-lease-duration=8s --leader-elect-renew-deadline=6s --leader-elect-retry-period=5s", "times the retry period"},
	} {
		t.Run(name, func(t *testing.T) {
			var election leaderElection
			flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
			election.addFlags(flags)
			if err := flags.Parse(strings.Fields(test.args)); err != nil {
				t.Fatal(err)
			}
			err := election.validate()
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func TestALeaderMayStandStillForTheTimeThatTheLeaseOutlastsItsRenewal(t *testing.T) {
	given := configv1.LeaderElection{LeaseDuration: metav1.Duration{Duration: 8 * time.Second}, RenewDeadline: metav1.Duration{Duration: 5 * time.Second}, RetryPeriod: metav1.Duration{Duration: time.Second}}
	singleNode := electionconfig.LeaderElectionSNOConfig(configv1.LeaderElection{})
	for name, test := range map[string]struct {
		config configv1.LeaderElection
		want   time.Duration
	}{
		"library-go's timings":      {configv1.LeaderElection{}, 30 * time.Second},
		"those for a single node":   {singleNode, 30 * time.Second},
		"timings of flags":          {given, 3 * time.Second},
		"without a leader election": {configv1.LeaderElection{Disable: true}, 0},
	} {
		if limit := stallLimit(test.config, "ns"); limit != test.want {
			t.Errorf("%s: %s, want %s", name, limit, test.want)
		}
	}
}

func TestTheLeaseIsOnUnlessItIsTurnedOff(t *testing.T) {
	var election leaderElection
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	election.addFlags(flags)
	config := &configv1.LeaderElection{}
	election.applyTo(config)
	if config.Disable || config.LeaseDuration.Duration != 0 {
		t.Errorf("by default it is off: %t, and lasts %s", config.Disable, config.LeaseDuration.Duration)
	}
	if err := flags.Parse([]string{"--leader-elect=false", "--leader-elect-lease-duration=8s"}); err != nil {
		t.Fatal(err)
	}
	election.applyTo(config)
	if !config.Disable || config.LeaseDuration.Duration != 8*time.Second {
		t.Errorf("off: %t, lasts %s", config.Disable, config.LeaseDuration.Duration)
	}
}

func TestALockFileNeedsAPod(t *testing.T) {
	inPod := leaderelection.Pod{Name: "manager", UID: "0b1c"}
	for name, test := range map[string]struct {
		file string
		pod  leaderelection.Pod
		want string
	}{
		"outside of a pod":          {"", leaderelection.Pod{}, ""},
		"in a pod, without a file":  {"", inPod, ""},
		"in a pod":                  {"/var/cache/lock", inPod, ""},
		"a relative path":           {"lock", inPod, "not an absolute path"},
		"a pod without a name":      {"/var/cache/lock", leaderelection.Pod{UID: "0b1c"}, "POD_NAME and POD_UID"},
		"a pod without a UID":       {"/var/cache/lock", leaderelection.Pod{Name: "manager"}, "POD_NAME and POD_UID"},
		"nothing is known of a pod": {"/var/cache/lock", leaderelection.Pod{}, "POD_NAME and POD_UID"},
	} {
		t.Run(name, func(t *testing.T) {
			election := leaderElection{lockFile: test.file, pod: test.pod}
			err := election.validate()
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}
