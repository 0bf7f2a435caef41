package resolve

import (
	"fmt"
	"path"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	"github.com/openshift/platform-operators/pkg/resolve/reason"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// addManager adds the limits of the PlatformOperatorManager to a request. It returns an error for an invalid value, so that an invalid
// limit does not act like no limit. The API server rejects most invalid values.
func (r *Request) addManager(spec operatorv1alpha1.PlatformOperatorManagerSpec) error {
	if err := rejectEmptyLists(spec); err != nil {
		return err
	}
	for _, glob := range spec.AllowedPackages {
		if _, err := path.Match(glob, r.Package); err != nil {
			return fmt.Errorf("reading %s of spec.allowedPackages of PlatformOperatorManager %q: %w; correct it there, until then nothing is installed or moved",
				reason.Quote(glob), operatorv1alpha1.PlatformOperatorManagerName, err)
		}
	}
	r.Allowed = spec.AllowedPackages
	switch spec.DefaultEdges {
	case operatorv1alpha1.DefaultEdgesSemver:
		r.DefaultEdges = upgrade.Semver
	case operatorv1alpha1.DefaultEdgesBoth:
		r.DefaultEdges = upgrade.Both
	}
	if spec.CatalogSelector == nil {
		return nil
	}
	selector, err := metav1.LabelSelectorAsSelector(spec.CatalogSelector)
	if err != nil {
		return fmt.Errorf("reading spec.catalogSelector of PlatformOperatorManager %q: %w; correct it there, until then nothing is installed or moved",
			operatorv1alpha1.PlatformOperatorManagerName, err)
	}
	r.ManagerSelector = selector
	return nil
}

// rejectEmptyLists returns an error if a list of permitted values is set but empty. The schema requires at least one element, but objects
// that were stored earlier may have none. An empty list must not mean the default: an admin who empties the list does not intend to permit
// everything.
func rejectEmptyLists(spec operatorv1alpha1.PlatformOperatorManagerSpec) error {
	for _, list := range []struct {
		field           string
		items           []string
		permits, absent string
	}{
		{"allowedPackages", spec.AllowedPackages, "allows no package", "every package"},
		{"catalogNamespaces", spec.CatalogNamespaces, "trusts no catalog", fmt.Sprintf("namespace %q", operatorv1alpha1.DefaultCatalogNamespace)},
	} {
		if list.items != nil && len(list.items) == 0 {
			return fmt.Errorf("spec.%s of PlatformOperatorManager %q is an empty list, which %s; until it is corrected nothing is installed or moved: "+
				"fill it, or remove it to permit %s: kubectl patch platformoperatormanager %s --type merge -p '{\"spec\":{\"%s\":null}}'",
				list.field, operatorv1alpha1.PlatformOperatorManagerName, list.permits, list.absent, operatorv1alpha1.PlatformOperatorManagerName, list.field)
		}
	}
	return nil
}

// allows reports whether spec.allowedPackages permits a package. An empty list permits every package; an invalid glob permits none.
func (r Request) allows(pkg string) bool {
	return len(r.Allowed) == 0 || slices.ContainsFunc(r.Allowed, func(glob string) bool {
		matches, err := path.Match(glob, pkg)
		return err == nil && matches
	})
}
