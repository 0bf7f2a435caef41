// Package limits decides whether the limits of PlatformOperatorManager "cluster" apply after the object was deleted and created again.
//
// The manager recreates a deleted PlatformOperatorManager with defaults, which have no limits. So the last limits are stored separately, as
// a Record. A recreated PlatformOperatorManager may permit more than its predecessor. Then no bundle is selected and no upgrade starts
// until an admin accepts the new limits. The package does no I/O; pkg/store stores the Record.
package limits

import (
	"path"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// Limits are the fields of a PlatformOperatorManager's spec that limit what is installed. A nil field, or an empty DefaultApproval, does
// not limit anything. A list that is empty but not nil permits nothing.
type Limits struct {
	AllowedPackages   []string                  `json:"allowedPackages,omitzero"`
	CatalogNamespaces []string                  `json:"catalogNamespaces,omitzero"`
	CatalogSelector   *metav1.LabelSelector     `json:"catalogSelector,omitempty"`
	DefaultApproval   platformv1alpha1.Approval `json:"defaultApproval,omitempty"`
}

// Of returns the limits in a spec. It omits an approval other than Manual and a selector without requirements, because neither limits
// anything.
func Of(spec operatorv1alpha1.PlatformOperatorManagerSpec) Limits {
	return Limits{
		AllowedPackages: spec.AllowedPackages, CatalogNamespaces: spec.CatalogNamespaces,
		CatalogSelector: spec.CatalogSelector, DefaultApproval: spec.DefaultApproval,
	}.normalized()
}

// normalized returns the limits without fields that are set but do not limit anything.
func (l Limits) normalized() Limits {
	if selector := l.CatalogSelector; selector != nil && len(selector.MatchLabels)+len(selector.MatchExpressions) == 0 {
		l.CatalogSelector = nil
	}
	if l.DefaultApproval != platformv1alpha1.ApprovalManual {
		l.DefaultApproval = ""
	}
	return l
}

// limit describes one field of Limits. isSet reports whether the field is set. keeps reports whether the present value permits no more than
// the previous one; both values must be set.
type limit struct {
	field string
	isSet func(Limits) bool
	keeps func(former, present Limits) bool
}

var all = []limit{
	{"spec.allowedPackages", func(l Limits) bool { return l.AllowedPackages != nil }, keepsPackages},
	{"spec.catalogNamespaces", func(l Limits) bool { return l.CatalogNamespaces != nil }, keepsNamespaces},
	{"spec.catalogSelector", func(l Limits) bool { return l.CatalogSelector != nil }, keepsSelector},
	{"spec.defaultApproval", func(l Limits) bool { return l.DefaultApproval != "" }, func(former, present Limits) bool {
		return present.DefaultApproval == former.DefaultApproval
	}},
}

// weaker returns the names of the fields whose previous limit is now missing or now permits more. A field with globs is included unless it
// is certain that the current globs permit no more than the previous ones.
func weaker(former, present Limits) (fields []string) {
	for _, each := range all {
		if each.isSet(former) && (!each.isSet(present) || !each.keeps(former, present)) {
			fields = append(fields, each.field)
		}
	}
	return fields
}

// isZero reports whether no field of the limits is set.
func (l Limits) isZero() bool {
	return !slices.ContainsFunc(all, func(each limit) bool { return each.isSet(l) })
}

// equal reports whether two Limits are equal. An empty list differs from a nil one, except within a selector, where both have the same
// stored form.
func (l Limits) equal(other Limits) bool {
	return reflect.DeepEqual(l.AllowedPackages, other.AllowedPackages) && reflect.DeepEqual(l.CatalogNamespaces, other.CatalogNamespaces) &&
		equality.Semantic.DeepEqual(l.CatalogSelector, other.CatalogSelector) && l.DefaultApproval == other.DefaultApproval
}

// keepsPackages reports whether each current glob was also one of the previous globs, or is the name of a package that a previous glob
// permits.
func keepsPackages(former, present Limits) bool {
	return !slices.ContainsFunc(present.AllowedPackages, func(glob string) bool {
		return !slices.ContainsFunc(former.AllowedPackages, func(allowed string) bool {
			if glob == allowed || allowed == "*" {
				return true
			}
			matches, err := path.Match(allowed, glob)
			return err == nil && matches && !strings.ContainsAny(glob, `*?[\`)
		})
	})
}

func keepsNamespaces(former, present Limits) bool {
	return !slices.ContainsFunc(present.CatalogNamespaces, func(namespace string) bool { return !slices.Contains(former.CatalogNamespaces, namespace) })
}

// keepsSelector reports whether the current selector contains each requirement of the previous one.
func keepsSelector(former, present Limits) bool {
	want, wantErr := metav1.LabelSelectorAsSelector(former.CatalogSelector)
	got, gotErr := metav1.LabelSelectorAsSelector(present.CatalogSelector)
	if wantErr != nil || gotErr != nil {
		return equality.Semantic.DeepEqual(former.CatalogSelector, present.CatalogSelector)
	}
	required, _ := want.Requirements()
	kept, _ := got.Requirements()
	has := map[string]bool{}
	for _, requirement := range kept {
		has[requirement.String()] = true
	}
	for _, requirement := range required {
		if !has[requirement.String()] {
			return false
		}
	}
	return true
}
