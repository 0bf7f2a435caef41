package imagepolicy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	configv1 "github.com/openshift/api/config/v1"

	"github.com/openshift/platform-operators/pkg/mirrors"
)

// Objects are the policies of a cluster, in any order.
type Objects struct {
	Cluster    []*configv1.ClusterImagePolicy
	Namespaced []*configv1.ImagePolicy
}

// Policies are the requirements that follow from Objects. They are immutable. A nil *Policies has none.
type Policies struct {
	// cluster and namespaced are keyed by scope, and namespaced first by namespace.
	cluster    map[string]*Policy
	namespaced map[string]map[string]*Policy
	problems   []string
}

// Policy is what one scope requires of the signatures of its images.
type Policy struct {
	// Scope is a registry, a namespace of repositories, a repository, an image, or a wildcard for subdomains, as in containers-policy.json(5).
	Scope string
	// Objects are the policies with this scope, for example `ClusterImagePolicy "team"`, sorted. An image must satisfy all of them.
	Objects []string
	// Requirements is the JSON array of the requirements, as in containers-policy.json(5), each of them once. It is empty if Problem is set.
	Requirements string
	requirements []string // the elements of Requirements
	// Problem is the first part of an object that is invalid, as a clause; empty if there is none. While there is one, no image satisfies the
	// policy.
	Problem string
}

// New returns the Policies that follow from the objects of a cluster.
func New(objects Objects) *Policies {
	p := &Policies{cluster: map[string]*Policy{}, namespaced: map[string]map[string]*Policy{}}
	cluster := slices.SortedFunc(slices.Values(objects.Cluster), func(a, b *configv1.ClusterImagePolicy) int { return cmp.Compare(a.Name, b.Name) })
	for _, each := range cluster {
		object := fmt.Sprintf("ClusterImagePolicy %q", each.Name)
		if err := add(p.cluster, object, each.Spec.Scopes, each.Spec.Policy); err != nil {
			p.problems = append(p.problems, fmt.Sprintf("%s is invalid: %v; the manager pulls no image of its scopes until you correct it.", object, err))
		}
	}
	namespaced := slices.SortedFunc(slices.Values(objects.Namespaced), func(a, b *configv1.ImagePolicy) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	for _, each := range namespaced {
		if p.namespaced[each.Namespace] == nil {
			p.namespaced[each.Namespace] = map[string]*Policy{}
		}
		// The error is a problem of the images in its scopes, and of nobody else.
		_ = add(p.namespaced[each.Namespace], fmt.Sprintf("ImagePolicy %q", each.Namespace+"/"+each.Name), each.Spec.Scopes, each.Spec.Policy)
	}
	return p
}

// add adds an object to the policies of its scopes. It returns why the object is invalid, which the policies have, too.
func add(to map[string]*Policy, object string, scopes []configv1.ImageScope, policy configv1.ImageSigstoreVerificationPolicy) error {
	required, err := requirementOf(policy)
	seen := map[string]bool{}
	for _, each := range scopes {
		scope := mirrors.NormalizeScope(string(each))
		if seen[scope] {
			continue
		}
		seen[scope] = true
		of := to[scope]
		if of == nil {
			of = &Policy{Scope: scope}
			to[scope] = of
		}
		of.require(object, required, err)
	}
	return err
}

// require adds the requirement of an object, or the error that says why it is invalid.
func (p *Policy) require(object, requirement string, err error) {
	p.Objects = append(p.Objects, object)
	switch {
	case p.Problem != "" || slices.Contains(p.requirements, requirement):
		return
	case err != nil:
		p.Requirements, p.Problem = "", fmt.Sprintf("%s is invalid: %v", object, err)
		return
	case len(p.requirements) == maxRequirements:
		p.Requirements, p.Problem = "", fmt.Sprintf("more than %d different policies have scope %q, among them %s", maxRequirements, p.Scope, object)
		return
	}
	p.requirements = append(p.requirements, requirement)
	p.Requirements = "[" + strings.Join(p.requirements, ",") + "]"
}

const (
	// maxRequirements is the maximum number of requirements of one scope, because each of them costs time for each signature.
	maxRequirements = 16
	// maxNames is the maximum number of objects in the text of a policy.
	maxNames = 2
)

// String returns the names of the objects.
func (p *Policy) String() string {
	text := strings.Join(p.Objects[:min(len(p.Objects), maxNames)], " and ")
	if more := len(p.Objects) - maxNames; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// For returns the policy of an image that is pulled for a namespace; nil if there is none. If the image has a tag, the reference must have it,
// also if the image is pulled by the digest to which the tag was resolved.
func (p *Policies) For(image name.Reference, namespace string) *Policy {
	if p == nil {
		return nil
	}
	scopes := mirrors.PolicyScopes(image)
	for _, of := range []map[string]*Policy{p.cluster, p.namespaced[namespace]} {
		for _, scope := range scopes {
			if found := of[scope]; found != nil {
				return found
			}
		}
	}
	return nil
}

// Problems returns a sentence for each ClusterImagePolicy that is invalid, with the remedy. An ImagePolicy concerns its namespace only.
func (p *Policies) Problems() []string {
	if p == nil {
		return nil
	}
	return p.problems
}
