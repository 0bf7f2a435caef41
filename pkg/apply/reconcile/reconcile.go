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
	// Claim decides whether the owner owns or may adopt a live object.
	Claim object.Claim
	// As is the identity that sends the requests. Manager is the manager's identity, which sends those for the install namespace: a
	// ServiceAccount cannot exist before its namespace. As must have a client, and is used if Manager has none.
	As, Manager identity.Identity
	// Trusted is true if the revision of these objects was applied completely, and no other revision has been applied since, not even in
	// part. After a restart, Reconcile can then distinguish drift from changes that the API server made, such as defaults, without a
	// request.
	Trusted bool
	// ReadOnly makes Reconcile write nothing.
	ReadOnly bool
	// Namespace is the known state of the install namespace. Reconcile adds what it learns from the live Namespace.
	Namespace plan.InstallNamespace
	// Drift is the policy for changes by other clients. An empty Policy means Enforce. Empty Additions mean Report, or Ignore if Policy is
	// Ignore.
	Drift corev1alpha2.Drift
	// Confirm returns an error if the owner no longer exists, or if its spec differs from the one that these options were made from. It is
	// called before each write. If Confirm is nil, Reconcile does not check the owner.
	Confirm func(context.Context) error
	// Memory is the owner's cache from earlier calls. Reconcile updates it.
	Memory *Memory
	// Window is the time in which the call may begin writes. After that, objects are Postponed.
	Window *pacing.Window
	Clock  clock.PassiveClock
}

// Outcome is the result for one object.
type Outcome struct {
	Desired *object.Desired
	// Live is the live object; nil if it does not exist or could not be determined. For an install namespace of another owner it may be an
	// empty Live.
	Live             *livecache.Live
	Created, Updated bool
	// Postponed is true if the object must be written, but the Window is closed. The next call writes it.
	Postponed bool
	Err       error
	// RetryAfter is the time until the next call, if no watch reports the awaited event; otherwise zero.
	RetryAfter time.Duration
	// Left is true if the object does not exist or is not as declared, and is not repaired for now because of the drift policy or a
	// contested field.
	Left bool
	// Drift holds the changes by other clients. Drifted is true if a declared field or a deleted object is not repaired. Repaired is true
	// if this call repaired the object.
	Drift    []corev1alpha2.DriftRecord
	Drifted  bool
	Repaired bool
}

// Reconciler reconciles the objects of one call. It is safe for concurrent use on different objects.
type Reconciler struct {
	options Options
	policy  *policy
}

// New returns a Reconciler for one call.
func New(options Options) *Reconciler {
	options.Manager = options.Manager.Or(options.As)
	return &Reconciler{options: options, policy: policyOf(options)}
}

// Reconcile creates a missing object, and changes one that is not as declared, if the drift policy permits it. It does not change an object
// of another owner that must not be adopted. The Outcome then has a Refusal.
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
	if live != nil && next.before.isNewerThan(live) {
		live, next.result.Err = next.readCurrent(ctx)
		unconfirmed = true
	}
	if unconfirmed {
		next.result.RetryAfter = livecache.RecentTime // if the watch has not delivered the write by then, the object may have been deleted
	}
	if next.result.Err == nil {
		next.reconcile(ctx, live)
	}
	if next.result.Live != nil {
		memory.setVersion(key, next.result.Live)
	}
	if desired.IsInstallNamespace {
		memory.setUnusable(key.Name, next.result.Err != nil)
	}
	return next.result
}

// begin returns the reconciliation of one object, with its cached state.
func (r *Reconciler) begin(desired *object.Desired, resource livecache.Resource) *reconciliation {
	before, remembered := r.options.Memory.state(desired.Key)
	as := r.options.As
	if desired.IsInstallNamespace {
		as = r.options.Manager
	}
	next := &reconciliation{
		options: &r.options, policy: r.policy, cache: resource.Cache, desired: desired, before: before,
		writer: writer{client: clientOf(as, resource, desired.Key), owner: r.options.Claim.Owner, key: desired.Key},
		result: Outcome{Desired: desired},
	}
	switch {
	case remembered && before.declared == desired.Digest:
		next.trust = drift.WrittenNow
		return next
	case !remembered && r.options.Trusted:
		next.trust = drift.WrittenBefore
	}
	next.before.normalized = nil // its values belong to an earlier declared object
	return next
}

func clientOf(as identity.Identity, resource livecache.Resource, key object.Key) dynamic.ResourceInterface {
	client := as.Dynamic.Resource(resource.Mapping.Resource)
	if resource.IsNamespaced() {
		return client.Namespace(key.Namespace)
	}
	return client
}
