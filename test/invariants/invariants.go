package invariants

import (
	"errors"
	"fmt"

	"github.com/openshift/platform-operators/pkg/scenario"
)

// WriteRule is a rule about a single write by the manager.
type WriteRule struct {
	// Name is the name of the rule in errors and in docs/testing.md.
	Name string
	// Check returns an error if the write violates the rule. c shows the cluster as it was before the write.
	Check func(c *Cluster, write scenario.Write) error
	// NeedsOnlyRequest is true for a rule that needs only the request. Such a rule is checked for every write, even right after a backup is
	// restored, and its Check gets a nil Cluster.
	NeedsOnlyRequest bool
}

// StateRule is a rule about the objects of a cluster at rest.
type StateRule struct {
	// Name is the name of the rule in errors and in docs/testing.md.
	Name string
	// Check returns the joined errors for all objects that violate the rule.
	Check func(c *Cluster) error
}

// WriteRules returns the rules about writes.
func WriteRules() []WriteRule {
	return []WriteRule{
		{Name: "deletes-by-uid", Check: deletesByUID, NeedsOnlyRequest: true},
		{Name: "deletes-own-objects", Check: deletesOwnObjects},
		{Name: "keeps-custom-resources", Check: keepsCustomResources},
		{Name: "keeps-active-revision", Check: keepsActiveRevision},
		{Name: "activates-when-ready", Check: activatesWhenReady},
		{Name: "pause", Check: pauseIsRespected},
		{Name: "one-writer", Check: oneWriter},
		{Name: "keeps-user-specs", Check: keepsUserSpecs},
	}
}

// StateRules returns the rules about a cluster at rest.
func StateRules() []StateRule {
	return []StateRule{
		{"gate", gateIsClosed},
		{"installed", installedIsTrue},
		{"generation", generationIsObserved},
		{"drift", driftIsReported},
		{"healthy", healthyIsReady},
		{"removed", nothingRemains},
		{"stored", storedIsListed},
	}
}

// Rules checks the rules for one cluster, and stores state between the checks. Its methods must not be called concurrently.
type Rules struct {
	state *ruleState
}

// New returns the rules for a cluster.
func New() *Rules { return &Rules{newRuleState()} }

// OnEveryWrite implements scenario.Checks.OnEveryWrite. It returns the joined violations of the rules with NeedsOnlyRequest.
func (*Rules) OnEveryWrite(write scenario.Write) error {
	var errs []error
	for _, rule := range WriteRules() {
		if rule.NeedsOnlyRequest {
			errs = append(errs, wrapRule(rule.Name, rule.Check(nil, write)))
		}
	}
	return errors.Join(errs...)
}

// OnWrite implements scenario.Checks.OnWrite. It returns the joined violations of the rules without NeedsOnlyRequest. It ignores a write
// whose resourceVersion differs from the object's, because the API server refuses such a write.
func (r *Rules) OnWrite(before *scenario.View, write scenario.Write) error {
	c := &Cluster{View: before, state: r.state}
	object, version := c.Get(write.Resource, write.Namespace, write.Name), write.ResourceVersion()
	if object != nil && version != "" && version != object.GetResourceVersion() {
		return nil
	}
	var errs []error
	for _, rule := range WriteRules() {
		if !rule.NeedsOnlyRequest {
			errs = append(errs, wrapRule(rule.Name, rule.Check(c, write)))
		}
	}
	return errors.Join(errs...)
}

// AtRest implements scenario.Checks.AtRest. It returns the violations of all StateRules, joined.
func (r *Rules) AtRest(objects *scenario.View) error {
	c := &Cluster{View: objects, state: r.state}
	var errs []error
	for _, rule := range StateRules() {
		errs = append(errs, wrapRule(rule.Name, rule.Check(c)))
	}
	return errors.Join(errs...)
}

// wrapRule adds the name of a rule to its error. It returns nil if the error is nil.
func wrapRule(rule string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("rule %s: %w", rule, err)
}
