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
	// StatusTolerance is the maximum time for which a statement in the status may be false while only the manager changes objects. It
	// allows for the duration of a request.
	StatusTolerance = time.Second
	// checkInterval is the time between two checks.
	checkInterval = 250 * time.Millisecond
	// maxViolations is the maximum number of violations that Stop reports.
	maxViolations = 10
)

// StatusMonitor periodically compares the status of one BundleDeployment with the cluster, with statusChecks. It cannot determine which
// client changed an object. Therefore the caller of MonitorStatus sets for how long a statement may be false.
type StatusMonitor struct {
	inspector *Inspector
	name      string
	tolerance time.Duration
	cancel    context.CancelFunc
	done      chan struct{}

	violations []error
	maxLag     time.Duration
	// checks is the number of checks, and failedChecks the number of those that could not read the cluster. lastErr is the error of the
	// last failed check.
	checks, failedChecks int
	lastErr              error
	// revisions caches the objects of stored revisions. A key is the UID of the BundleDeployment and the number of the revision.
	revisions map[string][]target
}

// target is an object of a revision, and the client with which the live object is read.
type target struct {
	identity, name string
	declared       *unstructured.Unstructured
	resource       dynamic.ResourceInterface
}

// MonitorStatus starts a StatusMonitor for a BundleDeployment. The caller must stop it. tolerance is the maximum time for which a statement
// may be false. Use StatusTolerance if only the manager changes objects.
func (in *Inspector) MonitorStatus(ctx context.Context, name string, tolerance time.Duration) *StatusMonitor {
	ctx, cancel := context.WithCancel(ctx)
	m := &StatusMonitor{inspector: in, name: name, tolerance: tolerance, cancel: cancel, done: make(chan struct{}), revisions: map[string][]target{}}
	go m.run(ctx)
	return m
}

// Stop ends the monitor and returns the statements that were false for too long. It also returns an error if more than half of
// the checks could not read the cluster.
func (m *StatusMonitor) Stop() error {
	m.cancel()
	<-m.done
	if m.failedChecks > m.checks/2 {
		return errors.Join(append(m.violations, fmt.Errorf("checking the status of BundleDeployment %q: %d of %d checks could not read the cluster: %w", m.name, m.failedChecks, m.checks, m.lastErr))...)
	}
	return errors.Join(m.violations...)
}

// MaxLag returns the longest time for which a statement was false, including times within the tolerance. Call it after Stop.
func (m *StatusMonitor) MaxLag() time.Duration { return m.maxLag }

func (m *StatusMonitor) run(ctx context.Context) {
	defer close(m.done)
	ticker := time.NewTicker(checkInterval)
	defer ticker.Stop()
	since, reported := map[string]time.Time{}, map[string]bool{}
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		violations, err := m.check(ctx)
		if ctx.Err() != nil {
			return
		}
		m.checks++
		if err != nil { // a failed check says nothing about the status
			m.failedChecks, m.lastErr = m.failedChecks+1, err
			continue
		}
		now := time.Now()
		current := map[string]time.Time{}
		for _, each := range violations {
			current[each] = now
			if before, ok := since[each]; ok {
				current[each] = before
			}
			lasted := now.Sub(current[each])
			m.maxLag = max(m.maxLag, lasted)
			if lasted > m.tolerance && !reported[each] && len(m.violations) < maxViolations {
				reported[each] = true
				m.violations = append(m.violations, fmt.Errorf("BundleDeployment %q %s (for more than %s)", m.name, each, m.tolerance))
			}
		}
		since = current
	}
}

// check returns the false statements in the status. It returns none if the BundleDeployment does not exist or is being deleted.
func (m *StatusMonitor) check(ctx context.Context) (violations []string, err error) {
	live, err := m.inspector.platform.CoreV1alpha2().BundleDeployments().Get(ctx, m.name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if live.DeletionTimestamp != nil {
		return nil, nil // during a removal, only Progressing has a meaning
	}
	snapshot := &snapshot{StatusMonitor: m, live: live, found: map[string]*unstructured.Unstructured{}}
	for _, statusCheck := range statusChecks {
		more, err := statusCheck(ctx, snapshot)
		if err != nil {
			return nil, err
		}
		violations = append(violations, more...)
	}
	return violations, nil
}

// snapshot is what one check has read: the BundleDeployment, and each object as it was when it was first read.
type snapshot struct {
	*StatusMonitor
	live  *corev1alpha2.BundleDeployment
	found map[string]*unstructured.Unstructured
}

// get returns an object, or nil if it does not exist.
func (s *snapshot) get(ctx context.Context, of target) (*unstructured.Unstructured, error) {
	if known, ok := s.found[of.identity]; ok {
		return known, nil
	}
	found, err := of.resource.Get(ctx, of.name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		found, err = nil, nil
	}
	if err != nil {
		return nil, err
	}
	s.found[of.identity] = found
	return found, nil
}

// hasCondition reports whether the status has the condition with this status for the current generation.
func (s *snapshot) hasCondition(condition string, status metav1.ConditionStatus) bool {
	found := meta.FindStatusCondition(s.live.Status.Conditions, condition)
	return found != nil && found.Status == status && found.ObservedGeneration == s.live.Generation
}

// revision returns the objects of a stored revision. It reads each revision once, because stored revisions are immutable. It returns an
// error if the revision is not stored.
func (s *snapshot) revision(ctx context.Context, number int64) ([]target, error) {
	key := fmt.Sprint(s.live.UID, number)
	if known, ok := s.revisions[key]; ok {
		return known, nil
	}
	owner := store.Owner{Name: s.live.Name, UID: s.live.UID}
	headers, err := s.inspector.revisions.List(ctx, owner)
	if err != nil {
		return nil, err
	}
	for _, header := range headers {
		if header.Number != number {
			continue
		}
		revision, err := s.inspector.revisions.Load(ctx, owner, header)
		if err != nil {
			return nil, err
		}
		targets, err := s.inspector.targets(revision)
		if err != nil {
			return nil, err
		}
		s.revisions[key] = targets
		return targets, nil
	}
	return nil, fmt.Errorf("revision %d of BundleDeployment %q is not stored", number, s.live.Name)
}

// targets returns a revision's objects with their resources.
func (in *Inspector) targets(revision *store.Revision) ([]target, error) {
	groups, err := restmapper.GetAPIGroupResources(in.discovery)
	if err != nil {
		return nil, err
	}
	mapper := restmapper.NewDiscoveryRESTMapper(groups)
	var targets []target
	for i := range revision.Objects {
		object := &revision.Objects[i]
		kind := object.GroupVersionKind()
		mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
		if err != nil {
			return nil, err
		}
		targets = append(targets, target{
			identity: identityOf(object), name: object.GetName(), declared: object,
			resource: in.dynamic.Resource(mapping.Resource).Namespace(object.GetNamespace()),
		})
	}
	return targets, nil
}
