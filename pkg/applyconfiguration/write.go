package applyconfiguration

import (
	"fmt"
	"path/filepath"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/openshift/library-go/pkg/manifestclient"
	"github.com/openshift/multi-operator-manager/pkg/library/libraryapplyconfiguration"

	"github.com/openshift/platform-operators/pkg/manifestserver"
)

// configurationFolder is the folder for mutations of a standalone cluster, which is one cluster of all types.
var configurationFolder = string(libraryapplyconfiguration.ClusterTypeConfiguration)

// writeMutations writes the mutations into the output directory.
func (r *run) writeMutations() error {
	if r.server == nil {
		return nil
	}
	mutations, err := r.server.Mutations()
	if err != nil {
		return fmt.Errorf("reading the mutations: %w", err)
	}
	versions := r.inputVersions()
	var requests []manifestclient.SerializedRequest
	for _, each := range reduce(mutations, versions) {
		request, err := requestOf(each, versions)
		if err != nil {
			return err
		}
		requests = append(requests, request)
	}
	if err := manifestclient.WriteMutationDirectory(filepath.Join(r.OutputDir, configurationFolder), requests...); err != nil {
		return fmt.Errorf("writing the mutations: %w", err)
	}
	return nil
}

// versionKey identifies an object of the input.
type versionKey struct{ group, resource, namespace, name string }

// inputVersions returns the resourceVersions of the objects in the input. Those that the server made up belong to no cluster.
func (r *run) inputVersions() map[versionKey]string {
	versions := map[versionKey]string{}
	for _, each := range r.input.Objects {
		versions[versionKey{each.Resource.Group, each.Resource.Resource, each.GetNamespace(), each.GetName()}] = each.GetResourceVersion()
	}
	return versions
}

// bodyOf returns the body of a mutation as YAML. An object in it has the resourceVersion of the input, or none if the body has none or the
// object is not in the input.
func bodyOf(m manifestserver.Mutation, versions map[versionKey]string) ([]byte, error) {
	object := map[string]any{}
	if err := utiljson.Unmarshal(m.Body, &object); err != nil {
		return yaml.JSONToYAML(m.Body) // a JSON patch, or the empty options of a deletion
	}
	if has, _, _ := unstructured.NestedString(object, "metadata", "resourceVersion"); has != "" {
		unstructured.RemoveNestedField(object, "metadata", "resourceVersion")
		if version := versions[versionKey{m.Resource.Group, m.Resource.Resource, m.Namespace, m.Name}]; version != "" {
			if err := unstructured.SetNestedField(object, version, "metadata", "resourceVersion"); err != nil {
				return nil, err
			}
		}
	}
	return yaml.Marshal(object)
}

// requestOf returns a mutation as multi-operator-manager's types have it.
func requestOf(m manifestserver.Mutation, versions map[versionKey]string) (manifestclient.SerializedRequest, error) {
	body, err := bodyOf(m, versions)
	if err != nil {
		return manifestclient.SerializedRequest{}, fmt.Errorf("encoding the mutation of %s %q: %w", m.Resource.Resource, m.Name, err)
	}
	options, err := yaml.Marshal(m.Options)
	if err != nil {
		return manifestclient.SerializedRequest{}, fmt.Errorf("encoding the options for %s %q: %w", m.Resource.Resource, m.Name, err)
	}
	if string(options) == "{}\n" || string(options) == "null\n" {
		options = nil
	}
	return manifestclient.SerializedRequest{
		ActionMetadata: manifestclient.ActionMetadata{
			Action: manifestclient.Action(m.Action),
			ResourceMetadata: manifestclient.ResourceMetadata{
				ResourceType: m.Resource, Namespace: m.Namespace, Name: m.Name, GenerateName: m.GenerateName,
			},
			PatchType: string(m.PatchType), FieldManager: m.FieldManager, ControllerInstanceName: m.ControllerInstanceName,
		},
		KindType: m.Kind, Options: options, Body: body,
	}, nil
}
