package main

import (
	"context"
	"fmt"
	"testing/fstest"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/openshift/library-go/pkg/manifestclient"

	"github.com/openshift/platform-operators/pkg/applyconfiguration"
	"github.com/openshift/platform-operators/pkg/mustgather"
)

// onceSettle is the maximum number of rounds until the copied operators are at rest.
const onceSettle = 5

// settleCopies runs rounds until a round has no mutation. The copies differ from objects that the manager has written only by digests in
// statuses. So a mutation that is not an update of a status is an error.
func settleCopies(ctx context.Context, objects []mustgather.Object, kubernetesVersion string) error {
	for range onceSettle {
		options := applyconfiguration.Options{Controllers: []string{"*"}, Timeout: waitLimit, KubernetesVersion: kubernetesVersion, Now: time.Now().Add(onceLater).UTC().Format(time.RFC3339)}
		output, err := applyconfiguration.Reconcile(ctx, &mustgather.Input{Objects: objects}, fstest.MapFS{}, options)
		if err != nil {
			return err
		}
		if len(output.Requests) == 0 {
			return nil
		}
		if err := updateStatuses(objects, output.Requests); err != nil {
			return err
		}
	}
	return fmt.Errorf("the copied operators are not at rest after %d rounds", onceSettle)
}

// updateStatuses sets the statuses of requests in the objects.
func updateStatuses(objects []mustgather.Object, requests []manifestclient.SerializedRequest) error {
	byName := map[manifestclient.ResourceMetadata]*unstructured.Unstructured{}
	for _, each := range objects {
		byName[manifestclient.ResourceMetadata{ResourceType: each.Resource, Namespace: each.GetNamespace(), Name: each.GetName()}] = each.Unstructured
	}
	for _, request := range requests {
		object := byName[request.ResourceMetadata]
		if request.Action != manifestclient.ActionUpdateStatus || object == nil {
			return fmt.Errorf("the copied operators are not at rest: %s", request.StringID())
		}
		body := map[string]any{}
		if err := yaml.Unmarshal(request.Body, &body); err != nil {
			return err
		}
		object.Object["status"] = body["status"]
	}
	return nil
}
