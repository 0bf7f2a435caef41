package resolve

import (
	"fmt"
	"slices"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
)

const (
	// maxProviders is how many packages that bring a kind a message names.
	maxProviders = 5
	// maxLacking is of how many kinds an operator is told who brings them: more than a message has room for, and few enough
	// for somebody to remember what was said.
	maxLacking = 64
)

// Providers are the packages of one catalog that bring a kind in any version, whoever asks for them.
type Providers struct {
	Catalog catalog.ID
	Labels  map[string]string
	// Packages are sorted.
	Packages []string
	// Partial says that of other packages of the catalog it is not known: they have not been read.
	Partial bool
}

// providers are the catalogs' answers for a kind that an operator lacks, which is then in its Decision.
func (ask *question) providers(gvk catalog.GVK) []Providers {
	if ask.around.world.Providers == nil || !ask.lacking[gvk] && len(ask.lacking) >= maxLacking {
		return nil
	}
	if ask.lacking == nil {
		ask.lacking = map[catalog.GVK]bool{}
	}
	ask.lacking[gvk] = true
	return ask.around.providersOf(gvk)
}

// supply is who could bring a kind.
type supply struct {
	// packages may be asked for; forbidden are those that the manager does not allow.
	packages, forbidden []string
	// own says that the package that needs the kind brings it, too, in some version.
	own bool
	// partial names the catalogs of which not all is known.
	partial []string
}

// supplyOf sums up who could bring a kind that an operator's package, or another one's, needs. Catalogs that the manager's
// selector leaves out are no help to anybody. The operator's own selector is not asked: who brings the kind would be an
// operator of its own, with a selector of its own.
func (ask *question) supplyOf(needy string, gvk catalog.GVK) (found supply) {
	for _, each := range ask.providers(gvk) {
		if ask.ManagerSelector != nil && !ask.ManagerSelector.Matches(visibleLabels(Catalog{ID: each.Catalog, Labels: each.Labels})) {
			continue
		}
		if each.Partial {
			found.partial = append(found.partial, each.Catalog.String())
		}
		for _, pkg := range each.Packages {
			switch {
			case pkg == needy:
				found.own = true
			case !ask.allows(pkg):
				found.forbidden = append(found.forbidden, pkg)
			default:
				found.packages = append(found.packages, pkg)
			}
		}
	}
	for _, list := range []*[]string{&found.packages, &found.forbidden, &found.partial} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return found
}

// advice says what would bring a kind. Nothing is installed that nobody asked for.
func (ask *question) advice(needy string, gvk catalog.GVK) string {
	if !ask.lacking[gvk] && len(ask.lacking) >= maxLacking {
		return "which packages provide it is told when fewer kinds are missing"
	}
	found := ask.supplyOf(needy, gvk)
	var wanted, others []string
	for _, pkg := range found.packages {
		if operator, asked := ask.around.holders[pkg]; asked {
			wanted = append(wanted, fmt.Sprintf("PlatformOperator %q, of package %s, is to bring it: see there why it does not", operator, quote(pkg)))
			continue
		}
		others = append(others, quote(pkg))
	}
	switch {
	case len(wanted) > 0 && len(others) > 0:
		return list(wanted, ", ", maxLeaves) + ", or " + create(others)
	case len(wanted) > 0:
		return list(wanted, ", ", maxLeaves)
	case len(others) > 0:
		return create(others)
	case len(found.forbidden) > 0:
		return fmt.Sprintf("what provides it is not in spec.allowedPackages of PlatformOperatorManager %q: add one of %s there, and create a PlatformOperator for it",
			operatorv1alpha1.PlatformOperatorManagerName, list(quotedEach(found.forbidden), ", ", maxProviders))
	case found.own:
		return fmt.Sprintf("of the packages that are known here only %s itself provides it, in other versions: permit one of these by spec.package.version", quote(needy))
	case len(found.partial) > 0:
		return fmt.Sprintf("no package that is known here provides it (not everything is known of %s): install one that does", list(found.partial, ", ", maxLeaves))
	}
	return "no package that is known here provides it: install one that does"
}

// create says to ask for one of these packages.
func create(packages []string) string {
	if len(packages) == 1 {
		return "create a PlatformOperator for package " + packages[0]
	}
	return "create a PlatformOperator for one of the packages " + list(packages, ", ", maxProviders)
}

func quotedEach(texts []string) (out []string) {
	for _, text := range texts {
		out = append(out, quote(text))
	}
	return out
}
