package inventory

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"

	"github.com/openshift/platform-operators/pkg/resolve"
)

// TestKindIsWatchedOnlyWhileItIsServed covers a kind that appears, disappears and reappears while it is watched. The fake client always
// serves it, so the test checks the requests.
func TestKindIsWatchedOnlyWhileItIsServed(t *testing.T) {
	subscriptions := kinds[0].resource
	client := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(),
		map[schema.GroupVersionResource]string{definitions: "CustomResourceDefinitionList", subscriptions: "SubscriptionList"},
		subscription(t, "zoo", "quay", "project-quay", ""))
	k, err := NewKinds(client)
	if err != nil {
		t.Fatal(err)
	}
	o, err := NewOptional(client, k, OptionalConfig{Resource: subscriptions})
	if err != nil {
		t.Fatal(err)
	}
	told := make(chan string, 10)
	say := func(what string) func(any) {
		return func(object any) {
			key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(object)
			if err != nil {
				t.Error(err)
			}
			told <- what + " " + key
		}
	}
	o.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: say("came"), DeleteFunc: say("went")})
	if o.Settled() {
		t.Error("settled before anybody knows which kinds there are")
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { k.Run(ctx) })
	running.Go(func() { o.Run(ctx) })
	t.Cleanup(func() { cancel(); running.Wait() })

	if !cache.WaitForCacheSync(ctx.Done(), o.Settled) {
		t.Fatal("a kind that is not served does not settle")
	}
	asked := func() int {
		count := 0
		for _, action := range client.Actions() {
			if action.GetResource() == subscriptions && action.GetVerb() == "list" {
				count++
			}
		}
		return count
	}
	if asked() != 0 {
		t.Error("what is not served was asked for")
	}
	crds, definition := client.Resource(definitions), serving(t, subscriptions)
	for life := 1; life <= 2; life++ {
		if _, err := crds.Create(ctx, definition, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		wantNotification(t, told, "came zoo/quay")
		if !cache.WaitForCacheSync(ctx.Done(), o.Settled) || len(o.GetStore().List()) != 1 || asked() != life {
			t.Errorf("life %d: settled %t, %d objects, listed %d times", life, o.Settled(), len(o.GetStore().List()), asked())
		}
		if err := crds.Delete(ctx, definition.GetName(), metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		wantNotification(t, told, "went zoo/quay")
		if !o.Settled() || len(o.GetStore().List()) != 0 {
			t.Errorf("life %d is over: settled %t, %d objects", life, o.Settled(), len(o.GetStore().List()))
		}
	}
	other := serving(t, schema.GroupVersionResource{Group: subscriptions.Group, Version: "v2", Resource: subscriptions.Resource})
	if _, err := crds.Create(ctx, other, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if !cache.WaitForCacheSync(ctx.Done(), func() bool {
		return slices.ContainsFunc(k.All(), func(kind resolve.Kind) bool { return kind.Version == "v2" })
	}) {
		t.Fatal("the definition was never seen")
	}
	if !o.Settled() || asked() != 2 {
		t.Errorf("another version is served: settled %t, listed %d times", o.Settled(), asked())
	}
}

// TestWatchErrorsOfAServedKindAreReported checks that errors other than NotFound are reported after each appearance of the kind.
func TestWatchErrorsOfAServedKindAreReported(t *testing.T) {
	subscriptions := kinds[0].resource
	client := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(),
		map[schema.GroupVersionResource]string{definitions: "CustomResourceDefinitionList", subscriptions: "SubscriptionList"})
	var answer atomic.Pointer[apierrors.StatusError]
	asked := make(chan struct{}, 100)
	client.PrependReactor("list", subscriptions.Resource, func(clienttesting.Action) (bool, runtime.Object, error) {
		given := answer.Load()
		asked <- struct{}{}
		return true, nil, given
	})
	k, err := NewKinds(client)
	if err != nil {
		t.Fatal(err)
	}
	o, err := NewOptional(client, k, OptionalConfig{Resource: subscriptions})
	if err != nil {
		t.Fatal(err)
	}
	reported := make(chan string, 100)
	if err := o.SetWatchErrorHandlerWithContext(func(_ context.Context, _ *cache.Reflector, err error) {
		reported <- string(apierrors.ReasonForError(err))
	}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { k.Run(ctx) })
	running.Go(func() { o.Run(ctx) })
	t.Cleanup(func() { cancel(); running.Wait() })

	crds, definition := client.Resource(definitions), serving(t, subscriptions)
	for life := 1; life <= 2; life++ {
		for len(asked) > 0 {
			<-asked
		}
		answer.Store(apierrors.NewNotFound(subscriptions.GroupResource(), ""))
		if _, err := crds.Create(ctx, definition, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		select {
		case <-asked: // as for a kind that is defined and not served yet
		case <-time.After(30 * time.Second):
			t.Fatal("it was never listed")
		}
		answer.Store(apierrors.NewForbidden(subscriptions.GroupResource(), "", nil))
		wantNotification(t, reported, string(metav1.StatusReasonForbidden))
		if err := crds.Delete(ctx, definition.GetName(), metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		if !cache.WaitForCacheSync(ctx.Done(), o.Settled) {
			t.Fatal("it does not settle")
		}
		for len(reported) > 0 {
			<-reported
		}
	}
}

func wantNotification(t *testing.T, told <-chan string, want string) {
	t.Helper()
	select {
	case got := <-told:
		if got != want {
			t.Fatalf("told %q, want %q", got, want)
		}
	case <-time.After(30 * time.Second):
		t.Fatalf("never told %q", want)
	}
}
