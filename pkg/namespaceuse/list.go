package namespaceuse

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/platform-operators/pkg/pager"
	"github.com/openshift/platform-operators/pkg/truncate"
)

const (
	// parallel is the number of resources that a scan lists concurrently.
	parallel = 8
	// builtInTimeout is the timeout for all lists of one built-in resource, and otherTimeout the timeout for all lists of any other
	// resource.
	builtInTimeout, otherTimeout = time.Minute, 20 * time.Second
	// readTries is the maximum number of attempts to list a resource that is not built in, in the first namespace for which listing fails.
	// readPause is the first pause between two attempts. The pause doubles each time.
	readTries, readPause = 4, 250 * time.Millisecond
	// grantPause is the first pause between two checks of whether the API server honors the grant. The pause doubles each time, until it
	// reaches grantTimeout.
	grantPause, grantTimeout = 50 * time.Millisecond, 5 * time.Second
	// deniedPause is the first pause before a scan again lists the resources that were denied after the grant. The pause doubles each time,
	// until it reaches deniedTimeout, because other API servers, including aggregated ones, may observe the grant later.
	deniedPause, deniedTimeout = time.Second, 15 * time.Second
)

// missed holds the resources that a scan did not list.
type missed struct {
	// denied are the resources that the manager may not list. vanished are the resources for which the API server answered "not found".
	denied, vanished []schema.GroupVersionResource
}

// listOthers grants the manager permission to list resources, and lists them. The grant covers all of them, even those that a role already
// permits, because that role may be deleted with its operator during the scan. If resources remain forbidden, for example after an admin
// has removed the manager's permission to escalate, the undecided namespaces are kept.
func (s *scan) listOthers(ctx context.Context, resources []schema.GroupVersionResource) error {
	s.holdsGrant.Store(true)
	err := s.grant(ctx, resources)
	forbidden := apierrors.IsForbidden(err)
	if err != nil && !forbidden {
		return err
	}
	missed, err := s.list(ctx, resources)
	if err != nil {
		return err
	}
	vanished := missed.vanished
	for wait := deniedPause; !forbidden && len(missed.denied) > 0 && wait < deniedTimeout; wait *= 2 {
		if !pause(ctx, wait) {
			return ctx.Err()
		}
		if missed, err = s.list(ctx, missed.denied); err != nil {
			return err
		}
		vanished = append(vanished, missed.vanished...)
	}
	s.keepDenied(missed.denied)
	return s.listVanished(ctx, vanished)
}

// grant permits the manager to list resources, and waits until the API server honors the grant. It returns an error if that does not happen
// in time.
func (s *scan) grant(ctx context.Context, resources []schema.GroupVersionResource) error {
	if err := s.cluster.grant(ctx, resources); err != nil {
		return err
	}
	for wait := grantPause; wait < grantTimeout; wait *= 2 {
		if effective, err := s.cluster.permitted(ctx, resources); effective || err != nil {
			return err
		}
		if !pause(ctx, wait) {
			return ctx.Err()
		}
	}
	return fmt.Errorf("listing %d kinds in namespaces that are to be deleted: the API server does not honor ClusterRole %q yet; see whether kube-controller-manager aggregates ClusterRoles", len(resources), RoleName)
}

// listVanished again lists the resources that the API server did not find. It lists them in the version that discovery now reports, and
// skips those that no longer exist.
func (s *scan) listVanished(ctx context.Context, vanished []schema.GroupVersionResource) error {
	if len(vanished) == 0 {
		return nil
	}
	resources, unavailable, err := s.cluster.resources(ctx)
	if err != nil {
		return fmt.Errorf("discovering which kinds a namespace may hold: %w", err)
	}
	for _, old := range vanished {
		if why := unavailable[old.Group]; why != nil {
			s.keepUnavailable(old.Group, why)
			continue
		}
		i := slices.IndexFunc(resources, func(each schema.GroupVersionResource) bool { return each.GroupResource() == old.GroupResource() })
		if i < 0 {
			continue // the resource no longer exists, and neither do its objects
		}
		s.rank[resources[i]] = s.rank[old]
		again, err := s.list(ctx, resources[i:i+1])
		if err != nil {
			return err
		}
		if len(again.denied)+len(again.vanished) > 0 {
			s.keepUndecided(fmt.Sprintf("it may hold %s, which the API server does not list", old.GroupResource()))
		}
	}
	return nil
}

// list lists resources, several of them concurrently, and returns those that are forbidden or not found. Any other failure is an error.
func (s *scan) list(ctx context.Context, resources []schema.GroupVersionResource) (missed, error) {
	errs := make([]error, len(resources))
	var group sync.WaitGroup
	slots := make(chan struct{}, parallel)
	for i, each := range resources {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			for _, selector := range selectorsOf(each.GroupResource()) {
				if errs[i] == nil {
					errs[i] = s.resource(ctx, each, selector)
				}
			}
		})
	}
	group.Wait()
	var found missed
	for i, err := range errs {
		switch {
		case err == nil:
		case apierrors.IsForbidden(err):
			found.denied = append(found.denied, resources[i])
		case apierrors.IsNotFound(err):
			found.vanished = append(found.vanished, resources[i])
		default:
			return missed{}, fmt.Errorf("looking for %s in namespaces that are to be deleted: %w", resources[i].GroupResource(), err)
		}
	}
	return found, nil
}

// resource lists the objects of one resource in the undecided namespaces. It lists the whole cluster once, unless that takes more pages
// than there are namespaces; in that case it lists each namespace. If an aggregated API or a conversion webhook fails or exceeds the
// timeout, it records the namespaces as in use. If the API server cannot list a built-in resource, it returns the error.
func (s *scan) resource(ctx context.Context, resource schema.GroupVersionResource, selector string) error {
	timeout, tries := otherTimeout, readTries
	if isBuiltIn(resource.GroupResource()) {
		timeout, tries = builtInTimeout, 1
	}
	within, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	namespaces := s.undecided(s.rank[resource])
	if len(namespaces) > 1 {
		complete, err := s.wholeCluster(within, resource, selector, len(namespaces))
		if complete || isFinal(err) {
			return err
		}
	}
	for _, namespace := range namespaces {
		if !slices.Contains(s.undecided(s.rank[resource]), namespace) {
			continue
		}
		err := s.namespace(within, resource, selector, namespace, tries)
		switch {
		case err == nil:
			continue
		case isFinal(err) || ctx.Err() != nil || isBuiltIn(resource.GroupResource()):
			return err
		}
		tries = 1 // Later namespaces get one attempt: the list fails, but may still succeed in namespaces without objects.
		s.keep(namespace, s.rank[resource], fmt.Sprintf("it may hold %s, which cannot be listed: %s", resource.GroupResource(), truncate.Quote(err.Error())))
	}
	return nil
}

// isFinal reports whether an error is the same for all namespaces.
func isFinal(err error) bool { return apierrors.IsForbidden(err) || apierrors.IsNotFound(err) }

// wholeCluster lists a resource in all namespaces, reading at most the given number of pages. complete is false if there are more pages or
// the list fails.
func (s *scan) wholeCluster(ctx context.Context, resource schema.GroupVersionResource, selector string, pages int) (complete bool, err error) {
	err = pager.Each(ctx, s.lister(resource, ""), metav1.ListOptions{FieldSelector: selector}, func(page *metav1.PartialObjectMetadataList) (bool, error) {
		for i := range page.Items {
			s.visit(resource, selector, &page.Items[i])
		}
		pages--
		complete = page.Continue == ""
		return pages > 0, nil
	})
	return complete && err == nil, err
}

// namespace lists a resource in one namespace, until it finds the first object of another owner. It makes at most tries attempts, with
// pauses in between.
func (s *scan) namespace(ctx context.Context, resource schema.GroupVersionResource, selector, namespace string, tries int) error {
	for try := 0; ; try++ {
		err := pager.Each(ctx, s.lister(resource, namespace), metav1.ListOptions{FieldSelector: selector}, func(page *metav1.PartialObjectMetadataList) (bool, error) {
			for i := range page.Items {
				if s.visit(resource, selector, &page.Items[i]) {
					return false, nil
				}
			}
			return true, nil
		})
		if err == nil || isFinal(err) || try+1 >= tries {
			return err
		}
		if !pause(ctx, readPause<<try) {
			return errors.Join(err, ctx.Err())
		}
	}
}

func (s *scan) lister(resource schema.GroupVersionResource, namespace string) func(context.Context, metav1.ListOptions) (*metav1.PartialObjectMetadataList, error) {
	return func(ctx context.Context, options metav1.ListOptions) (*metav1.PartialObjectMetadataList, error) {
		return s.cluster.list(ctx, resource, namespace, options)
	}
}

// visit reports whether the manager must keep a namespace because of an object in it, and records the reason.
func (s *scan) visit(resource schema.GroupVersionResource, selector string, object *metav1.PartialObjectMetadata) bool {
	questions := s.questions[object.Namespace]
	if len(questions) == 0 || !isOfOthers(resource.GroupResource(), selector, object) {
		return false
	}
	if !slices.ContainsFunc(questions, func(each Question) bool { return !dependsOnRemoved(object, each) }) {
		return false
	}
	s.keep(object.Namespace, s.rank[resource], fmt.Sprintf("it still holds %s %q", resource.GroupResource(), object.Name))
	return true
}

// dependsOnRemoved reports whether the removal has deleted all owners of an object, so that the garbage collector will delete the object,
// too. An example is the Secret with the serving certificate of a Service.
func dependsOnRemoved(object *metav1.PartialObjectMetadata, question Question) bool {
	return len(object.OwnerReferences) > 0 && !slices.ContainsFunc(object.OwnerReferences, func(each metav1.OwnerReference) bool { return !question.Removed(each) })
}
