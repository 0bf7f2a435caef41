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
	// acknowledgeExperimental is a header that calls to operator-registry's experimental service require; without it, the server returns an
	// empty list.
	acknowledgeExperimental = "x-acknowledge-experimental"
	// noteNoUpgradeRules is the note on packages whose upgrade rules the server cannot return.
	noteNoUpgradeRules = "the catalog's server (operator-registry before 1.69) does not serve upgrade rules, so only rules in bundle " +
		"properties apply; ask the catalog's publisher to update the server, or to put the rules into a bundle property"
)

// upgradeSchemas returns the schemas of upgrade rules to request. It must list them because the protocol does not support prefixes. The
// list contains the current version and the probable next ones, because unknown rules must block upgrades.
func upgradeSchemas() []string {
	var schemas []string
	for _, version := range []string{"v1alpha1", "v1alpha2", "v1beta1", "v1"} {
		schemas = append(schemas, catalog.UpgradeSchemaPrefix+version)
	}
	return schemas
}

// addRules requests the upgrade rules of every listed package. If the server does not support that, each package whose bundles have no
// rules gets a note instead.
func (r *reader) addRules(ctx context.Context) error {
	err := r.askForRules(metadata.AppendToOutgoingContext(ctx, acknowledgeExperimental, "true"))
	if status.Code(err) != codes.Unimplemented {
		return err
	}
	for pkg := range r.packages {
		if !r.hasRules[pkg] {
			r.builder.AddNote(pkg, noteNoUpgradeRules)
		}
	}
	return nil
}

func (r *reader) askForRules(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(r.concurrency)
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

// customSchema requests the blobs of one schema and package, and calls add with each as JSON.
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

// addDeprecations adds the recorded deprecations of each package to the builder.
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

// sizeOfDeprecation is the memory that a recorded deprecation takes without its texts, in bytes. The memory is released when
// addDeprecations adds the deprecation to the builder.
const sizeOfDeprecation = 128

// addDeprecation records the deprecation of a package, channel or bundle; a later one replaces an earlier one. It does nothing if
// deprecation is nil or the package was discarded.
func (r *reader) addDeprecation(pkg, schema, name string, deprecation *api.Deprecation) {
	if deprecation == nil || r.discarded[pkg] {
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
