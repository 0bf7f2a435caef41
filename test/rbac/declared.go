package rbac

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/platform-operators/pkg/declaredresources"
)

// readVerbs are the verbs of requests that read, and manyVerbs those of requests that do not name one object. All verbs but readVerbs write.
var (
	readVerbs = []string{"get", "list", "watch"}
	manyVerbs = []string{"list", "watch", "deletecollection"}
)

// declaredTable returns the table of pkg/declaredresources.
var declaredTable = sync.OnceValue(declaredresources.Table)

// keepsName reports whether a trace keeps the name of an object that a request reads or writes: whether the name is declared, or only objects
// with other names are. Otherwise the name makes no difference, and a trace with all such names would have no end.
func keepsName(declared []declaredresources.Resource, resource schema.GroupResource, namespace, name string, isRead bool) bool {
	isDeclared, isOnlyByName := false, true
	for _, each := range declared {
		if each.GroupResource() != resource || each.Namespace != "" && each.Namespace != namespace || !isRead && !each.Writes {
			continue
		}
		if slices.Contains(each.Names, name) {
			return true
		}
		isDeclared, isOnlyByName = true, isOnlyByName && each.Names != nil
	}
	return isDeclared && isOnlyByName
}

// Declarations are what the manager declares for OpenShift Manager, and the differences that CompareDeclared accepts.
type Declarations struct {
	Resources []declaredresources.Resource
	// EventNamespaces are the namespaces in which the manager creates Events.
	EventNamespaces []string
	// Undeclared are requests that are not declared on purpose, and UndeclaredRights rights of bundles.
	Undeclared, UndeclaredRights []Exemption
}

// CompareDeclared returns the differences between the resources that the manager declares for OpenShift Manager and its requests, sorted:
// requests of the manager for itself that are not declared, declared resources and names that no request read or wrote, and resources of bundles
// that are declared and not permitted or the reverse. Reads are compared with inputs, and writes with outputs; what is written is also read,
// because OpenShift Manager's inputs include its outputs. The result also has each exemption that nothing needs.
//
// A request is of the manager for itself if one of its own roles permits it. Other requests are about objects of bundles, which have no
// end: their resources are declared if the payload permits them to every bundle. Which objects they are is known for one cluster only, and
// test/scenarios compares it by rounds. A list or watch of all objects reads each declared name: a trace cannot show which of them the manager
// needs.
func CompareDeclared(d Declarations, shipped ShippedRoles, trace Trace) (problems []string) {
	declared, eventNamespaces := d.Resources, d.EventNamespaces
	needed := map[string]bool{}
	isUsed := map[string]bool{}
	for request := range trace {
		if request.By == "" || request.Resource == "" {
			continue // denied, or not about objects
		}
		isOwn := shipped.isOwnRight(request)
		found := coveredBy(declared, eventNamespaces, request, !isOwn)
		for _, each := range found {
			isUsed[each] = true
		}
		if len(found) > 0 || !isOwn {
			continue
		}
		if slices.ContainsFunc(d.Undeclared, func(each Exemption) bool { return each.Subject == request.String() }) {
			needed[request.String()] = true
			continue
		}
		problems = append(problems, fmt.Sprintf("%s: is not declared as %s; add it to the table of pkg/declaredresources", request, direction(request.Verb)))
	}
	for _, each := range declared {
		for _, use := range usesOf(each) {
			if !isUsed[use] {
				problems = append(problems, fmt.Sprintf("%s (%s): no request did; remove it from the table of pkg/declaredresources, or add a spec", use, each.Purpose))
			}
		}
	}
	for _, each := range eventNamespaces {
		if use := eventsIn(each); !isUsed[use] {
			problems = append(problems, use+": no request did; remove the namespace from pkg/declaredresources")
		}
	}
	problems = append(problems, unneeded(d.Undeclared, needed)...)
	slices.Sort(problems)
	return append(problems, compareBundles(declared, shipped, d.UndeclaredRights)...)
}

// direction returns what a resource has to be declared as before a request with the verb is sent.
func direction(verb string) string {
	if slices.Contains(readVerbs, verb) {
		return "an input"
	}
	return "an output"
}

// compareBundles returns the differences between the declared resources of bundles and the rights in the payload's roles for bundles, sorted: a
// right to read needs an input, a right to write needs an output, and the reverse. exempt are the rights that are not declared on purpose.
func compareBundles(declared []declaredresources.Resource, shipped ShippedRoles, exempt []Exemption) (problems []string) {
	type access struct {
		resource  string
		direction string
	}
	permitted, listed, needed := map[access]bool{}, map[access]bool{}, map[string]bool{}
	for _, each := range declared {
		name := resourceName(each.Group, each.Resource)
		if each.OfBundles || isEverything(each) {
			listed[access{name, direction("get")}] = true
			listed[access{name, direction("create")}] = listed[access{name, direction("create")}] || each.Writes
		}
	}
	for _, right := range shipped.bundleRights() {
		each := access{right.Resource, direction(right.Verb)}
		permitted[each] = true
		if slices.ContainsFunc(exempt, func(each Exemption) bool { return each.Subject == right.String() }) {
			needed[right.String()] = !listed[each]
		} else if !listed[each] {
			problems = append(problems, fmt.Sprintf("%s: a role for bundles permits it, but pkg/declaredresources does not declare the resource as %s of bundles", right, each.direction))
		}
	}
	for _, each := range declared {
		for _, verb := range []string{"get", "create"} {
			if name := resourceName(each.Group, each.Resource); each.OfBundles && !permitted[access{name, direction(verb)}] {
				problems = append(problems, fmt.Sprintf("%s: is declared as %s of bundles, but no role for bundles permits it", name, direction(verb)))
			}
		}
	}
	problems = append(problems, unneeded(exempt, needed)...)
	slices.Sort(problems)
	return problems
}

// isEverything reports whether a declaration has all objects of a resource.
func isEverything(each declaredresources.Resource) bool {
	return each.Namespace == "" && each.Names == nil && each.Selector == nil
}

// usesOf returns the uses that a declared resource stands for: to read it, and to write it if it is an output. A resource with names has the
// uses of each name.
func usesOf(each declaredresources.Resource) []string {
	uses := readsOf(each, "")
	if each.Writes {
		uses = append(uses, writesOf(each, "")...)
	}
	return uses
}

// readsOf and writesOf return the reads or writes of a declared resource: those of the object called name, or all of them if name is "".
func readsOf(each declaredresources.Resource, name string) []string {
	return usesFor("read ", each, name)
}
func writesOf(each declaredresources.Resource, name string) []string {
	return usesFor("write ", each, name)
}

func usesFor(verb string, each declaredresources.Resource, name string) (uses []string) {
	subject := verb + resourceName(each.Group, each.Resource)
	if each.Namespace != "" {
		subject += " in namespace " + each.Namespace
	}
	for _, declared := range each.Names {
		if name == "" || name == declared {
			uses = append(uses, fmt.Sprintf("%s %q", subject, declared))
		}
	}
	if each.Names != nil {
		return uses
	}
	for _, label := range slices.Sorted(maps.Keys(each.Selector)) {
		subject += fmt.Sprintf(" with label %s=%s", label, each.Selector[label])
	}
	return []string{subject}
}

func eventsIn(namespace string) string { return "create Events in namespace " + namespace }

// coveredBy returns the uses of declared resources that a request is. It returns those of bundles only if ofBundles is true. A trace names a
// namespace only if a role is limited to it, and an object if keepsName says so. A request for one object without a name is for none of the
// declared names.
func coveredBy(declared []declaredresources.Resource, eventNamespaces []string, request Request, ofBundles bool) (uses []string) {
	resource, _, _ := strings.Cut(request.Resource, "/")
	gr := schema.ParseGroupResource(resource)
	if gr == (schema.GroupResource{Resource: "events"}) && slices.Contains(eventNamespaces, request.Namespace) {
		return []string{eventsIn(request.Namespace)}
	}
	isRead, isOfMany := slices.Contains(readVerbs, request.Verb), slices.Contains(manyVerbs, request.Verb)
	for _, each := range declared {
		switch {
		case each.OfBundles && !ofBundles, each.GroupResource() != gr, each.Namespace != "" && each.Namespace != request.Namespace,
			request.Name == "" && each.Names != nil && !isOfMany, !isRead && !each.Writes:
			continue
		case isRead:
			uses = append(uses, readsOf(each, request.Name)...)
		default:
			uses = append(uses, writesOf(each, request.Name)...)
		}
	}
	return uses
}
