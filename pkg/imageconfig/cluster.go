package imageconfig

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	configv1 "github.com/openshift/api/config/v1"
	operatorv1alpha1 "github.com/openshift/api/operator/v1alpha1"

	"github.com/openshift/platform-operators/pkg/imagepolicy"
	"github.com/openshift/platform-operators/pkg/inventory"
	"github.com/openshift/platform-operators/pkg/mirrors"
)

// listTimeout is the maximum time for which Rules and Policies wait for the first lists, and listInterval the interval at which they check them.
const (
	listTimeout  = 5 * time.Second
	listInterval = 50 * time.Millisecond
)

// Config configures a Cluster. Every field is required unless its comment says otherwise.
type Config struct {
	Dynamic dynamic.Interface
	// Kinds holds the kinds that the cluster serves. The caller runs it.
	Kinds *inventory.Kinds
	// ConfigMaps reads the ConfigMap of additionalTrustedCA.
	ConfigMaps corev1client.ConfigMapsGetter
	// TrustedCAFile is a PEM file with certificate authorities that the cluster trusts, in addition to those of the system. It is read again when
	// it changes. If it is not set, or the file is missing or empty, only those of the system are trusted.
	TrustedCAFile string
	// Report is called with the sentences that say what is invalid in the configuration, when they change. It may be nil.
	Report func(problems []string)
}

// Cluster is the image configuration of a cluster. It implements image.RegistryConfiguration. It is safe for concurrent use.
type Cluster struct {
	config                              Config
	digest, tag, contentSources, images *inventory.Optional
	clusterImagePolicies, imagePolicies *inventory.Optional
	trustedCA                           *caFile
	changed                             []func(namespace string)

	lock    sync.Mutex
	current *configuration // nil after a change
	// reported are the problems that were reported last.
	reported []string
}

// New returns a Cluster. It makes no request before Run.
func New(config Config) (*Cluster, error) {
	c := &Cluster{config: config, trustedCA: &caFile{path: config.TrustedCAFile}}
	for _, each := range []struct {
		into     **inventory.Optional
		resource schema.GroupVersionResource
		object   func() runtime.Object
	}{
		{&c.digest, configv1.GroupVersion.WithResource("imagedigestmirrorsets"), func() runtime.Object { return &configv1.ImageDigestMirrorSet{} }},
		{&c.tag, configv1.GroupVersion.WithResource("imagetagmirrorsets"), func() runtime.Object { return &configv1.ImageTagMirrorSet{} }},
		{&c.contentSources, operatorv1alpha1.GroupVersion.WithResource("imagecontentsourcepolicies"), func() runtime.Object { return &operatorv1alpha1.ImageContentSourcePolicy{} }},
		{&c.images, configv1.GroupVersion.WithResource("images"), func() runtime.Object { return &configv1.Image{} }},
		{&c.clusterImagePolicies, configv1.GroupVersion.WithResource("clusterimagepolicies"), func() runtime.Object { return &configv1.ClusterImagePolicy{} }},
		{&c.imagePolicies, configv1.GroupVersion.WithResource("imagepolicies"), func() runtime.Object { return &configv1.ImagePolicy{} }},
	} {
		watched, err := inventory.NewOptional(config.Dynamic, config.Kinds, inventory.OptionalConfig{Resource: each.resource, Transform: typed(each.object)})
		if err != nil {
			return nil, err
		}
		watched.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: c.onChange, UpdateFunc: c.onUpdate, DeleteFunc: c.onChange})
		*each.into = watched
	}
	return c, nil
}

// typed returns a function that converts objects to a type, without their managed fields. Of an object that cannot be converted, which the API
// server does not accept, only the metadata and the scopes are left. Such an image policy is invalid for its scopes, and other objects have no
// effect.
func typed(newObject func() runtime.Object) cache.TransformFunc {
	return func(object any) (any, error) {
		found, ok := object.(*unstructured.Unstructured)
		if !ok {
			return object, nil // converted already, or a tombstone
		}
		found.SetManagedFields(nil)
		into := newObject()
		err := runtime.DefaultUnstructuredConverter.FromUnstructured(found.Object, into)
		if err == nil {
			return into, nil
		}
		klog.Warningf("%s %q cannot be read: %v", found.GetKind(), found.GetName(), err)
		scopes, _, _ := unstructured.NestedStringSlice(found.Object, "spec", "scopes")
		reduced := map[string]any{"metadata": found.Object["metadata"]}
		if err := unstructured.SetNestedStringSlice(reduced, scopes, "spec", "scopes"); err != nil {
			return object, nil
		}
		into = newObject()
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(reduced, into); err != nil {
			return object, nil
		}
		return into, nil
	}
}

// watched returns all watched kinds, by plural.
func (c *Cluster) watched() map[string]*inventory.Optional {
	return map[string]*inventory.Optional{
		"imagedigestmirrorsets": c.digest, "imagetagmirrorsets": c.tag, "imagecontentsourcepolicies": c.contentSources, "images": c.images,
		"clusterimagepolicies": c.clusterImagePolicies, "imagepolicies": c.imagePolicies,
	}
}

// EachWatched calls f for every watched kind, with the plural name of the resource and a function that sets the handler for list and watch
// errors.
func (c *Cluster) EachWatched(f func(resource string, setErrorHandler func(cache.WatchErrorHandlerWithContext) error)) {
	for resource, watched := range c.watched() {
		f(resource, watched.SetWatchErrorHandlerWithContext)
	}
}

// Run watches until the context ends.
func (c *Cluster) Run(ctx context.Context) {
	var running sync.WaitGroup
	for _, watched := range c.watched() {
		running.Go(func() { watched.Run(ctx) })
	}
	running.Wait()
}

// OnChange registers a function that is called after each change of the configuration, with the namespace to which the change is limited; empty if it
// is not. It must not block. OnChange must be called before Run.
func (c *Cluster) OnChange(changed func(namespace string)) { c.changed = append(c.changed, changed) }

// onUpdate ignores changes of metadata and status.
func (c *Cluster) onUpdate(before, after any) {
	old, oldErr := meta.Accessor(before)
	current, err := meta.Accessor(after)
	// An object that was deleted and created again while the watch was interrupted may have the same generation.
	if oldErr == nil && err == nil && old.GetUID() == current.GetUID() && old.GetGeneration() != 0 && old.GetGeneration() == current.GetGeneration() {
		return
	}
	c.onChange(after)
}

func (c *Cluster) onChange(object any) {
	namespace := ""
	if deleted, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = deleted.Obj
	}
	if accessor, err := meta.Accessor(object); err == nil {
		namespace = accessor.GetNamespace()
	}
	c.lock.Lock()
	c.current = nil
	c.lock.Unlock()
	for _, changed := range c.changed {
		changed(namespace)
	}
}

// configuration is what follows from the objects of a cluster.
type configuration struct {
	rules    *mirrors.Rules
	policies *imagepolicy.Policies
}

// problems returns the sentences that say what is invalid.
func (c *configuration) problems() []string {
	return slices.Concat(c.rules.Problems(), c.policies.Problems())
}

// Rules returns the rules for the locations of images. It waits at most five seconds for the first lists of all served kinds. It returns an error
// if a list is missing, because an image could then be pulled from the wrong registry.
func (c *Cluster) Rules(ctx context.Context) (*mirrors.Rules, error) {
	found, err := c.configuration(ctx)
	if err != nil {
		return nil, err
	}
	return found.rules, nil
}

// Policies returns the image policies. Like Rules, it waits for the lists and returns an error if one is missing, because an
// image could then be accepted without a signature.
func (c *Cluster) Policies(ctx context.Context) (*imagepolicy.Policies, error) {
	found, err := c.configuration(ctx)
	if err != nil {
		return nil, err
	}
	return found.policies, nil
}

func (c *Cluster) configuration(ctx context.Context) (*configuration, error) {
	var missing []string
	if err := wait.PollUntilContextTimeout(ctx, listInterval, listTimeout, true, func(context.Context) (bool, error) {
		missing = c.unlisted()
		return len(missing) == 0, nil
	}); err != nil {
		return nil, fmt.Errorf("the manager has not yet received from the API server: %s", strings.Join(missing, ", "))
	}
	found, isReported := c.compute()
	if !isReported && c.config.Report != nil {
		c.config.Report(found.problems())
	}
	return found, nil
}

// compute returns the configuration that follows from the objects. isReported is false if its problems differ from those that were reported
// last, and only once.
func (c *Cluster) compute() (found *configuration, isReported bool) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.current == nil {
		c.current = &configuration{rules: mirrors.New(c.objects()), policies: imagepolicy.New(imagepolicy.Objects{
			Cluster: all[*configv1.ClusterImagePolicy](c.clusterImagePolicies), Namespaced: all[*configv1.ImagePolicy](c.imagePolicies),
		})}
	}
	problems := c.current.problems()
	isReported = slices.Equal(problems, c.reported)
	c.reported = problems
	return c.current, isReported
}

// unlisted returns the kinds that are served and not listed yet, sorted.
func (c *Cluster) unlisted() []string {
	var found []string
	for _, watched := range c.watched() {
		if !watched.Settled() {
			found = append(found, watched.Resource().GroupResource().String())
		}
	}
	slices.Sort(found)
	return found
}

func (c *Cluster) objects() mirrors.Objects {
	found := mirrors.Objects{
		DigestMirrorSets: all[*configv1.ImageDigestMirrorSet](c.digest), TagMirrorSets: all[*configv1.ImageTagMirrorSet](c.tag),
		ContentSourcePolicies: all[*operatorv1alpha1.ImageContentSourcePolicy](c.contentSources),
	}
	if image := c.image(); image != nil {
		found.RegistrySources = image.Spec.RegistrySources
	}
	return found
}

// all returns the objects of a kind.
func all[T any](of *inventory.Optional) []T {
	var found []T
	for _, object := range of.GetStore().List() {
		if one, ok := object.(T); ok {
			found = append(found, one)
		}
	}
	return found
}

// image returns Image "cluster"; nil if there is none.
func (c *Cluster) image() *configv1.Image {
	for _, each := range all[*configv1.Image](c.images) {
		if each.Name == "cluster" {
			return each
		}
	}
	return nil
}
