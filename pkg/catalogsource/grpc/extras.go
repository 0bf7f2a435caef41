package grpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/operator-framework/operator-registry/pkg/api"
	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/openshift/platform-operators/pkg/catalog"
)

const (
	// acknowledgeExperimental has to be sent with the calls of operator-registry's experimental service; without it the
	// server answers an empty list.
	acknowledgeExperimental = "x-acknowledge-experimental"
	// maxBlobs is how many blobs of one schema are kept of a package: more than catalog.Builder keeps, so that it says so.
	maxBlobs = 64
	// noteNoUpgradeRules is said of packages of which a server cannot tell whether there are rules as blobs.
	noteNoUpgradeRules = "the catalog's server does not serve upgrade rules (operator-registry before 1.69): only those on bundles are known"
)

// upgradeSchemas returns the schemas of upgrade rules that are asked for. The protocol knows no prefixes, so beside the
// version that is followed today these are the next ones by the usual names: their rules must block, not be overlooked.
func upgradeSchemas() []string {
	var schemas []string
	for _, version := range []string{"v1alpha1", "v1alpha2", "v1beta1", "v1"} {
		schemas = append(schemas, catalog.UpgradeSchemaPrefix+version)
	}
	return schemas
}

// rulesBlob is one blob of upgrade rules as the server sent it.
type rulesBlob struct {
	pkg, schema string
	raw         []byte
}

// addRules asks for the upgrade rules of every package of the list.
func (r *reader) addRules(ctx context.Context) error {
	blobs, served, err := r.rules(ctx)
	if err != nil {
		return err
	}
	for _, blob := range blobs {
		r.builder.AddUpgradeRules(blob.pkg, blob.schema, "", blob.raw)
	}
	for pkg := range r.packages {
		if !served && !r.ruled[pkg] {
			r.builder.AddNote(pkg, noteNoUpgradeRules)
		}
	}
	return nil
}

// rules returns all blobs of upgrade rules, and whether the server has the call at all.
func (r *reader) rules(ctx context.Context) (blobs []rulesBlob, served bool, err error) {
	ctx = metadata.AppendToOutgoingContext(ctx, acknowledgeExperimental, "true")
	var lock sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(concurrentCalls)
	for pkg := range r.packages {
		for _, schema := range upgradeSchemas() {
			group.Go(func() error {
				found, err := r.customSchema(ctx, schema, pkg)
				if err != nil {
					return fmt.Errorf("listing blobs of schema %q of package %q: %w", schema, pkg, err)
				}
				lock.Lock()
				defer lock.Unlock()
				blobs = append(blobs, found...)
				return nil
			})
		}
	}
	err = group.Wait()
	if status.Code(err) == codes.Unimplemented {
		return nil, false, nil // of one server, all calls are or none
	}
	return blobs, true, err
}

func (r *reader) customSchema(ctx context.Context, schema, pkg string) ([]rulesBlob, error) {
	stream, err := r.experimental.ExperimentalListPackageCustomSchemas(ctx,
		&api.ExperimentalListPackageCustomSchemasRequest{Schema: schema, PackageName: pkg})
	if err != nil {
		return nil, err
	}
	var blobs []rulesBlob
	for {
		blob, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return blobs, nil
		}
		if err != nil {
			return nil, err
		}
		raw, err := json.Marshal(blob.AsMap())
		if err != nil {
			return nil, fmt.Errorf("reading the blob as JSON: %w", err)
		}
		if len(blobs) < maxBlobs {
			blobs = append(blobs, rulesBlob{pkg, schema, raw})
		}
	}
}

// addDeprecations adds what the list of bundles and the packages have said of deprecations.
func (r *reader) addDeprecations() {
	for pkg, found := range r.deprecations {
		var list []catalog.Deprecation
		for of, message := range found {
			of.Message = message
			list = append(list, of)
		}
		r.builder.AddDeprecations(pkg, list)
	}
}

// deprecate records the deprecation of something of a package; nil is none.
func (r *reader) deprecate(pkg, schema, name string, deprecation *api.Deprecation) {
	if deprecation == nil {
		return
	}
	if r.deprecations[pkg] == nil {
		r.deprecations[pkg] = map[catalog.Deprecation]string{}
	}
	r.deprecations[pkg][catalog.Deprecation{Schema: schema, Name: name}] = deprecation.GetMessage()
}
