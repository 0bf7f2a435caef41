package rbac

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/platform-operators/pkg/declaredresources"
)

// readVerbs are the verbs of requests that read. All others write.
var readVerbs = []string{"get", "list", "watch"}

// CompareDeclared returns the differences between the resources that the manager declares for OpenShift Manager and its requests, sorted:
// requests of the manager for itself that are not declared, declared resources that no request read or wrote, and resources of bundles that
// are declared and not permitted or the reverse. undeclared are the requests that are not declared on purpose; the result has each of them that
// no request needs.
//
// A request is of the manager for itself if one of its own roles permits it. Other requests are about objects of bundles, which have no
// end: their resources are declared if the payload permits them to every bundle. Which objects they are is known for one cluster only, and
// test/scenarios compares it by rounds.
func CompareDeclared(declared []declaredresources.Resource, eventNamespaces []string, shipped ShippedRoles, trace Trace, undeclared []Exemption) (problems []string) {
	needed := map[string]bool{}
	isUsed := map[string]bool{}
	for request := range trace {
		if request.By == "" || request.Resource == "" {
			continue // denied, or not about objects
		}
		found := coveredBy(declared, eventNamespaces, request)
		for _, each := range found {
			isUsed[each] = true
		}
		isOwn := slices.ContainsFunc(slices.Concat(shipped.Own, shipped.FromKubernetes), func(each Right) bool { return each.allows(request) })
		if len(found) > 0 || !isOwn {
			continue
		}
		if slices.ContainsFunc(undeclared, func(each Exemption) bool { return each.Subject == request.String() }) {
			needed[request.String()] = true
			continue
		}
		problems = append(problems, fmt.Sprintf("%s: is not declared; add it to the table of pkg/declaredresources", request))
	}
	for _, each := range declared {
		for _, use := range usesOf(each) {
			if !isUsed[use] && !each.OfBundles {
				problems = append(problems, fmt.Sprintf("%s (%s): no request did; remove it from the table of pkg/declaredresources, or add a spec", use, each.Purpose))
			}
		}
	}
	for _, each := range eventNamespaces {
		if use := eventsIn(each); !isUsed[use] {
			problems = append(problems, use+": no request did; remove the namespace from pkg/declaredresources")
		}
	}
	for _, each := range undeclared {
		if !needed[each.Subject] && !each.Optional {
			problems = append(problems, fmt.Sprintf("%s: the exemption is not needed; remove it (%s)", each.Subject, each.Why))
		}
	}
	slices.Sort(problems)
	return append(problems, compareBundles(declared, shipped)...)
}

// compareBundles compares the declared resources of bundles with those that the payload's roles for bundles permit to create.
func compareBundles(declared []declaredresources.Resource, shipped ShippedRoles) (problems []string) {
	permitted, listed := map[string]bool{}, map[string]bool{}
	for role, rules := range shipped.ForBundles {
		for _, rule := range rules {
			for _, right := range rightsFromRule(role, "", rule) {
				permitted[right.Resource] = permitted[right.Resource] || right.Verb == "create"
			}
		}
	}
	for _, each := range declared {
		name := resourceName(each.Group, each.Resource)
		listed[name] = listed[name] || each.OfBundles || isEverything(each)
		if each.OfBundles && !permitted[name] {
			problems = append(problems, name+": is declared as a resource of bundles, but no role for bundles permits it")
		}
	}
	for name, isPermitted := range permitted {
		if isPermitted && !listed[name] {
			problems = append(problems, name+": a role for bundles permits it, but pkg/declaredresources does not declare it as a resource of bundles")
		}
	}
	slices.Sort(problems)
	return problems
}

// isEverything reports whether a declaration has all objects of a resource.
func isEverything(each declaredresources.Resource) bool {
	return each.Namespace == "" && each.Names == nil && each.Selector == nil
}

// usesOf returns the uses that a declared resource stands for: to read it, and to write it.
func usesOf(each declaredresources.Resource) []string {
	subject := resourceName(each.Group, each.Resource)
	if each.Namespace != "" {
		subject += " in namespace " + each.Namespace
	}
	if each.Names != nil {
		subject += " " + strings.Join(each.Names, ", ")
	}
	if each.Selector != nil {
		subject += fmt.Sprintf(" with %v", each.Selector)
	}
	if each.Writes {
		return []string{"read " + subject, "write " + subject}
	}
	return []string{"read " + subject}
}

func eventsIn(namespace string) string { return "create Events in namespace " + namespace }

// coveredBy returns the uses of declared resources that a request is, except for those of bundles. A trace names an object only if a role does, and a namespace only if a
// role is limited to it.
func coveredBy(declared []declaredresources.Resource, eventNamespaces []string, request Request) (uses []string) {
	resource, _, _ := strings.Cut(request.Resource, "/")
	gr := schema.ParseGroupResource(resource)
	if gr == (schema.GroupResource{Resource: "events"}) && slices.Contains(eventNamespaces, request.Namespace) {
		return []string{eventsIn(request.Namespace)}
	}
	isRead := slices.Contains(readVerbs, request.Verb)
	for _, each := range declared {
		switch {
		case each.OfBundles, each.GroupResource() != gr, each.Namespace != "" && each.Namespace != request.Namespace,
			request.Name != "" && each.Names != nil && !slices.Contains(each.Names, request.Name), !isRead && !each.Writes:
			continue
		case isRead:
			uses = append(uses, usesOf(each)[0])
		default:
			uses = append(uses, usesOf(each)[1])
		}
	}
	return uses
}
