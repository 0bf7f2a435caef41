package faults

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/store"
)

const (
	// look is how often a witness looks.
	look = 250 * time.Millisecond
	// moment is how long status may claim what is not so: the time that an answer takes.
	moment = time.Second
	// maxLies bounds what a witness tells.
	maxLies = 10
)

// Witness watches one BundleDeployment and holds what its status claims against the cluster: Installed=True while an object
// of the revision that it speaks of is missing, or a generation that does not exist. What users delete themselves is not told
// apart, so that a story in which they do has none.
type Witness struct {
	estate *Estate
	name   string
	cancel context.CancelFunc
	done   chan struct{}

	lies    []error
	targets map[string][]target
}

// target is an object that a revision has.
type target struct {
	identity, name string
	resource       dynamic.ResourceInterface
}

// Witness begins to watch; Stop ends it.
func (e *Estate) Witness(ctx context.Context, name string) *Witness {
	ctx, cancel := context.WithCancel(ctx)
	w := &Witness{estate: e, name: name, cancel: cancel, done: make(chan struct{}), targets: map[string][]target{}}
	go w.run(ctx)
	return w
}

// Stop ends it, and tells what status claimed that was not so.
func (w *Witness) Stop() error {
	w.cancel()
	<-w.done
	return errors.Join(w.lies...)
}

func (w *Witness) run(ctx context.Context) {
	defer close(w.done)
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	var version, missing string
	var since time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		seen, absent, err := w.see(ctx)
		switch {
		case err != nil || absent == "":
			version, missing = "", "" // what could not be looked at proves nothing
		case seen != version || absent != missing:
			version, missing, since = seen, absent, time.Now()
		case time.Since(since) > moment && len(w.lies) < maxLies:
			w.lies = append(w.lies, fmt.Errorf("BundleDeployment %q (resourceVersion %s): %s", w.name, version, absent))
			version = ""
		}
	}
}

// see gives the version of the status that was looked at, and what of it is not so.
func (w *Witness) see(ctx context.Context) (version, untrue string, err error) {
	live, err := w.estate.platform.CoreV1alpha2().BundleDeployments().Get(ctx, w.name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return "", "", nil
	}
	if err != nil {
		return "", "", err
	}
	if live.Status.ObservedGeneration > live.Generation {
		return live.ResourceVersion, fmt.Sprintf("status is of generation %d, and there are %d", live.Status.ObservedGeneration, live.Generation), nil
	}
	number := spokenOf(live)
	if live.DeletionTimestamp != nil || number == 0 || !meta.IsStatusConditionTrue(live.Status.Conditions, corev1alpha2.ConditionInstalled) {
		return "", "", nil
	}
	targets, err := w.of(ctx, live, number)
	if err != nil {
		return "", "", err
	}
	for _, each := range targets {
		_, err := each.resource.Get(ctx, each.name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return live.ResourceVersion, fmt.Sprintf("says Installed=True of revision %d, and %s is missing", number, each.identity), nil
		}
		if err != nil {
			return "", "", err
		}
	}
	return live.ResourceVersion, "", nil
}

// spokenOf is the revision that Installed=True is about: the active one, and before there is one the one rolling out.
func spokenOf(live *corev1alpha2.BundleDeployment) int64 {
	if live.Status.ActiveRevision != 0 {
		return live.Status.ActiveRevision
	}
	for _, each := range live.Status.Revisions {
		if each.State == corev1alpha2.RevisionRollingOut {
			return each.Number
		}
	}
	return 0
}

// of gives the objects of a stored revision, which never change.
func (w *Witness) of(ctx context.Context, live *corev1alpha2.BundleDeployment, number int64) ([]target, error) {
	key := fmt.Sprint(live.UID, number)
	if known, ok := w.targets[key]; ok {
		return known, nil
	}
	owner := store.Owner{Name: live.Name, UID: live.UID}
	headers, err := w.estate.revisions.List(ctx, owner)
	if err != nil {
		return nil, err
	}
	groups, err := restmapper.GetAPIGroupResources(w.estate.discovery)
	if err != nil {
		return nil, err
	}
	mapper := restmapper.NewDiscoveryRESTMapper(groups)
	for _, header := range headers {
		if header.Number != number {
			continue
		}
		revision, err := w.estate.revisions.Load(ctx, owner, header)
		if err != nil {
			return nil, err
		}
		var targets []target
		for i := range revision.Objects {
			each, err := w.target(mapper, &revision.Objects[i])
			if err != nil {
				return nil, err
			}
			targets = append(targets, each)
		}
		w.targets[key] = targets
		return targets, nil
	}
	return nil, fmt.Errorf("revision %d of BundleDeployment %q is not stored", number, live.Name)
}

func (w *Witness) target(mapper meta.RESTMapper, object *unstructured.Unstructured) (target, error) {
	kind := object.GroupVersionKind()
	mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		return target{}, err
	}
	return target{
		identity: identityOf(object), name: object.GetName(),
		resource: w.estate.dynamic.Resource(mapping.Resource).Namespace(object.GetNamespace()),
	}, nil
}
