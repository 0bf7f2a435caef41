package perturb_test

import (
	"context"
	"maps"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/pkg/scenario/story"
	"github.com/openshift/platform-operators/pkg/scenario/trial"
)

const (
	operatorUser = "system:serviceaccount:default:copier"
	namespace    = "default"
	copyOf       = "copy-of"   // the label of a Secret that the operator made
	copied       = "is-copied" // the annotation of a ConfigMap whose Secret exists
	finalizer    = "example.com/copier"
)

// defect is a mistake that the operator of these tests makes on purpose.
type defect string

const (
	none                 defect = ""
	recordsBeforeItActs  defect = "it records that a copy exists before it creates the copy"
	ignoresUpdates       defect = "it acts on creations only, so it does not notice a new object of the same name"
	deletesByName        defect = "it deletes the copy of an object that was deleted by its name"
	givesUpWithoutPrefix defect = "it does not retry when an object of another kind is not yet in its cache"
	remembers            defect = "it remembers which copies it made, and does not look whether they exist"
)

// copier is an operator that copies each ConfigMap with label "copy" to a Secret. The prefix of the copy's content is in Namespace "default".
type copier struct {
	client     kubernetes.Interface
	defect     defect
	configMaps corelisters.ConfigMapLister
	secrets    corelisters.SecretLister
	namespaces corelisters.NamespaceLister
	queue      workqueue.TypedRateLimitingInterface[string]
	made       map[string]types.UID
}

func (c *copier) run(ctx context.Context) {
	factory := informers.NewSharedInformerFactoryWithOptions(c.client, 0)
	core := factory.Core().V1()
	c.configMaps, c.secrets, c.namespaces = core.ConfigMaps().Lister(), core.Secrets().Lister(), core.Namespaces().Lister()
	c.queue = workqueue.NewTypedRateLimitingQueue(workqueue.NewTypedItemExponentialFailureRateLimiter[string](time.Second, time.Minute))
	c.made = map[string]types.UID{}
	handler := cache.ResourceEventHandlerFuncs{
		AddFunc: c.enqueue, DeleteFunc: c.enqueue,
		UpdateFunc: func(_, object any) {
			if c.defect != ignoresUpdates {
				c.enqueue(object)
			}
		},
	}
	for _, informer := range []cache.SharedIndexInformer{core.ConfigMaps().Informer(), core.Secrets().Informer(), core.Namespaces().Informer()} {
		if _, err := informer.AddEventHandler(handler); err != nil {
			return
		}
	}
	factory.Start(ctx.Done())
	defer factory.Shutdown()
	factory.WaitForCacheSync(ctx.Done())
	defer context.AfterFunc(ctx, c.queue.ShutDown)()
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
	}
}

// enqueue enqueues the name of a ConfigMap or Secret, or of all ConfigMaps if the Namespace changed.
func (c *copier) enqueue(object any) {
	if deleted, isTombstone := object.(cache.DeletedFinalStateUnknown); isTombstone {
		object = deleted.Obj
	}
	if _, isNamespace := object.(*corev1.Namespace); isNamespace {
		if c.defect == givesUpWithoutPrefix {
			return
		}
		all, _ := c.configMaps.ConfigMaps(namespace).List(labels.Everything())
		for _, each := range all {
			c.queue.Add(each.Name)
		}
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
	home, err := c.namespaces.Get(namespace)
	if err != nil {
		return err
	}
	content := map[string]string{"content": home.Annotations["prefix"] + source.Data["content"]}
	if c.defect == recordsBeforeItActs {
		if source.Annotations[copied] == source.Data["content"] {
			return nil
		}
		if err := c.record(ctx, source); err != nil {
			return err
		}
	}
	if c.defect == remembers && c.made[name] == source.UID {
		return nil
	}
	if err := c.write(ctx, source, content); err != nil {
		return err
	}
	c.made[name] = source.UID
	return c.record(ctx, source)
}

// write creates the copy, or updates it if its content differs.
func (c *copier) write(ctx context.Context, source *corev1.ConfigMap, content map[string]string) error {
	client := c.client.CoreV1().Secrets(namespace)
	live, err := c.secrets.Secrets(namespace).Get(source.Name)
	if apierrors.IsNotFound(err) {
		wanted := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: source.Name, Labels: map[string]string{copyOf: string(source.UID)}}, StringData: content}
		_, err := client.Create(ctx, wanted, metav1.CreateOptions{})
		return err
	}
	if err != nil || string(live.Data["content"]) == content["content"] && live.Labels[copyOf] == string(source.UID) {
		return err
	}
	wanted := live.DeepCopy()
	wanted.StringData, wanted.Labels = content, map[string]string{copyOf: string(source.UID)}
	_, err = client.Update(ctx, wanted, metav1.UpdateOptions{})
	return err
}

// record adds the annotation and the finalizer to the source.
func (c *copier) record(ctx context.Context, source *corev1.ConfigMap) error {
	if source.Annotations[copied] == source.Data["content"] && len(source.Finalizers) > 0 {
		return nil
	}
	wanted := source.DeepCopy()
	wanted.Annotations = maps.Clone(source.Annotations)
	metav1.SetMetaDataAnnotation(&wanted.ObjectMeta, copied, source.Data["content"])
	wanted.Finalizers = []string{finalizer}
	_, err := c.client.CoreV1().ConfigMaps(namespace).Update(ctx, wanted, metav1.UpdateOptions{})
	return err
}

// remove deletes the copy of an object that is being deleted, and then the finalizer of the object, which may be nil.
func (c *copier) remove(ctx context.Context, name string, source *corev1.ConfigMap) error {
	live, err := c.secrets.Secrets(namespace).Get(name)
	options := metav1.DeleteOptions{}
	if err == nil && source != nil && (c.defect == deletesByName || live.Labels[copyOf] == string(source.UID)) {
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

// underTrial returns the operator with a defect.
func underTrial(t *testing.T, made defect) trial.Operator {
	t.Helper()
	return trial.Operator{
		Users: []string{operatorUser}, Interval: 2 * time.Minute,
		Counts: func(event scenario.Event) bool { return event.Resource.Resource == "secrets" },
		Open: func(ctx context.Context, from trial.Moment) (*trial.System, error) {
			cluster, err := scenario.Start(ctx, scenario.Options{From: from.Cluster})
			if err != nil {
				return nil, err
			}
			ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
			var running sync.WaitGroup
			runs := false
			return &trial.System{
				Runner: &story.Runner{Cluster: cluster, Verbs: story.Verbs()},
				Start: func() error {
					client, err := kubernetes.NewForConfig(cluster.ClientConfig(operatorUser))
					if err != nil {
						return err
					}
					runs = true
					running.Go(func() { (&copier{client: client, defect: made}).run(ctx) })
					return nil
				},
				Runs: func() bool { return runs },
				Save: func() (any, error) { return struct{}{}, nil },
				Stop: func() error {
					stop()
					running.Wait()
					cluster.Stop()
					return nil
				},
			}, nil
		},
	}
}
