package joint

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve"
)

// inputs are what the decision about an operator is made of beside the cluster and other operators.
type inputs struct {
	request  resolve.Request
	catalogs []resolve.Catalog
	unlisted []string
}

// newInputs keeps nothing of the catalogs but what they have of the package: a package lies beside others in memory, and what
// points at it would keep these for as long.
func newInputs(req resolve.Request, catalogs []resolve.Catalog, unlisted []string) inputs {
	own := slices.Clone(catalogs)
	for i, c := range own {
		if c.Package != nil {
			pkg := *c.Package
			own[i].Package = &pkg
		}
	}
	return inputs{request: req, catalogs: own, unlisted: unlisted}
}

// equal says whether a decision would be made of the same. Content that was read again without being shared with what was read
// before (catalog.Package.Identical) counts as another one: then the operator is decided once more than it would have to be.
func (in *inputs) equal(req resolve.Request, catalogs []resolve.Catalog, unlisted []string) bool {
	return slices.Equal(in.unlisted, unlisted) && slices.EqualFunc(in.catalogs, catalogs, sameCatalog) && reflect.DeepEqual(in.request, req)
}

// sameCatalog compares what two catalogs say, but not since when one is unavailable, which is no part of a decision.
func sameCatalog(a, b resolve.Catalog) bool {
	return a.ID == b.ID && a.Priority == b.Priority && a.Pending == b.Pending && a.Unavailable == b.Unavailable &&
		a.Package.IsIdentical(b.Package) && errorText(a.Err) == errorText(b.Err) && (a.Err == nil) == (b.Err == nil) && maps.Equal(a.Labels, b.Labels)
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func kindsIn(set map[catalog.GVK]bool) []catalog.GVK {
	return slices.SortedFunc(maps.Keys(set), catalog.GVK.Compare)
}

func namesIn(set map[string]bool) []string {
	return slices.SortedFunc(maps.Keys(set), strings.Compare)
}
