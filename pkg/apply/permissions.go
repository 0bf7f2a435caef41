package apply

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/utils/clock"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

const (
	// grantedTime is how long a right counts as given without being asked for again: long enough for the syncs of a roll-out,
	// and for several operators that are installed together.
	grantedTime = 5 * time.Minute
	// maxGrants bounds what is remembered. Rights are asked for by resource, and by namespace only where they are not given
	// everywhere, so that this many are never needed at once.
	maxGrants = 4096
)

// The verbs that the engine uses on every resource that it applies objects of. It lists and watches the whole cluster, and does
// the rest in a namespace where the resource has them.
var (
	verbsEverywhere = []string{"list", "watch"}
	verbsWhere      = []string{"create", "delete", "get", "patch", "update"}
	everyVerb       = []string{"create", "delete", "get", "list", "patch", "update", "watch"}
)

var accessReviews = schema.GroupVersionResource{Group: "authorization.k8s.io", Version: "v1", Resource: "selfsubjectaccessreviews"}

// right is what an API server is asked about.
type right struct {
	schema.GroupResource
	verb, namespace string
}

// permissions asks the API server what the manager may do. Only what it may do is remembered.
type permissions struct {
	client dynamic.Interface
	clock  clock.PassiveClock

	mu      sync.Mutex
	granted map[right]time.Time
	// doubtedAt is when something that counted as granted was denied last.
	doubtedAt time.Time
}

func newPermissions(client dynamic.Interface, clock clock.PassiveClock) *permissions {
	return &permissions{client: client, clock: clock, granted: map[right]time.Time{}}
}

// may says whether the manager has a right: here, or everywhere.
func (p *permissions) may(ctx context.Context, wanted right) (bool, error) {
	everywhere := wanted
	everywhere.namespace = ""
	for _, each := range slices.Compact([]right{everywhere, wanted}) {
		if p.remembered(each) {
			return true, nil
		}
		granted, err := p.ask(ctx, each)
		if apierrors.IsNotFound(err) || apierrors.IsForbidden(err) || apierrors.IsMethodNotSupported(err) {
			return true, nil // who cannot ask has to try
		}
		if err != nil {
			return false, fmt.Errorf("asking whether the manager may %s %s: %w", each.verb, each.GroupResource, err)
		}
		if granted {
			p.remember(each)
			return true, nil
		}
	}
	return false, nil
}

func (p *permissions) ask(ctx context.Context, wanted right) (bool, error) {
	attributes := map[string]any{"verb": wanted.verb, "group": wanted.Group, "resource": wanted.Resource, "namespace": wanted.namespace}
	answer, err := p.client.Resource(accessReviews).Create(ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": accessReviews.GroupVersion().String(), "kind": "SelfSubjectAccessReview",
		"spec": map[string]any{"resourceAttributes": attributes},
	}}, metav1.CreateOptions{})
	if err != nil {
		return false, err
	}
	allowed, _, err := unstructured.NestedBool(answer.Object, "status", "allowed")
	return allowed, err
}

func (p *permissions) remembered(wanted right) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	at, ok := p.granted[wanted]
	return ok && p.clock.Since(at) < grantedTime
}

func (p *permissions) remember(granted right) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.granted) >= maxGrants {
		clear(p.granted)
	}
	p.granted[granted] = p.clock.Now()
}

// need is what the engine does with the objects of one resource in one namespace; empty for all that is not in one.
type need struct {
	schema.GroupResource
	namespace string
}

// MissingPermissions asks which rights the manager lacks to apply a set, before anything of it is written. A kind that is not
// served yet, and that nothing in the set defines, is left out: its objects are waited for. What it may do is believed for some
// minutes, or until Doubt, and what it may not is asked for in each call. The list is sorted, and complete however long it is.
func (e *Engine) MissingPermissions(ctx context.Context, set *Set) ([]corev1alpha2.MissingPermission, error) {
	needs := e.needs(ctx, set)
	sorted := slices.SortedFunc(maps.Keys(needs), func(a, b need) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.namespace, b.namespace))
	})
	e.permissions.learn(ctx, needs)
	missing, errs := make([]corev1alpha2.MissingPermission, len(sorted)), make([]error, len(sorted))
	var group sync.WaitGroup
	slots := make(chan struct{}, parallel)
	for i, each := range sorted {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			missing[i], errs[i] = e.permissions.lacking(ctx, each, needs[each])
		})
	}
	group.Wait()
	return slices.DeleteFunc(missing, func(each corev1alpha2.MissingPermission) bool { return len(each.Verbs) == 0 }), foremost(errs)
}

// Doubt forgets what the manager may do, because the API server has denied something.
func (e *Engine) Doubt() {
	e.permissions.mu.Lock()
	defer e.permissions.mu.Unlock()
	clear(e.permissions.granted)
	e.permissions.doubtedAt = e.permissions.clock.Now()
}

// NotPermitted tells what is missing as a refusal of the owner's set; nil when nothing is.
func NotPermitted(owner string, missing []corev1alpha2.MissingPermission) error {
	if len(missing) == 0 {
		return nil
	}
	first := missing[0]
	where := ""
	if first.Namespace != "" {
		where = fmt.Sprintf(" in namespace %q", first.Namespace)
	}
	more := ""
	if len(missing) > 1 {
		more = fmt.Sprintf(", and %d more that status.plan.permissionsMissing lists", len(missing)-1)
	}
	return &Refusal{
		Object: Key{GroupKind: schema.GroupKind{Group: corev1alpha2.GroupName, Kind: "BundleDeployment"}, Name: owner},
		Err: fmt.Errorf("the manager may not %s %s%s%s", strings.Join(first.Verbs, ", "),
			schema.GroupResource{Group: first.Group, Resource: first.Resource}, where, more),
		Remedy: "grant it by a ClusterRole with the label " + corev1alpha2.LabelAggregateToBundles + `: "true"`,
	}
}

// lacking asks for what one need takes; no verbs when nothing is missing.
func (p *permissions) lacking(ctx context.Context, of need, verbs []string) (corev1alpha2.MissingPermission, error) {
	missing := corev1alpha2.MissingPermission{Group: of.Group, Resource: of.Resource, Namespace: of.namespace}
	for _, verb := range verbs {
		granted, err := p.may(ctx, right{of.GroupResource, verb, of.namespace})
		if err != nil {
			return corev1alpha2.MissingPermission{}, err
		}
		if !granted {
			missing.Verbs = append(missing.Verbs, verb)
		}
	}
	return missing, nil
}

// needs are the resources of a set's objects, where they are, and the verbs that they take there.
func (e *Engine) needs(ctx context.Context, set *Set) map[need][]string {
	defined := map[schema.GroupKind]*definition{}
	for _, phase := range set.phases {
		for _, each := range phase.items {
			if each.defines != nil {
				defined[each.defines.kind] = each.defines
			}
		}
	}
	needs := map[need][]string{}
	for _, phase := range set.phases {
		for _, each := range phase.items {
			resource := schema.GroupResource{Group: each.kind.Group}
			if d := defined[each.kind.GroupKind()]; d != nil {
				resource.Resource = d.plural
			} else if found, err := e.kinds.find(ctx, set.owner.Name, each.kind); err == nil {
				resource.Resource = found.Resource
			} else {
				continue // it is waited for, or the fault is met again when it is applied
			}
			if each.key.Namespace == "" {
				needs[need{resource, ""}] = everyVerb
				continue
			}
			needs[need{resource, each.key.Namespace}] = verbsWhere
			if needs[need{resource, ""}] == nil {
				needs[need{resource, ""}] = verbsEverywhere
			}
		}
	}
	return needs
}
