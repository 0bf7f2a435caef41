package plan

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/truncate"
)

// Object is one declared object of a revision.
type Object struct {
	schema.GroupVersionKind
	Namespace, Name string
	// Digest identifies the declaration.
	Digest [sha256.Size]byte
	// IsKept is true if the object is not deleted when a later revision does not declare it.
	IsKept bool
	// Content returns the decoded declaration. A Plan calls it only for the objects whose fields it needs. The result is not changed.
	Content func() map[string]any
}

// String returns the kind, namespace and name.
func (o Object) String() string { return o.identity().String() }

func (o Object) identity() identity { return identity{o.GroupKind(), o.Namespace, o.Name} }

// Terms are the conditions under which the objects of a revision are applied. The digest of a plan covers them.
type Terms struct {
	// Deployment is the name of the BundleDeployment. Labels of the applied objects have it. With it, the digest of a plan approves nothing of
	// another BundleDeployment, even if that one has the same content in the same namespace.
	Deployment       string `json:"deployment"`
	InstallNamespace string `json:"installNamespace"`
	// Config is the digest of the configuration; empty without configuration.
	Config string `json:"config,omitempty"`
	// ServiceAccount is the ServiceAccount that applies the objects, and UID is its UID; both are empty for the manager.
	ServiceAccount string `json:"serviceAccount,omitempty"`
	UID            string `json:"uid,omitempty"`
	// Adoption selects which existing objects are taken over, and CRDs what happens to CustomResourceDefinitions when the
	// BundleDeployment is deleted.
	Adoption corev1alpha2.Adoption    `json:"adoption"`
	CRDs     corev1alpha2.CRDDeletion `json:"crds"`
	// CRDSafety is the check of changed CustomResourceDefinitions with its waivers, as CanonicalCRDSafety returns it.
	CRDSafety string `json:"crdSafety"`
}

// CanonicalCRDSafety returns a check of changed CustomResourceDefinitions as one line: equal checks result in equal text.
func CanonicalCRDSafety(safety *corev1alpha2.CRDUpgradeSafety) string {
	if !safety.IsEnforced() {
		return string(corev1alpha2.CRDEnforcementNone)
	}
	text := string(corev1alpha2.CRDEnforcementStrict)
	if safety == nil {
		return text
	}
	waivers := slices.SortedFunc(slices.Values(safety.Waivers), func(a, b corev1alpha2.CRDWaiver) int {
		return cmp.Or(cmp.Compare(a.CRD, b.CRD), cmp.Compare(a.Rule, b.Rule))
	})
	for i, each := range waivers {
		separator := ", except "
		if i > 0 {
			separator = "; "
		}
		text += fmt.Sprintf("%s%s of %s: %s", separator, each.Rule, each.CRD, truncate.Quote(each.Reason))
	}
	return text
}

// Input is the input of New.
type Input struct {
	// Objects are the objects of the new revision, and Active those of the active revision, in the order of their phases. Active is empty
	// before the first revision is active.
	Objects, Active []Object
	Terms           Terms
	// Findings are the unsafe changes of CustomResourceDefinitions. They do not change the digest, because they depend on the cluster.
	Findings []corev1alpha2.CRDFinding
}

// Update is an object that two revisions declare differently.
type Update struct {
	Object
	// Changes are the fields that differ, at most maxChanges. More is the number of the others.
	Changes []Change
	More    int
}

// Plan is what the rollout of a revision changes. It depends on what the revisions declare, and not on the state of the cluster.
type Plan struct {
	// Digest identifies the plan: "sha256:" and a hexadecimal hash of the terms, the objects of the new revision and the deleted objects.
	Digest string
	Terms  Terms
	// Create are the objects that only the new revision declares, and Update those that the revisions declare differently. Delete are those
	// that only the active revision declares. Keep are those of them that stay, such as CustomResourceDefinitions.
	Create []Object
	Update []Update
	Delete []Object
	Keep   []Object
	// Grants are the permissions that the new revision grants.
	Grants []Grant
	// Findings are the unsafe changes of CustomResourceDefinitions.
	Findings []corev1alpha2.CRDFinding
}

// New returns the plan for a revision. Equal inputs result in equal plans.
func New(in Input) *Plan {
	active := make(map[identity]Object, len(in.Active))
	for _, each := range in.Active {
		active[each.identity()] = each
	}
	plan := &Plan{Terms: in.Terms, Findings: in.Findings}
	for _, each := range in.Objects {
		before, exists := active[each.identity()]
		delete(active, each.identity())
		switch {
		case !exists:
			plan.Create = append(plan.Create, each)
		case before.Digest != each.Digest:
			changes, more := changesBetween(before.Content(), each.Content())
			plan.Update = append(plan.Update, Update{Object: each, Changes: changes, More: more})
		}
	}
	for _, each := range in.Active {
		switch _, isGone := active[each.identity()]; {
		case isGone && each.IsKept:
			plan.Keep = append(plan.Keep, each)
		case isGone:
			plan.Delete = append(plan.Delete, each)
		}
	}
	plan.Grants = grantsOf(in.Objects)
	plan.Digest = digestOf(in, plan.Delete)
	return plan
}

// digestOf returns the digest of a plan. Every part is followed by a line feed, which JSON and the names of objects do not contain.
func digestOf(in Input, deleted []Object) string {
	var text bytes.Buffer
	terms, err := json.Marshal(in.Terms)
	if err != nil {
		terms = fmt.Appendf(nil, "%#v", in.Terms) // not reached: Terms consists of strings
	}
	text.Write(terms)
	for _, each := range slices.SortedFunc(slices.Values(in.Objects), compareObjects) {
		fmt.Fprintf(&text, "\napply %s %s %x", each.Group, each, each.Digest)
	}
	for _, each := range slices.SortedFunc(slices.Values(deleted), compareObjects) {
		fmt.Fprintf(&text, "\ndelete %s %s", each.Group, each)
	}
	sum := sha256.Sum256(text.Bytes())
	return "sha256:" + hex.EncodeToString(sum[:])
}

func compareObjects(a, b Object) int { return a.identity().compare(b.identity()) }
