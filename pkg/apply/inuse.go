package apply

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/pager"
)

// maxExamples bounds the custom resources that are named.
const maxExamples = 3

// users are custom resources that are not the bundle's own.
type users struct {
	count int64
	// examples are the first of them.
	examples []string
}

func (u users) none() bool { return u.count == 0 }

// String gives `12 custom resources, such as Memo default/a, Memo default/b`.
func (u users) String() string {
	noun := "custom resources"
	if u.count == 1 {
		noun = "custom resource"
	}
	text := fmt.Sprintf("%d %s", u.count, noun)
	if len(u.examples) > 0 {
		text += ", such as " + strings.Join(u.examples, ", ")
	}
	return text + "; delete what is not needed any more, or set spec.deletion.crds to Orphan to keep all of it"
}

// inUse says which custom resources, beside the bundle's own, keep the set's CustomResourceDefinitions from being deleted;
// empty when none does. A definition that is not the owner's is not deleted, and its custom resources do not matter.
func (r *taking) inUse(ctx context.Context) (string, error) {
	var definitions []*item
	for _, each := range r.set.phases {
		for _, entry := range each.items {
			if _, gone := r.memory.isGone(entry.key); entry.defines != nil && !gone {
				definitions = append(definitions, entry)
			}
		}
	}
	found, errs := make([]users, len(definitions)), make([]error, len(definitions))
	var group sync.WaitGroup
	slots := make(chan struct{}, parallel)
	for i, entry := range definitions {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			mine, err := r.ours(ctx, entry)
			if err == nil && mine {
				found[i], err = r.users(ctx, entry.defines)
			}
			errs[i] = err
		})
	}
	group.Wait()
	if err := foremost(errs); err != nil {
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
	return "nothing is taken down while its kinds are in use by " + all.String(), nil
}

// ours says whether a CustomResourceDefinition is there and the owner's to delete. It is asked first: the manager may list
// custom resources of those only.
func (r *taking) ours(ctx context.Context, entry *item) (bool, error) {
	at, served, err := r.kinds.findAny(ctx, entry.kind)
	if err != nil || !served {
		return false, err
	}
	live, err := r.client.Resource(at.GroupVersionResource).Get(ctx, entry.key.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, writeError("reading", entry.key, err)
	}
	return r.set.owner.isOurs(live, r.applied) && live.GetDeletionTimestamp() == nil, nil
}

// users looks for the custom resources of a definition that are not in the set, in the first version that is served: not by
// discovery, which may lag behind. What cannot be looked at is an error: a definition must not be deleted unseen.
func (r *taking) users(ctx context.Context, of *definition) (users, error) {
	for _, version := range of.served {
		at := schema.GroupVersionResource{Group: of.kind.Group, Version: version, Resource: of.plural}
		found, err := r.usersAt(ctx, at)
		switch {
		case apierrors.IsNotFound(err):
			continue // no such resource: the definition is gone, or another one, or is just being set up and has none yet
		case apierrors.IsForbidden(err):
			key := Key{GroupKind: definitionKind, Name: of.plural + "." + of.kind.Group}
			return users{}, &Refusal{Object: key, Err: fmt.Errorf("deleting it: its custom resources %w by the manager", errUnlistable),
				Remedy: "grant that by a ClusterRole with the label " + corev1alpha2.LabelAggregateToBundles + "=true, or set spec.deletion.crds to Orphan"}
		case err != nil:
			return users{}, fmt.Errorf("looking for custom resources of kind %s: %w", of.kind, err)
		}
		return found, nil
	}
	return users{}, nil
}

// usersAt reads on until it has come to custom resources that are not in the set; of those behind them it gives the number.
func (r *taking) usersAt(ctx context.Context, at schema.GroupVersionResource) (users, error) {
	var found users
	err := pager.Each(ctx, r.client.Resource(at).List, metav1.ListOptions{}, func(page *unstructured.UnstructuredList) (bool, error) {
		for i := range page.Items {
			key := keyOf(&page.Items[i])
			if r.set.Has(key) {
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
