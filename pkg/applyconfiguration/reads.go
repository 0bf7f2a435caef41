package applyconfiguration

import (
	"context"
	"fmt"
	"os"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/openshift/platform-operators/pkg/manifestserver"
	"github.com/openshift/platform-operators/pkg/mustgather"
)

// Reads runs one round on the objects of an input, and returns the reads of the controllers, sorted. It writes no output, and the round has no
// content of catalogs and images. inferred are definitions of kinds that an input without CustomResourceDefinitions may have; see
// InferredDefinitions. errs are the errors of syncs; Reads returns the reads also with them.
func Reads(ctx context.Context, input *mustgather.Input, inferred []*apiextensionsv1.CustomResourceDefinition, kubernetesVersion string, now time.Time) (reads []manifestserver.Read, errs, err error) {
	folder, err := os.MkdirTemp("", "platform-operators-no-content-")
	if err != nil {
		return nil, nil, fmt.Errorf("creating an empty folder: %w", err)
	}
	defer os.RemoveAll(folder)
	r := &run{Options: Options{KubernetesVersion: kubernetesVersion, Controllers: []string{"*"}, Seed: 1, Cache: &Cache{}}, now: now.UTC(), inferred: inferred}
	if err := r.load(ctx, input, os.DirFS(folder)); err != nil {
		return nil, nil, err
	}
	results, _, err := r.reconcile(ctx)
	if err != nil {
		return nil, nil, err
	}
	return r.server.Reads(), errorOf(r.concluded(results)), nil
}
