package reconcile

import (
	"crypto/sha256"
	"encoding/json"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply/object"
)

// policy decides about changes by others.
type policy struct {
	drift     corev1alpha2.DriftPolicy
	additions corev1alpha2.AdditionsPolicy
	ignore    []corev1alpha2.DriftIgnore
	// digest identifies the policy: an object that was judged by another one is judged again.
	digest [sha256.Size]byte
}

// newPolicy fills in the defaults. With DriftIgnoreAll, additions are reported only if the spec sets so.
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

// policyOf returns the policy of one call. A read-only call has another digest, so that what it leaves is judged again afterwards.
func policyOf(options Options) *policy {
	p := newPolicy(options.Drift)
	if options.ReadOnly {
		p.digest = sha256.Sum256(p.digest[:])
	}
	return p
}

// ignored returns the JSON pointers of an object's fields that are left to others; nil when there are none.
func (p *policy) ignored(key object.Key) map[string]bool {
	var pointers map[string]bool
	for _, each := range p.ignore {
		if !isTarget(each.Target, key) {
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

func isTarget(target corev1alpha2.DriftTarget, key object.Key) bool {
	if target.Kind != "" && (target.Kind != key.Kind || target.Group != key.Group) {
		return false // beside a kind, an empty group is the core group
	}
	return (target.Group == "" || target.Group == key.Group) &&
		(target.Namespace == "" || target.Namespace == key.Namespace) &&
		(target.Name == "" || target.Name == key.Name)
}
