package operatorconfig

import (
	"context"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/library-go/pkg/controller/factory"
	"github.com/openshift/library-go/pkg/operator/events"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	"github.com/openshift/platform-operators/pkg/client/clientset/versioned/fake"
	"github.com/openshift/platform-operators/pkg/client/informers/externalversions"
)

func TestObjectThatIsMissingFromTheStartIsCreated(t *testing.T) {
	client := fake.NewSimpleClientset()
	informers := externalversions.NewSharedInformerFactory(client, 0)
	managers := informers.Operator().V1alpha1().PlatformOperatorManagers()
	const name = operatorv1alpha1.PlatformOperatorManagerName
	controller, err := New([]CreateOnly{{
		Kind:     "PlatformOperatorManager",
		Name:     name,
		Event:    operatorv1alpha1.EventPlatformOperatorManagerCreated,
		Informer: managers.Informer(),
		Get: func() error {
			_, err := managers.Lister().Get(name)
			return err
		},
		Create: func(ctx context.Context, options metav1.CreateOptions) error {
			manager := &operatorv1alpha1.PlatformOperatorManager{ObjectMeta: metav1.ObjectMeta{Name: name}}
			_, err := client.OperatorV1alpha1().PlatformOperatorManagers().Create(ctx, manager, options)
			return err
		},
	}}, newSyncContext())
	if err != nil {
		t.Fatal(err)
	}
	created, err := client.OperatorV1alpha1().PlatformOperatorManagers().Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	informers.Start(ctx.Done())
	go controller.Run(ctx, 1)
	select {
	case <-created.ResultChan():
	case <-time.After(30 * time.Second):
		t.Fatal("no event ever comes of what does not exist, and nobody looked")
	}
}

func TestEntryWithoutAllOfItsFieldsIsRefused(t *testing.T) {
	syncContext := newSyncContext()
	if _, err := New([]CreateOnly{{Kind: "ProvisionerClass", Name: "some"}}, syncContext); err == nil {
		t.Error("an entry that can neither be looked for nor created was taken")
	}
	if _, err := New(nil, syncContext); err == nil {
		t.Error("a controller that keeps nothing was built")
	}
}

func newSyncContext() factory.SyncContext {
	return factory.NewSyncContext(ControllerName, events.NewInMemoryRecorder("test", clocktesting.NewFakePassiveClock(time.Time{})))
}
