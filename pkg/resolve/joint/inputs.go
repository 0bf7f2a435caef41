package joint

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve"
)

// inputs are the inputs of the decision for one operator, except for the state of the cluster and the other operators.
type inputs struct {
	request  resolve.Request
	catalogs []resolve.Catalog
	unlisted []string
}

// newInputs returns inputs with a copy of each catalog's content for the package. A pointer into a catalog would keep the whole catalog in
// memory.
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

// equal reports whether two inputs result in the same decision. It returns false for equal content that does not share memory
// (catalog.Package.IsIdentical); the only cost is that the operator is decided once more than necessary.
func (in *inputs) equal(req resolve.Request, catalogs []resolve.Catalog, unlisted []string) bool {
	return slices.Equal(in.unlisted, unlisted) && slices.EqualFunc(in.catalogs, catalogs, sameCatalog) && reflect.DeepEqual(in.request, req)
}

// sameCatalog reports whether two catalogs are equal. It ignores UnavailableSince, which no decision depends on.
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
