package reconcile

import (
	"context"
	"fmt"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/utils/clock"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply/identity"
	"github.com/openshift/platform-operators/pkg/apply/livecache"
	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/apply/pacing"
	"github.com/openshift/platform-operators/pkg/drift"
	"github.com/openshift/platform-operators/pkg/plan"
)

// Options are the options that the objects of one call share.
type Options struct {
	// Claim is the owner, and what decides whose a live object is.
	Claim object.Claim
	// As is who sends the requests.
	As identity.Identity
	// Trusted is whether the objects, and nothing later, were applied completely before. It lets a restart tell drift from what the API
	// server makes of an object, without a request.
	Trusted bool
	// ReadOnly is whether nothing may be written.
	ReadOnly bool
	// Namespace is the known state of the install namespace, without a read.
	Namespace plan.InstallNamespace
	// Drift is the policy for changes by others.
	Drift corev1alpha2.Drift
	// Memory is the owner's cache from earlier calls.
	Memory *Memory
	// Window is the time in which the call writes.
	Window *pacing.Window
	Clock  clock.PassiveClock
}

// Outcome is the result for one object.
type Outcome struct {
	Desired *object.Desired
	// Live is the live object; nil when there is none.
	Live             *livecache.Live
	Created, Updated bool
	// Postponed is whether the object has to be written, and is left to the next call.
	Postponed bool
	Err       error
	// RetryAfter is when to look again, because no watch reports what is waited for.
	RetryAfter time.Duration
	// Left is whether the object is not as declared, or does not exist, and stays so for now: by the drift policy, or because the field is
	// contested.
	Left bool
	// Drift are the changes by others. Drifted is true if a declared field stays changed. Repaired is true if the object was repaired.
	Drift    []corev1alpha2.DriftRecord
	Drifted  bool
	Repaired bool
}

// Reconciler reconciles the objects of one call. It is safe for concurrent use, one call per object.
type Reconciler struct {
	options Options
	policy  *policy
}

// New returns a Reconciler for one call.
func New(options Options) *Reconciler {
	return &Reconciler{options: options, policy: policyOf(options)}
}

// Reconcile creates an object that is missing, changes one that is not as declared, and leaves one alone that is as declared or is not the
// owner's.
func (r *Reconciler) Reconcile(ctx context.Context, desired *object.Desired, resource livecache.Resource) Outcome {
	key, memory := desired.Key, r.options.Memory
	if desired.IsInstallNamespace && memory.isNotOwned(key.Name) {
		return Outcome{Desired: desired, Live: &livecache.Live{}}
	}
	if resource.IsNamespaced() != (key.Namespace != "") {
		err := &object.Refusal{Object: key, Err: fmt.Errorf("its kind being namespaced is %v, and its namespace is %q", resource.IsNamespaced(), key.Namespace), Remedy: "the bundle has to be corrected"}
		return Outcome{Desired: desired, Err: err}
	}
	live, unconfirmed := resource.Cache.Get(key)
	next := r.begin(desired, resource)
	if unconfirmed {
		next.result.RetryAfter = livecache.RecentTime // by then the watch has delivered the write; if not, the object may be gone again
	}
	next.reconcile(ctx, live)
	if desired.IsInstallNamespace {
		memory.setUnusable(key.Name, next.result.Err != nil)
	}
	return next.result
}

// begin prepares the reconciliation of one object.
func (r *Reconciler) begin(desired *object.Desired, resource livecache.Resource) *reconciliation {
	before, remembered := r.options.Memory.state(desired.Key)
	next := &reconciliation{
		options: &r.options, policy: r.policy, cache: resource.Cache, desired: desired, before: before,
		writer: writer{client: clientOf(r.options.As, resource, desired.Key), owner: r.options.Claim.Owner, key: desired.Key},
		result: Outcome{Desired: desired},
	}
	switch {
	case remembered && before.declared == desired.Digest:
		next.trust = drift.WrittenNow
		return next
	case !remembered && r.options.Trusted:
		next.trust = drift.WrittenBefore
	}
	next.before.normalized = nil // it is of what was declared before
	return next
}

func clientOf(as identity.Identity, resource livecache.Resource, key object.Key) dynamic.ResourceInterface {
	client := as.Dynamic.Resource(resource.Mapping.Resource)
	if resource.IsNamespaced() {
		return client.Namespace(key.Namespace)
	}
	return client
}
