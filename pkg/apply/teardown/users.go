package teardown

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/apply/pacing"
	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/pager"
)

// maxExamples is the maximum number of custom resources that a message names.
const maxExamples = 3

// users are the custom resources of a kind that are not in the set.
type users struct {
	count int64
	// examples are the names of the first of these custom resources, at most maxExamples.
	examples []string
}

func (u users) none() bool { return u.count == 0 }

// String returns a text such as `12 custom resources (among them Memo default/a, Memo default/b)`, and the remedy.
func (u users) String() string {
	noun := "custom resources"
	if u.count == 1 {
		noun = "custom resource"
	}
	text := fmt.Sprintf("%d %s", u.count, noun)
	switch examples := strings.Join(u.examples, ", "); {
	case u.count == int64(len(u.examples)):
		text += " (" + examples + ")"
	case len(u.examples) > 0:
		text += " (among them " + examples + ")"
	}
	return text + "; delete the custom resources, or set spec.deletion.crds to Orphan to keep them"
}

// inUse returns a message that names the custom resources outside the set that prevent the deletion of the set's CustomResourceDefinitions;
// empty if there are none. It ignores a definition that does not belong to the owner, because such a definition is not deleted.
func (t *teardown) inUse(ctx context.Context) (string, error) {
	var definitions []*object.Desired
	for _, each := range t.set.Phases() {
		for _, desired := range each.Objects {
			if _, done := t.memory.isDone(desired.Key); desired.Defines != nil && !done {
				definitions = append(definitions, desired)
			}
		}
	}
	found, errs := make([]users, len(definitions)), make([]error, len(definitions))
	pacing.Each(len(definitions), func(i int) {
		mine, err := t.isDeletable(ctx, definitions[i])
		if err == nil && mine {
			found[i], err = t.users(ctx, definitions[i].Defines)
		}
		errs[i] = err
	})
	if err := object.Foremost(errs); err != nil {
		return "", err
	}
	var all users
	for _, each := range found {
		all.count += each.count
		all.examples = append(all.examples, each.examples[:min(len(each.examples), maxExamples-len(all.examples))]...)
	}
	if all.none() {
		return "", nil
	}
	return "users still have " + all.String(), nil
}

// isDeletable reports whether a CustomResourceDefinition exists, belongs to the owner, and is not being deleted. inUse calls it first,
// because only for such definitions is the manager permitted to list custom resources.
func (t *teardown) isDeletable(ctx context.Context, desired *object.Desired) (bool, error) {
	mapping, err := t.resources.Mapper.MappingInAnyVersion(ctx, desired.GVK)
	if err != nil || mapping == nil {
		return false, err
	}
	live, err := t.client.Resource(mapping.Resource).Get(ctx, desired.Key.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, object.WriteError("reading", desired.Key, err)
	}
	return t.owner.Owns(live, t.applied) && live.GetDeletionTimestamp() == nil, nil
}

// users finds the custom resources of a definition that are not in the set. It lists them in the first version that is served, and does not
// use discovery, which may be out of date. If a list fails, users returns an error: a definition must not be deleted unless it is known to
// be unused.
func (t *teardown) users(ctx context.Context, of *bundle.Definition) (users, error) {
	for _, version := range of.Served {
		at := schema.GroupVersionResource{Group: of.Kind.Group, Version: version, Resource: of.Plural}
		found, err := t.usersAt(ctx, at)
		switch {
		case apierrors.IsNotFound(err):
			continue // not served: the definition was deleted or replaced, or has no custom resources yet
		case apierrors.IsForbidden(err):
			key := object.Key{GroupKind: object.CRDKind, Name: of.Plural + "." + of.Kind.Group}
			return users{}, &object.Refusal{Object: key, Err: fmt.Errorf("deleting it: its custom resources %w by the manager", errUnlistable),
				Remedy: "grant that by a ClusterRole with the label " + corev1alpha2.LabelAggregateToBundles + "=true, or set spec.deletion.crds to Orphan"}
		case err != nil:
			return users{}, fmt.Errorf("looking for custom resources of kind %s: %w", of.Kind, err)
		}
		return found, nil
	}
	return users{}, nil
}

// usersAt lists pages until one contains custom resources that are not in the set. From the later pages it adds only the number of objects,
// if the API server reports it.
func (t *teardown) usersAt(ctx context.Context, at schema.GroupVersionResource) (users, error) {
	var found users
	err := pager.Each(ctx, t.manager.Resource(at).List, metav1.ListOptions{}, func(page *unstructured.UnstructuredList) (bool, error) {
		for i := range page.Items {
			key := object.KeyOf(&page.Items[i])
			if t.set.Has(key) {
				continue
			}
			found.count++
			if len(found.examples) < maxExamples {
				found.examples = append(found.examples, key.String())
			}
		}
		if found.none() {
			return true, nil
		}
		if remaining := page.GetRemainingItemCount(); remaining != nil {
			found.count += *remaining
		} else if page.GetContinue() != "" {
			found.count++ // at least
		}
		slices.Sort(found.examples)
		return false, nil
	})
	return found, err
}

// errUnlistable is part of the message if the manager is not permitted to list custom resources.
var errUnlistable = errors.New("may not be listed")
