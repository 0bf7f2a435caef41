package grpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/operator-framework/operator-registry/pkg/api"
	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/truncate"
)

const (
	// acknowledgeExperimental has to be sent with the calls of operator-registry's experimental service; without it the
	// server answers an empty list.
	acknowledgeExperimental = "x-acknowledge-experimental"
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

// addRules asks for the upgrade rules of every package of the list. Of packages that have none on a bundle, it says so when
// the server has not the call.
func (r *reader) addRules(ctx context.Context) error {
	err := r.askForRules(metadata.AppendToOutgoingContext(ctx, acknowledgeExperimental, "true"))
	if status.Code(err) != codes.Unimplemented {
		return err
	}
	for pkg := range r.packages {
		if !r.ruled[pkg] {
			r.builder.AddNote(pkg, noteNoUpgradeRules)
		}
	}
	return nil
}

func (r *reader) askForRules(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(r.calls)
	for pkg := range r.packages {
		for _, schema := range upgradeSchemas() {
			group.Go(func() error {
				err := r.customSchema(ctx, schema, pkg, func(raw []byte) {
					r.lock.Lock()
					defer r.lock.Unlock()
					r.builder.AddUpgradeRules(pkg, schema, "", raw)
				})
				if err != nil {
					return fmt.Errorf("listing blobs of schema %q of package %s: %w", schema, truncate.Quote(pkg), err)
				}
				return nil
			})
		}
	}
	return group.Wait()
}

// customSchema streams the blobs of one schema and package.
func (r *reader) customSchema(ctx context.Context, schema, pkg string, add func(raw []byte)) error {
	stream, err := r.experimental.ExperimentalListPackageCustomSchemas(ctx,
		&api.ExperimentalListPackageCustomSchemasRequest{Schema: schema, PackageName: pkg})
	if err != nil {
		return err
	}
	for {
		blob, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		raw, err := json.Marshal(blob.AsMap())
		if err != nil {
			return fmt.Errorf("reading the blob as JSON: %w", err)
		}
		add(raw)
	}
}

// addDeprecations adds what the list of bundles and the packages have said of deprecations.
func (r *reader) addDeprecations() {
	for pkg, found := range r.deprecations {
		var list []catalog.Deprecation
		for of, message := range found {
			of.Message = message
			list = append(list, of)
			r.builder.Release(pkg, sizeOfDeprecation+len(of.Name)+len(message))
		}
		r.builder.AddDeprecations(pkg, list)
	}
}

// sizeOfDeprecation is what a deprecation takes in memory beside its texts, until the builder has all of its package.
const sizeOfDeprecation = 128

// deprecate records the deprecation of something of a package; nil is none.
func (r *reader) deprecate(pkg, schema, name string, deprecation *api.Deprecation) {
	if deprecation == nil || r.dropped[pkg] {
		return
	}
	if r.deprecations[pkg] == nil {
		r.deprecations[pkg] = map[catalog.Deprecation]string{}
	}
	of, message := catalog.Deprecation{Schema: schema, Name: name}, catalog.DeprecationMessage(deprecation.GetMessage())
	if before, known := r.deprecations[pkg][of]; known {
		r.builder.Release(pkg, sizeOfDeprecation+len(name)+len(before))
		delete(r.deprecations[pkg], of)
	}
	if r.builder.Reserve(pkg, sizeOfDeprecation+len(name)+len(message)) {
		r.deprecations[pkg][of] = message
	}
}
