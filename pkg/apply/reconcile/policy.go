package reconcile

import (
	"crypto/sha256"
	"encoding/json"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/drift"
)

// policy is the drift policy with its default values.
type policy struct {
	drift     corev1alpha2.DriftPolicy
	additions corev1alpha2.AdditionsPolicy
	ignore    []corev1alpha2.DriftIgnore
	// digest identifies the policy. An object that was compared under a different policy is compared again.
	digest [sha256.Size]byte
}

// newPolicy returns the policy with defaults in its empty fields: Enforce, and Report for additions. With DriftIgnoreAll, the default is to
// ignore additions.
func newPolicy(from corev1alpha2.Drift) *policy {
	p := &policy{drift: from.Policy, additions: from.Additions, ignore: from.Ignore}
	if p.drift == "" {
		p.drift = corev1alpha2.DriftEnforce
	}
	if p.additions == "" {
		p.additions = corev1alpha2.AdditionsReport
		if p.drift == corev1alpha2.DriftIgnoreAll {
			p.additions = corev1alpha2.AdditionsIgnore
		}
	}
	encoded, err := json.Marshal(corev1alpha2.Drift{Policy: p.drift, Additions: p.additions, Ignore: p.ignore})
	if err == nil { // strings can always be encoded
		p.digest = sha256.Sum256(encoded)
	}
	return p
}

// policyOf returns the policy of one call. The policy of a read-only call has a different digest, so that the next call that may write
// compares the object again.
func policyOf(options Options) *policy {
	p := newPolicy(options.Drift)
	if options.ReadOnly {
		p.digest = sha256.Sum256(p.digest[:])
	}
	return p
}

// ignored returns the JSON pointers of an object's fields that the policy ignores; nil if there are none.
func (p *policy) ignored(key object.Key) map[string]bool {
	var pointers map[string]bool
	for _, each := range p.ignore {
		if !drift.IsTarget(each.Target, key.GroupKind, key.Namespace, key.Name) {
			continue
		}
		for _, pointer := range each.JSONPointers {
			if pointers == nil {
				pointers = map[string]bool{}
			}
			pointers[pointer] = true
		}
	}
	return pointers
}
