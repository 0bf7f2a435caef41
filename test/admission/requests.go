package admission

import (
	"context"
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"
)

var dryRun = []string{metav1.DryRunAll}

// create returns a request that creates an object.
func create(object *unstructured.Unstructured) Request {
	return func(ctx context.Context, client dynamic.ResourceInterface) error {
		_, err := client.Create(ctx, object, metav1.CreateOptions{DryRun: dryRun})
		return err
	}
}

// apply returns a request that creates an object by server-side apply.
func apply(object *unstructured.Unstructured) Request {
	return func(ctx context.Context, client dynamic.ResourceInterface) error {
		_, err := client.Apply(ctx, object.GetName(), object, metav1.ApplyOptions{FieldManager: "admission", Force: true, DryRun: dryRun})
		return err
	}
}

// patch returns a request that changes an object by a merge patch, which is YAML.
func patch(name, change string) Request {
	return func(ctx context.Context, client dynamic.ResourceInterface) error {
		body, err := yaml.YAMLToJSON([]byte(change))
		if err != nil {
			return err
		}
		_, err = client.Patch(ctx, name, types.MergePatchType, body, metav1.PatchOptions{DryRun: dryRun})
		return err
	}
}

// remove returns a request that deletes an object.
func remove(name string) Request {
	return func(ctx context.Context, client dynamic.ResourceInterface) error {
		return client.Delete(ctx, name, metav1.DeleteOptions{DryRun: dryRun})
	}
}

// removeAll returns a request that deletes the objects with a label: each object of a table has its name as the value of label "case".
func removeAll(name string) Request {
	return func(ctx context.Context, client dynamic.ResourceInterface) error {
		return client.DeleteCollection(ctx, metav1.DeleteOptions{DryRun: dryRun}, metav1.ListOptions{LabelSelector: "case=" + name})
	}
}

// object returns an object. parts are YAML of its spec; a later one takes precedence. It panics if one of them is not valid.
func object(apiVersion, kind, name string, parts ...string) *unstructured.Unstructured {
	spec := map[string]any{}
	for _, part := range parts {
		var fields map[string]any
		if err := yaml.Unmarshal([]byte(part), &fields); err != nil {
			panic(err)
		}
		maps.Copy(spec, fields)
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": apiVersion, "kind": kind, "spec": spec,
		"metadata": map[string]any{"name": name, "labels": map[string]any{"case": name}},
	}}
}

// all returns the rights of several lists.
func all(lists ...[]Right) (rights []Right) {
	for _, list := range lists {
		rights = append(rights, list...)
	}
	return rights
}
