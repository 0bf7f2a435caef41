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
		{"keeps-user-specs", keepsUserSpecs},
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
		{"stored", storedIsListed},
	}
}

// Rules are the rules for one cluster, with their state. They must not be used concurrently.
type Rules struct {
	state *ruleState
}

// New returns the rules for a cluster.
func New() *Rules { return &Rules{newRuleState()} }

// OnWrite implements scenario.Checks.OnWrite. It returns the violations of all Steps, joined. It ignores a write for another
// resourceVersion than that of the object, because the API server refuses it.
func (r *Rules) OnWrite(before *scenario.View, write scenario.Write) error {
	c := &Cluster{View: before, state: r.state}
	object, version := c.Get(write.Resource, write.Namespace, write.Name), write.ResourceVersion()
	if object != nil && version != "" && version != object.GetResourceVersion() {
		return nil
	}
	var errs []error
	for _, rule := range Steps() {
		errs = append(errs, wrapRule(rule.Name, rule.Check(c, write)))
	}
	return errors.Join(errs...)
}

// AtRest implements scenario.Checks.AtRest. It returns the violations of all States, joined.
func (r *Rules) AtRest(objects *scenario.View) error {
	c := &Cluster{View: objects, state: r.state}
	var errs []error
	for _, rule := range States() {
		errs = append(errs, wrapRule(rule.Name, rule.Check(c)))
	}
	return errors.Join(errs...)
}

// wrapRule adds the name of a rule to its error. It returns nil for nil.
func wrapRule(rule string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("rule %s: %w", rule, err)
}
