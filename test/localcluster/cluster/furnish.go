package cluster

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/openshift/platform-operators/test/localcluster/furniture"
	"github.com/openshift/platform-operators/test/localcluster/kube"
)

// kind is an API version with the name of a resource. It determines the path of an object in the API.
type kind struct{ apiVersion, resource string }

var (
	clusterVersionKind = kind{"config.openshift.io/v1", "clusterversions"}
	featureGateKind    = kind{"config.openshift.io/v1", "featuregates"}
)

func path(k kind, name string) string { return kube.Path(k.apiVersion, k.resource, "", name) }

// resources returns the resource of a cluster-scoped kind that occurs among the cluster's objects. It needs no discovery. The bool is false
// for other kinds.
func resources(kindName string) (string, bool) {
	names := map[string]string{
		"CustomResourceDefinition": "customresourcedefinitions",
		"Namespace":                "namespaces",
		"Node":                     "nodes",
		"PriorityClass":            "priorityclasses",
		"ClusterVersion":           clusterVersionKind.resource,
		"FeatureGate":              featureGateKind.resource,
		"Infrastructure":           "infrastructures",
		"APIServer":                "apiservers",
		"Proxy":                    "proxies",
	}
	resource, ok := names[kindName]
	return resource, ok
}

func objectPath(object furniture.Object) (string, error) {
	apiVersion, _ := object["apiVersion"].(string)
	kindName, _ := object["kind"].(string)
	metadata, _ := object["metadata"].(map[string]any)
	name, _ := metadata["name"].(string)
	resource, ok := resources(kindName)
	if !ok || apiVersion == "" || name == "" {
		return "", fmt.Errorf("placing object %q of kind %q and version %q: kind unknown or a name missing", name, kindName, apiVersion)
	}
	return path(kind{apiVersion, resource}, name), nil
}

// parallelWrites is the maximum number of objects that furnish writes concurrently. It keeps two cores busy; more requests would only wait
// in the API server.
const parallelWrites = 8

// furnish applies the objects and waits until CRDs are established and nodes are ready. It applies an object's status only if the live
// object has none. It returns the first error.
func furnish(ctx context.Context, client *kube.Client, objects []furniture.Object) error {
	// The first error ends all waits for other objects.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var (
		wait  sync.WaitGroup
		lock  sync.Mutex
		errs  []error
		slots = make(chan struct{}, parallelWrites)
	)
	for _, object := range objects {
		slots <- struct{}{}
		wait.Go(func() {
			// An object that waits releases its slot. A custom resource waits for its CRD, and the CRD needs a slot.
			err := place(ctx, client, object, func() { <-slots })
			if err != nil {
				lock.Lock()
				defer lock.Unlock()
				errs = append(errs, err)
				cancel()
			}
		})
	}
	wait.Wait()
	if len(errs) == 0 {
		return nil
	}
	// The other errors are only cancellations.
	return errs[0]
}

func place(ctx context.Context, client *kube.Client, object furniture.Object, release func()) error {
	release = sync.OnceFunc(release)
	defer release()
	at, err := objectPath(object)
	if err != nil {
		return err
	}
	status := object["status"]
	spec := furniture.Object{}
	for field, value := range object {
		if field != "status" {
			spec[field] = value
		}
	}
	var live map[string]any
	err = poll(ctx, at+" to be accepted", func(ctx context.Context) error {
		var applyErr error
		if live, applyErr = client.Apply(ctx, at, spec); applyErr != nil {
			release()
			if !transient(applyErr) {
				return fatal{applyErr}
			}
		}
		return applyErr
	})
	if err != nil {
		return err
	}
	release()
	switch object["kind"] {
	case "CustomResourceDefinition":
		return waitForCondition(ctx, client, at, "Established")
	case "Node":
		return waitForCondition(ctx, client, at, "Ready")
	}
	// An existing status belongs to an earlier run of the cluster and may have changed since.
	if existing, _ := live["status"].(map[string]any); status == nil || len(existing) > 0 {
		return nil
	}
	metadata, _ := object["metadata"].(map[string]any)
	_, err = client.Apply(ctx, at+"/status", furniture.Object{
		"apiVersion": object["apiVersion"], "kind": object["kind"],
		"metadata": map[string]any{"name": metadata["name"]}, "status": status,
	})
	return err
}

// transient reports whether a retry may succeed while a server starts. Connection errors are transient, and so are most responses, such as
// 404 for a kind that is not served yet. Responses that reject the request are not.
func transient(err error) bool {
	var status *kube.StatusError
	if !errors.As(err, &status) {
		return true
	}
	switch status.Code {
	case 400, 401, 403, 422:
		// The API server responds with 403 until it has created its own roles. This code runs after the API server is ready.
		return false
	}
	return true
}

func waitForCondition(ctx context.Context, client *kube.Client, at, condition string) error {
	return poll(ctx, at+" to be "+condition, func(ctx context.Context) error {
		object, err := client.Get(ctx, at)
		if err != nil {
			return err
		}
		if !conditionTrue(object, condition) {
			return fmt.Errorf("condition %s is not True", condition)
		}
		return nil
	})
}

func conditionTrue(object map[string]any, condition string) bool {
	status, _ := object["status"].(map[string]any)
	conditions, _ := status["conditions"].([]any)
	for _, c := range conditions {
		if entry, _ := c.(map[string]any); entry["type"] == condition {
			return entry["status"] == "True"
		}
	}
	return false
}

func desiredVersion(clusterVersion map[string]any) string {
	status, _ := clusterVersion["status"].(map[string]any)
	desired, _ := status["desired"].(map[string]any)
	version, _ := desired["version"].(string)
	return version
}

func moveVersion(ctx context.Context, client *kube.Client, version string, now time.Time) error {
	change := func(at string, move func(furniture.Object) (bool, error)) error {
		object, err := client.Get(ctx, at)
		if err != nil {
			return fmt.Errorf("moving the cluster to %s: %w", version, err)
		}
		changed, err := move(object)
		if err != nil || !changed {
			return err
		}
		if _, err := client.Update(ctx, at+"/status", object); err != nil {
			return fmt.Errorf("moving the cluster to %s: %w; try again", version, err)
		}
		return nil
	}
	if err := change(path(featureGateKind, "cluster"), func(o furniture.Object) (bool, error) { return furniture.MoveGates(o, version) }); err != nil {
		return err
	}
	return change(path(clusterVersionKind, "version"), func(o furniture.Object) (bool, error) { return furniture.MoveVersion(o, version, now) })
}

// fatal is an error that makes poll stop.
type fatal struct{ error }

func (f fatal) Unwrap() error { return f.error }

// pollEvery is the time between two attempts while a server starts.
const pollEvery = 50 * time.Millisecond

// poll calls check until it returns nil or a fatal error, or ctx ends. Its error contains what, a description of the expected state, and
// the last error of check.
func poll(ctx context.Context, what string, check func(ctx context.Context) error) error {
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	for {
		err := check(ctx)
		var stop fatal
		if err == nil {
			return nil
		}
		if errors.As(err, &stop) {
			return fmt.Errorf("waiting for %s: %w", what, stop.error)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w; last answer: %w", what, context.Cause(ctx), err)
		case <-ticker.C:
		}
	}
}
