package main

import (
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/openshift/library-go/pkg/controller/controllercmd"
)

func TestTimingsOfTheLeaseAreAllGivenOrNone(t *testing.T) {
	for name, test := range map[string]struct {
		args string
		want string
	}{
		"none: library-go's":           {"", ""},
		"no lease at all":              {"--leader-elect=false", ""},
		"three that fit":               {"--leader-elect-lease-duration=8s --leader-elect-renew-deadline=5s --leader-elect-retry-period=1s", ""},
		"only one":                     {"--leader-elect-retry-period=1s", "give all three"},
		"one below zero":               {"--leader-elect-lease-duration=8s --leader-elect-renew-deadline=5s --leader-elect-retry-period=-1s", "give all three"},
		"less than a second":           {"--leader-elect-lease-duration=900ms --leader-elect-renew-deadline=5ms --leader-elect-retry-period=1ms", "whole seconds"},
		"renewed after it ran out":     {"--leader-elect-lease-duration=8s --leader-elect-renew-deadline=8s --leader-elect-retry-period=1s", "outlast"},
		"no time for a second renewal": {"--leader-elect-lease-duration=8s --leader-elect-renew-deadline=6s --leader-elect-retry-period=5s", "no time for a second try"},
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

func TestTheLeaseIsOnUnlessItIsTurnedOff(t *testing.T) {
	var election leaderElection
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	election.addFlags(flags)
	config := &controllercmd.ControllerCommandConfig{}
	election.applyTo(config)
	if config.DisableLeaderElection || config.LeaseDuration.Duration != 0 {
		t.Errorf("by default it is off: %t, and lasts %s", config.DisableLeaderElection, config.LeaseDuration.Duration)
	}
	if err := flags.Parse([]string{"--leader-elect=false", "--leader-elect-lease-duration=8s"}); err != nil {
		t.Fatal(err)
	}
	election.applyTo(config)
	if !config.DisableLeaderElection || config.LeaseDuration.Duration != 8*time.Second {
		t.Errorf("off: %t, lasts %s", config.DisableLeaderElection, config.LeaseDuration.Duration)
	}
}
