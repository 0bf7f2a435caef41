package applyconfiguration

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	configv1 "github.com/openshift/api/config/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/manifestserver"
)

// objectID identifies an object, whatever its version.
type objectID struct{ group, resource, namespace, name string }

func idOf(m manifestserver.Mutation) objectID {
	return objectID{m.Resource.Group, m.Resource.Resource, m.Namespace, m.Name}
}

// ownGroups are the API groups of the manager's own kinds.
var ownGroups = []string{corev1alpha2.GroupName, operatorv1alpha1.GroupName, platformv1alpha1.GroupName}

// class is the class of a mutation. A running manager writes a bundle's objects in any order, but waits until these writes succeed before it
// writes anything of another class. It writes a record before the objects that it describes, objects before the status that reports them, and
// all of them before it removes anything. Each record waits for the previous one: a finalizer comes before what it protects, and the parts of a
// revision before its index.
type class struct {
	// isRecord is true for the manager's own kinds, for its ClusterOperator, and for the objects in its namespace.
	isRecord bool
	// isStatus is true for the status of an object, and isRemoval for deletions and for the removal of a finalizer.
	isStatus, isRemoval bool
}

// chosen is what one run sends.
type chosen struct {
	mutations []manifestserver.Mutation
	// unfinished are the syncs that have further mutations.
	unfinished map[manifestserver.Sync]bool
	// errs are the errors of syncs whose mutations the output cannot have.
	errs map[manifestserver.Sync]error
}

// choose returns the mutations that a run sends. The output has no order, so it has only the first step of each sync. order lists the
// controllers in the order in which data passes through them. If two syncs change an object, choose takes the mutation of the first one in
// this order.
func (r *run) choose(mutations []manifestserver.Mutation, order []string) chosen {
	bySync := map[manifestserver.Sync][]manifestserver.Mutation{}
	var syncs []manifestserver.Sync
	for _, each := range mutations {
		if _, isKnown := bySync[each.Sync]; !isKnown {
			syncs = append(syncs, each.Sync)
		}
		bySync[each.Sync] = append(bySync[each.Sync], each)
	}
	slices.SortFunc(syncs, func(a, b manifestserver.Sync) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Controller), slices.Index(order, b.Controller)), cmp.Compare(a.Key, b.Key))
	})
	result := chosen{unfinished: map[manifestserver.Sync]bool{}, errs: map[manifestserver.Sync]error{}}
	isTaken := map[objectID]bool{}
	unknown := r.server.NotCollected()
	for _, sync := range syncs {
		if len(unknown[sync]) > 0 {
			continue
		}
		step, isComplete := r.firstStep(bySync[sync])
		if err := checkNames(step); err != nil {
			result.errs[sync] = err
			continue
		}
		result.unfinished[sync] = !isComplete
		for _, each := range step {
			if isTaken[idOf(each)] {
				result.unfinished[sync] = true
				continue
			}
			isTaken[idOf(each)] = true
			result.mutations = append(result.mutations, each)
		}
	}
	return result
}

// checkNames returns an error for a mutation of an object whose name is too long for a file. The sync then sends nothing, because its mutations
// belong together.
func checkNames(mutations []manifestserver.Mutation) error {
	for _, each := range mutations {
		if len(each.Name) > maxName {
			return fmt.Errorf("the output cannot have a mutation of %s %q: a name with more than %d bytes is too long for a file; rename the object", each.Resource.Resource, each.Name, maxName)
		}
	}
	return nil
}

// firstStep returns the first mutations of a sync, up to the first one that depends on another: one of another class, another record, one in
// a namespace that is created, or one with a uid or resourceVersion that only the server in memory knows. isComplete is true if these are
// all. It also returns all Events: the next round does not create those about what this round writes, because it finds nothing to do.
func (r *run) firstStep(all []manifestserver.Mutation) (step []manifestserver.Mutation, isComplete bool) {
	all = r.withoutTemporary(all)
	isComplete = true
	var first *class
	var last objectID
	created := map[string]bool{}
	for _, each := range all {
		if isEvent(each) {
			step = append(step, each)
			continue
		}
		if !isComplete {
			continue
		}
		of := r.classOf(each)
		isNext := first != nil && (of != *first || of.isRecord && idOf(each) != last)
		if isNext || created[each.Namespace] || r.hasMadeUpIdentity(each) {
			isComplete = false
			continue
		}
		first, last = &of, idOf(each)
		if each.Resource.Resource == "namespaces" && each.Action != manifestserver.ActionDelete && !r.isInInput(each) {
			created[each.Name] = true
		}
		step = append(step, each)
	}
	step, isReduced := reduce(step)
	return step, isComplete && isReduced
}

// withoutTemporary omits mutations that change nothing, and those of objects that the sync both creates and removes, such as a temporary
// permission.
func (r *run) withoutTemporary(all []manifestserver.Mutation) []manifestserver.Mutation {
	isRemoved := map[objectID]bool{}
	for _, each := range all {
		isRemoved[idOf(each)] = each.Object == nil
	}
	return slices.DeleteFunc(slices.Clone(all), func(each manifestserver.Mutation) bool {
		return each.Unchanged || isRemoved[idOf(each)] && !r.isInInput(each)
	})
}

func (r *run) classOf(m manifestserver.Mutation) class {
	return class{
		isRecord:  m.Namespace == namespace || slices.Contains(ownGroups, m.Resource.Group) || m.Resource.Group == configv1.GroupName,
		isStatus:  slices.Contains(statusActions, m.Action),
		isRemoval: m.Action == manifestserver.ActionDelete || m.Object == nil || removesFinalizer(r.inInput[idOf(m)].finalizers, m.Object),
	}
}

// removesFinalizer reports whether an object of the input had a finalizer that it lacks now.
func removesFinalizer(before []string, after *unstructured.Unstructured) bool {
	return slices.ContainsFunc(before, func(each string) bool { return !slices.Contains(after.GetFinalizers(), each) })
}

// isInInput reports whether the object of a mutation is in the input.
func (r *run) isInInput(m manifestserver.Mutation) bool {
	_, isInInput := r.inInput[idOf(m)]
	return isInInput
}

func isEvent(m manifestserver.Mutation) bool {
	return m.Resource.Group == "" && m.Resource.Resource == "events"
}
