package storedobjects

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/openshift/platform-operators/pkg/crdsafety"
	"github.com/openshift/platform-operators/pkg/pager"
	"github.com/openshift/platform-operators/pkg/panics"
	"github.com/openshift/platform-operators/pkg/truncate"
)

// pageTimeout is the maximum time for one page: a conversion webhook may hang.
const pageTimeout = time.Minute

// maxPath is the maximum size of the path of a finding, in bytes.
const maxPath = 512

// Violation is a custom resource that does not fit the new definition.
type Violation struct {
	// CRD is the name of the CustomResourceDefinition.
	CRD string
	// Namespace is empty for a cluster-scoped object.
	Namespace, Name string
	// Field and Message are those of the object's first crdsafety.Violation.
	Field, Message string
}

// Finding returns the violation as a finding of crdsafety.RuleStoredObjects. Its path is, for example, "namespace/name: spec.replicas".
func (v Violation) Finding() crdsafety.Finding {
	name := v.Name
	if v.Namespace != "" {
		name = v.Namespace + "/" + v.Name
	}
	return crdsafety.Finding{CRD: v.CRD, Rule: crdsafety.RuleStoredObjects, Path: truncate.Bytes(name+": "+v.Field, maxPath), Message: v.Message}
}

// checkOne checks the objects of one definition, and adds what it finds to a result. It waits while enough other definitions are being checked.
func (c *Checker) checkOne(ctx context.Context, client dynamic.Interface, change crdsafety.Change, into *Result) error {
	select {
	case c.running <- struct{}{}:
		defer func() { <-c.running }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	action := fmt.Sprintf("checking the custom resources of CustomResourceDefinition %s", truncate.Quote(change.Name()))
	return panics.ToError(action, func() error {
		affects, err := change.AffectsObjects()
		if err != nil || !affects {
			return err
		}
		validator, err := crdsafety.NewValidator(change)
		if err != nil {
			return err
		}
		if validator.Resource().Version == "" {
			return nil // no version is served, so that nobody can use the objects
		}
		list := func(ctx context.Context, options metav1.ListOptions) (*unstructured.UnstructuredList, error) {
			return listPage(ctx, client, validator.Resource(), options)
		}
		err = pager.Each(ctx, list, metav1.ListOptions{}, func(page *unstructured.UnstructuredList) (bool, error) {
			return into.add(ctx, change.Name(), page, validator)
		})
		switch {
		case apierrors.IsNotFound(err):
			return nil // the cluster does not serve the kind, and has no objects
		case apierrors.IsForbidden(err):
			return fmt.Errorf("%s: %w; grant the verb list on %s, or set spec.preflight.crdUpgradeSafety.enforcement to None", action, err, validator.Resource().GroupResource())
		case err != nil:
			return fmt.Errorf("%s: %w; the manager retries", action, err)
		}
		return nil
	})
}

// add checks the objects of a page. It returns false if the result has enough violations.
func (a *Result) add(ctx context.Context, crd string, page *unstructured.UnstructuredList, validator *crdsafety.Validator) (more bool, err error) {
	for i := range page.Items {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		object := &page.Items[i]
		found := validator.Validate(ctx, object)
		a.Checked++
		if len(found) == 0 {
			continue
		}
		a.Violations = append(a.Violations, Violation{crd, object.GetNamespace(), object.GetName(), found[0].Field, found[0].Message})
		if len(a.Violations) >= maxViolations {
			return false, nil
		}
	}
	return true, nil
}

// listPage lists one page. If the API server no longer has the state of the first page, the page is of the current state: objects that were
// created meanwhile are then checked, too.
func listPage(ctx context.Context, client dynamic.Interface, resource schema.GroupVersionResource, options metav1.ListOptions) (*unstructured.UnstructuredList, error) {
	ctx, cancel := context.WithTimeout(ctx, pageTimeout)
	defer cancel()
	page, err := client.Resource(resource).List(ctx, options)
	var status apierrors.APIStatus
	if options.Continue == "" || !apierrors.IsResourceExpired(err) || !errors.As(err, &status) || status.Status().Continue == "" {
		return page, err
	}
	options.Continue = status.Status().Continue
	return client.Resource(resource).List(ctx, options)
}
