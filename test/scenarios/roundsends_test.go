package scenarios

import (
	"context"
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"github.com/openshift/library-go/pkg/manifestclient"
)

// send sends a mutation to the cluster.
func send(ctx context.Context, client dynamic.Interface, request *manifestclient.SerializedRequest) error {
	target := client.Resource(request.ResourceType).Namespace(request.Namespace)
	content, err := yaml.YAMLToJSON(request.Body)
	if err != nil {
		return err
	}
	object := &unstructured.Unstructured{}
	switch request.Action {
	case manifestclient.ActionCreate, manifestclient.ActionUpdate, manifestclient.ActionUpdateStatus:
		if err := json.Unmarshal(content, object); err != nil {
			return err
		}
	}
	patch := metav1.PatchOptions{}
	if err := yaml.Unmarshal(request.Options, &patch); err != nil {
		return err
	}
	switch request.Action {
	case manifestclient.ActionCreate:
		_, err = target.Create(ctx, object, metav1.CreateOptions{FieldManager: request.FieldManager})
	case manifestclient.ActionUpdate:
		_, err = target.Update(ctx, object, metav1.UpdateOptions{FieldManager: request.FieldManager})
	case manifestclient.ActionUpdateStatus:
		_, err = target.UpdateStatus(ctx, object, metav1.UpdateOptions{FieldManager: request.FieldManager})
	case manifestclient.ActionDelete:
		options := metav1.DeleteOptions{}
		if err := json.Unmarshal(content, &options); err != nil {
			return err
		}
		err = target.Delete(ctx, request.Name, options)
	case manifestclient.ActionPatchStatus, manifestclient.ActionApplyStatus:
		_, err = target.Patch(ctx, request.Name, types.PatchType(request.PatchType), content, patch, "status")
	default:
		_, err = target.Patch(ctx, request.Name, types.PatchType(request.PatchType), content, patch)
	}
	return err
}
