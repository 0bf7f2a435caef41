package main

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"golang.org/x/sync/errgroup"

	"github.com/openshift/platform-operators/test/bulk"
	"github.com/openshift/platform-operators/test/environment"
)

var deploymentsOfOneDigest = []int{5, 50}

// pulls holds the requests to the registry when several BundleDeployments use the same digest.
type pulls struct {
	deployments    int
	ours, baseline bulk.Pulls
}

// measurePulls creates several BundleDeployments with the same digest at once and counts the requests to the registry.
func measurePulls(ctx context.Context, dir string, logf func(string, ...any)) (part, error) {
	return withCluster(ctx, dir, environment.Options{}, logf, func(ctx context.Context, l *live) (part, error) {
		var all []pulls
		for _, deployments := range deploymentsOfOneDigest {
			measured, err := l.pullsOf(ctx, deployments)
			if err != nil {
				return part{}, fmt.Errorf("counting the pulls of %d deployments: %w", deployments, err)
			}
			logf("%d deployments of one digest asked for %d manifests and %d layers", deployments, measured.ours.Manifests, measured.ours.Blobs)
			all = append(all, measured)
		}
		return pullsPart(all), nil
	})
}

func (l *live) pullsOf(ctx context.Context, deployments int) (pulls, error) {
	measured := pulls{deployments: deployments}
	ref, err := l.publish(ctx, bulk.Bundle{Name: fmt.Sprintf("shared-%d", deployments), Objects: 10, Ballast: 1 << 20})
	if err != nil {
		return pulls{}, err
	}
	before := l.registry.Pulls()
	group, groupCtx := errgroup.WithContext(ctx)
	for i := range deployments {
		group.Go(func() error {
			_, err := l.deploy(groupCtx, fmt.Sprintf("shared-%d-%d", deployments, i), ref)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return pulls{}, err
	}
	measured.ours = l.registry.Pulls().Since(before)

	before = l.registry.Pulls()
	for range deployments {
		if err := pullOnce(ctx, ref); err != nil {
			return pulls{}, err
		}
	}
	measured.baseline = l.registry.Pulls().Since(before)
	return measured, nil
}

// pullOnce pulls an image with all its layers and discards it.
func pullOnce(ctx context.Context, ref string) error {
	parsed, err := name.NewDigest(ref)
	if err != nil {
		return err
	}
	image, err := remote.Image(parsed, remote.WithContext(ctx), remote.WithTransport(&http.Transport{DisableKeepAlives: true}))
	if err != nil {
		return err
	}
	content := mutate.Extract(image)
	defer content.Close()
	_, err = io.Copy(io.Discard, content)
	return err
}

func pullsPart(all []pulls) part {
	p := part{
		title: "Pulling one image for many BundleDeployments",
		text:  "The requests to the registry when many BundleDeployments of one digest are created at once, until all are installed and healthy. The image has two layers. The baseline is a client that pulls the image once for each BundleDeployment and keeps nothing.",
		ours:  "manager", baseline: "one pull each",
	}
	for _, m := range all {
		name := fmt.Sprintf("%d deployments", m.deployments)
		p.figures = append(p.figures,
			figure{name: name + ": manifests", unit: count, ours: float64(m.ours.Manifests), baseline: float64(m.baseline.Manifests), n: 1},
			figure{name: name + ": layers", unit: count, ours: float64(m.ours.Blobs), baseline: float64(m.baseline.Blobs), n: 1})
	}
	return p
}
