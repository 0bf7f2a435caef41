package scenarios

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/pkg/scenario/story"
	"github.com/openshift/platform-operators/test/samples"
)

// verbs returns the verbs that steps of this package's stories can use, keyed by name.
func (s *Story) verbs() map[string]story.Verb {
	verbs := story.Verbs()
	verbs["publish"] = s.publish
	verbs["manager"] = s.manager
	verbs["openshift"] = s.openshift
	verbs["network"] = s.setNetwork
	return verbs
}

// offer is a sample operator in the YAML of a story. samples.Operator explains the fields; only MaxOpenShiftVersion differs: it is a string
// here, and raw JSON there.
type offer struct {
	Package             string   `json:"package"`
	Version             string   `json:"version"`
	MaxOpenShiftVersion string   `json:"maxOpenShiftVersion,omitempty"`
	NeverReady          bool     `json:"neverReady,omitempty"`
	NoBundle            bool     `json:"noBundle,omitempty"`
	ExtraConfigMap      string   `json:"extraConfigMap,omitempty"`
	Channels            []string `json:"channels,omitempty"`
	Replaces            string   `json:"replaces,omitempty"`
	NoReplaces          bool     `json:"noReplaces,omitempty"`
	Skips               []string `json:"skips,omitempty"`
	SkipRange           string   `json:"skipRange,omitempty"`
	Plain               bool     `json:"plain,omitempty"`
}

func (o offer) sample() (samples.Operator, error) {
	sample := samples.Operator{
		Package: o.Package, Version: o.Version, NeverReady: o.NeverReady, NoBundle: o.NoBundle, ExtraConfigMap: o.ExtraConfigMap,
		Channels: o.Channels, Replaces: o.Replaces, NoReplaces: o.NoReplaces, Skips: o.Skips, SkipRange: o.SkipRange, Plain: o.Plain,
	}
	if o.MaxOpenShiftVersion != "" {
		raw, err := json.Marshal(o.MaxOpenShiftVersion)
		if err != nil {
			return sample, err
		}
		sample.MaxOpenShiftVersion = string(raw)
	}
	return sample, nil
}

// publish publishes the operators in the catalog. They replace all operators that the catalog contains from the same packages.
func (s *Story) publish(ctx context.Context, _ *story.Runner, step story.Step) error {
	var operators []offer
	if err := step.Arguments.Into(&operators); err != nil {
		return err
	}
	offered := make([]samples.Operator, len(operators))
	for i, each := range operators {
		var err error
		if offered[i], err = each.sample(); err != nil {
			return err
		}
	}
	return s.Publish(ctx, offered...)
}

// setNetwork sets whether the catalog and the registry are reachable; the step's argument is "down" or "up".
func (s *Story) setNetwork(_ context.Context, _ *story.Runner, step story.Step) error {
	var what string
	if err := step.Arguments.Into(&what); err != nil {
		return err
	}
	if what != "down" && what != "up" {
		return fmt.Errorf("%q is unknown; use down or up", what)
	}
	s.networkDown = what == "down"
	s.network.SetDown(s.networkDown)
	return nil
}

// manager starts, kills or restarts the manager, as the step's argument says. A restart starts the manager if none is running. A kill is an
// error if none is running.
func (s *Story) manager(_ context.Context, r *story.Runner, step story.Step) error {
	var what string
	if err := step.Arguments.Into(&what); err != nil {
		return err
	}
	if !slices.Contains([]string{"start", "kill", "restart"}, what) {
		return fmt.Errorf("%q is unknown; use start, kill or restart", what)
	}
	if what == "kill" && s.Manager == nil {
		return errors.New("cannot kill the manager: none runs; start it first")
	}
	if what != "start" && s.Manager != nil { // a fault may have killed an earlier process of the manager
		s.KillManager()
	}
	if what != "kill" {
		r.Processes = map[string]*scenario.Process{"manager": s.StartManager().process}
	}
	return nil
}
