package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	configv1 "github.com/openshift/api/config/v1"

	"github.com/openshift/platform-operators/test/bulk"
	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/samples"
	"github.com/openshift/platform-operators/test/story"
)

// waitLimit is the maximum time that a part waits for one state of the cluster.
const waitLimit = 5 * time.Minute

// live is a local cluster with the manager, and a registry for bundles of any size.
type live struct {
	*environment.Environment
	admin    *story.Admin
	loop     *plainLoop
	registry *bulk.Registry
	logf     func(format string, args ...any)
}

// withCluster starts the cluster and the manager, waits until the manager runs, calls measure, and stops both. It sets Dir, Log and
// OpenShiftVersion of the options. Without Samples the catalog has one package that no part uses.
func withCluster(ctx context.Context, dir string, options environment.Options, logf func(string, ...any), measure func(context.Context, *live) (part, error)) (p part, err error) {
	options.Dir, options.Log, options.OpenShiftVersion = filepath.Join(dir, "environment"), os.Stderr, story.ClusterVersion
	if len(options.Samples) == 0 {
		options.Samples = []samples.Operator{{Package: "unused", Version: sampleVersion}}
	}
	env, err := environment.Start(ctx, options)
	if err != nil {
		return part{}, fmt.Errorf("starting the local cluster and the manager: %w", err)
	}
	defer func() { err = errors.Join(err, env.Stop()) }()
	l := &live{Environment: env, logf: logf, registry: bulk.StartRegistry()}
	defer l.registry.Close()
	if l.admin, err = story.NewAdmin(env); err != nil {
		return part{}, err
	}
	if l.loop, err = newPlainLoop(env.Admin); err != nil {
		return part{}, err
	}
	if err := managerIsRunning().Run(ctx, l.admin); err != nil {
		return part{}, err
	}
	return measure(ctx, l)
}

// managerIsRunning returns a step that waits until the manager has reported Available=True.
func managerIsRunning() story.Step {
	return story.Step{Title: "the manager runs", Within: roundLimit, Seen: func(ctx context.Context, admin *story.Admin) error {
		_, err := admin.ClusterOperatorHas(ctx, configv1.OperatorAvailable, configv1.ConditionTrue)
		return err
	}}
}

// publish pushes a bundle and returns its reference by digest.
func (l *live) publish(ctx context.Context, bundle bulk.Bundle) (string, error) {
	image, err := bundle.Image()
	if err != nil {
		return "", err
	}
	return l.registry.Push(ctx, bundle.Name, image)
}

// deploy creates a BundleDeployment for an image and returns the time until it is installed and healthy.
func (l *live) deploy(ctx context.Context, name, ref string) (time.Duration, error) {
	start := time.Now()
	if err := bulk.Deploy(ctx, l.admin.Platform, name, ref); err != nil {
		return 0, err
	}
	return l.waitUntilInstalled(ctx, name, start)
}

func (l *live) waitUntilInstalled(ctx context.Context, name string, start time.Time) (time.Duration, error) {
	err := bulk.WaitUntilInstalled(ctx, l.admin.Platform, name, waitLimit)
	return time.Since(start), err
}

// renderForLoop renders a bundle for the plain loop, into a namespace with the bundle's name.
func renderForLoop(bundle bulk.Bundle) (rendered, error) {
	objects, err := renderInto(bundle.Files(), bundle.Name)
	return rendered{namespace: bundle.Name, objects: objects}, err
}
