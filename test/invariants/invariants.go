package invariants

import (
	"errors"
	"fmt"

	"github.com/openshift/platform-operators/pkg/scenario"
)

// Step is a rule about a single write of the manager.
type Step struct {
	// Name names the rule in errors and in docs/testing.md.
	Name string
	// Check returns an error if the write violates the rule. The view of the cluster is that before the write.
	Check func(c *Cluster, write scenario.Write) error
}

// State is a rule about the objects of a cluster at rest.
type State struct {
	// Name names the rule in errors and in docs/testing.md.
	Name string
	// Check returns an error for each object that violates the rule, joined.
	Check func(c *Cluster) error
}

// Steps returns the rules about writes.
func Steps() []Step {
	return []Step{
		{"deletes-by-uid", deletesByUID},
		{"deletes-own-objects", deletesOwnObjects},
		{"keeps-custom-resources", keepsCustomResources},
		{"keeps-active-revision", keepsActiveRevision},
		{"activates-when-ready", activatesWhenReady},
		{"pause", pauseIsRespected},
		{"one-writer", oneWriter},
	}
}

// States returns the rules about a cluster at rest.
func States() []State {
	return []State{
		{"gate", gateIsClosed},
		{"installed", installedIsTrue},
		{"generation", generationIsObserved},
		{"drift", driftIsReported},
		{"healthy", healthyIsReady},
		{"removed", nothingRemains},
	}
}

// Rules are the rules for one cluster, with what they remember. They must not be used concurrently.
type Rules struct {
	memory *memory
}

// New returns the rules for a cluster.
func New() *Rules { return &Rules{newMemory()} }

// OnWrite is a function for scenario.Checks.
func (r *Rules) OnWrite(before *scenario.View, write scenario.Write) error {
	c := &Cluster{View: before, memory: r.memory}
	var errs []error
	for _, rule := range Steps() {
		errs = append(errs, named(rule.Name, rule.Check(c, write)))
	}
	return errors.Join(errs...)
}

// AtRest is a function for scenario.Checks.
func (r *Rules) AtRest(objects *scenario.View) error {
	c := &Cluster{View: objects, memory: r.memory}
	var errs []error
	for _, rule := range States() {
		errs = append(errs, named(rule.Name, rule.Check(c)))
	}
	return errors.Join(errs...)
}

func named(rule string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("rule %s: %w", rule, err)
}
