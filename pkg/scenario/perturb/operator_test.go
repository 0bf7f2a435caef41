package perturb_test

import (
	"context"
	"errors"
	"maps"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/pkg/scenario/harness"
	"github.com/openshift/platform-operators/pkg/scenario/story"
)

const (
	operatorUser = "system:serviceaccount:default:copier"
	namespace    = "default"
	copied       = "is-copied" // the annotation of a ConfigMap whose Secret exists
	finalizer    = "example.com/copier"
)

// defect is a deliberate bug of the operator in these tests.
type defect string

const (
	none                  defect = ""
	recordsBeforeItActs   defect = "it records that a copy exists before it creates the copy"
	ignoresUpdates        defect = "it ignores updates that do not change the content, so it does not notice a new object of the same name"
	deletesByName         defect = "it deletes the copy of a deleted object by its name"
	waitsASecond          defect = "it expects its copy in its cache after a second"
	ignoresDeletions      defect = "it remembers which copies it made, and does not check whether they exist"
	endsByItself          defect = "it ends after it has handled one object"
	ignoresLaterDeletions defect = "it remembers which copies existed when it started, and does not check whether they exist"
)

// copier is an operator that copies each ConfigMap with label "copy" to a Secret of the same name, and then sets an annotation on the
// ConfigMap. If the label's value is "protected", it also adds a finalizer to the ConfigMap.
type copier struct {
	client     kubernetes.Interface
	defect     defect
	configMaps corelisters.ConfigMapLister
	secrets    corelisters.SecretLister
	queue      workqueue.TypedRateLimitingInterface[string]
	copies     map[string]string // the UID and the content of each source whose copy the operator remembers, by name
	reconciled map[string]bool   // the names of the sources that were reconciled
	waited     map[types.UID]bool
}

func (c *copier) run(ctx context.Context) {
	ctx, stop := context.WithCancel(ctx)
	factory := informers.NewSharedInformerFactoryWithOptions(c.client, 0)
	core := factory.Core().V1()
	c.configMaps, c.secrets = core.ConfigMaps().Lister(), core.Secrets().Lister()
	c.queue = workqueue.NewTypedRateLimitingQueue(workqueue.NewTypedItemExponentialFailureRateLimiter[string](time.Second, time.Minute))
	c.copies, c.reconciled, c.waited = map[string]string{}, map[string]bool{}, map[types.UID]bool{}
	handler := cache.ResourceEventHandlerFuncs{
		AddFunc: c.enqueue, DeleteFunc: c.enqueue, UpdateFunc: func(before, after any) {
			if c.defect != ignoresUpdates || hasOtherContent(before, after) {
				c.enqueue(after)
			}
		},
	}
	for _, informer := range []cache.SharedIndexInformer{core.ConfigMaps().Informer(), core.Secrets().Informer()} {
		if _, err := informer.AddEventHandler(handler); err != nil {
			stop()
			return
		}
	}
	factory.Start(ctx.Done())
	defer factory.Shutdown()
	defer stop() // also when the copier ends by itself
	factory.WaitForCacheSync(ctx.Done())
	defer c.queue.ShutDown()
	context.AfterFunc(ctx, c.queue.ShutDown)
	for {
		name, isDown := c.queue.Get()
		if isDown {
			return
		}
		if err := c.sync(ctx, name); err != nil {
			c.queue.AddRateLimited(name)
		} else {
			c.queue.Forget(name)
		}
		c.queue.Done(name)
		if c.defect == endsByItself {
			return
		}
	}
}

// hasOtherContent reports whether the content of a ConfigMap changed, or its deletion began.
func hasOtherContent(before, after any) bool {
	first, isConfigMap := before.(*corev1.ConfigMap)
	second, _ := after.(*corev1.ConfigMap)
	return isConfigMap && (!maps.Equal(first.Data, second.Data) || second.DeletionTimestamp != nil)
}

// enqueue enqueues the name of a ConfigMap or Secret.
func (c *copier) enqueue(object any) {
	if deleted, isTombstone := object.(cache.DeletedFinalStateUnknown); isTombstone {
		object = deleted.Obj
	}
	if _, isCopy := object.(*corev1.Secret); isCopy && (c.defect == waitsASecond || c.defect == ignoresUpdates) {
		return
	}
	c.queue.Add(object.(metav1.Object).GetName())
}

func (c *copier) sync(ctx context.Context, name string) error {
	source, err := c.configMaps.ConfigMaps(namespace).Get(name)
	if apierrors.IsNotFound(err) || err == nil && source.DeletionTimestamp != nil {
		return c.remove(ctx, name, source)
	}
	if err != nil || source.Labels["copy"] == "" {
		return err
	}
	// The cache may be stale: a copy of an object that no longer exists would never be deleted.
	live, err := c.client.CoreV1().ConfigMaps(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil || live.UID != source.UID || live.DeletionTimestamp != nil {
		return ignoreNotFound(err)
	}
	if c.defect == recordsBeforeItActs {
		if source.Annotations[copied] == source.Data["content"] {
			return nil
		}
		if err := c.record(ctx, source); err != nil {
			return err
		}
	}
	version := string(source.UID) + source.Data["content"]
	if (c.defect == ignoresDeletions || c.defect == ignoresLaterDeletions) && c.copies[name] == version {
		return c.record(ctx, source)
	}
	written, err := c.write(ctx, source)
	if err != nil {
		return err
	}
	isFirst := !c.reconciled[name]
	c.reconciled[name] = true
	if c.defect == ignoresDeletions && written || c.defect == ignoresLaterDeletions && !written && isFirst {
		c.copies[name] = version
	}
	if !written {
		return c.record(ctx, source)
	}
	if c.defect == waitsASecond && !c.waited[source.UID] {
		c.waited[source.UID] = true
		c.queue.AddAfter(name, time.Second)
	}
	return nil // the event of the copy enqueues it again
}

// write creates the copy, or updates it if it differs. It reports whether it sent a write.
func (c *copier) write(ctx context.Context, source *corev1.ConfigMap) (written bool, err error) {
	client := c.client.CoreV1().Secrets(namespace)
	owners := []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: source.Name, UID: source.UID}}
	wanted := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: source.Name, OwnerReferences: owners}, StringData: source.Data}
	live, err := c.secrets.Secrets(namespace).Get(source.Name)
	switch {
	case apierrors.IsNotFound(err):
		_, err = client.Create(ctx, wanted, metav1.CreateOptions{})
		if c.defect == waitsASecond && apierrors.IsAlreadyExists(err) {
			err = nil
		}
		return true, err
	case err != nil || string(live.Data["content"]) == source.Data["content"] && isCopyOf(live, source):
		return false, err
	}
	wanted.ResourceVersion = live.ResourceVersion
	_, err = client.Update(ctx, wanted, metav1.UpdateOptions{})
	return true, err
}

func isCopyOf(live *corev1.Secret, source *corev1.ConfigMap) bool {
	return len(live.OwnerReferences) == 1 && live.OwnerReferences[0].UID == source.UID
}

// record adds the annotation and the finalizer to the source.
func (c *copier) record(ctx context.Context, source *corev1.ConfigMap) error {
	isProtected := source.Labels["copy"] == "protected"
	if source.Annotations[copied] == source.Data["content"] && isProtected == (len(source.Finalizers) > 0) {
		return nil
	}
	wanted := source.DeepCopy()
	wanted.Annotations = maps.Clone(source.Annotations)
	metav1.SetMetaDataAnnotation(&wanted.ObjectMeta, copied, source.Data["content"])
	if isProtected {
		wanted.Finalizers = []string{finalizer}
	}
	_, err := c.client.CoreV1().ConfigMaps(namespace).Update(ctx, wanted, metav1.UpdateOptions{})
	return err
}

// remove deletes the copy of a deleted source, and then removes the finalizer of the source. source is nil if it no longer exists.
func (c *copier) remove(ctx context.Context, name string, source *corev1.ConfigMap) error {
	live, err := c.secrets.Secrets(namespace).Get(name)
	options := metav1.DeleteOptions{}
	if err == nil && source != nil && (c.defect == deletesByName || isCopyOf(live, source)) {
		if c.defect != deletesByName {
			options.Preconditions = &metav1.Preconditions{UID: &live.UID}
		}
		err = c.client.CoreV1().Secrets(namespace).Delete(ctx, name, options)
	}
	if err != nil && !apierrors.IsNotFound(err) || source == nil || len(source.Finalizers) == 0 {
		return ignoreNotFound(err)
	}
	wanted := source.DeepCopy()
	wanted.Finalizers = nil
	_, err = c.client.CoreV1().ConfigMaps(namespace).Update(ctx, wanted, metav1.UpdateOptions{})
	return ignoreNotFound(err)
}

func ignoreNotFound(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// errEnded is the error of System.Stop if the copier has the defect endsByItself.
var errEnded = errors.New("the operator ended by itself")

// underTest returns a copier with a defect, as an operator under test.
func underTest(t *testing.T, mistake defect) harness.Operator {
	t.Helper()
	return harness.Operator{
		Users: []string{operatorUser}, Interval: 2 * time.Minute,
		IsCounted: func(event scenario.Event) bool { return event.Resource.Resource == "secrets" },
		Open: func(ctx context.Context, from harness.Checkpoint) (*harness.System, error) {
			cluster, err := scenario.Start(ctx, scenario.Options{From: from.Cluster})
			if err != nil {
				return nil, err
			}
			ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
			var running sync.WaitGroup
			var wasStarted, isRunning atomic.Bool
			return &harness.System{
				Runner: &story.Runner{Cluster: cluster, Verbs: story.Verbs()},
				StartOperator: func() error {
					client, err := kubernetes.NewForConfig(cluster.ClientConfig(operatorUser))
					if err != nil {
						return err
					}
					wasStarted.Store(true)
					isRunning.Store(true)
					running.Go(func() {
						defer isRunning.Store(false)
						(&copier{client: client, defect: mistake}).run(ctx)
					})
					return nil
				},
				IsOperatorRunning: isRunning.Load,
				Save:              func() (any, error) { return struct{}{}, nil },
				Stop: func() error {
					hasEnded := wasStarted.Load() && !isRunning.Load()
					stop()
					running.Wait()
					cluster.Stop()
					if hasEnded {
						return errEnded
					}
					return nil
				},
			}, nil
		},
	}
}
