package applyconfiguration

import (
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/klog/v2"
	"sigs.k8s.io/yaml"

	"github.com/openshift/library-go/pkg/manifestclient"
	"github.com/openshift/multi-operator-manager/pkg/library/libraryapplyconfiguration"

	"github.com/openshift/platform-operators/pkg/manifestserver"
)

// configurationFolder is the folder for the mutations. On a standalone cluster, the configuration cluster is also the management cluster and
// the cluster of user workloads.
var configurationFolder = string(libraryapplyconfiguration.ClusterTypeConfiguration)

// maxName is the maximum length of an object's name in the output: a file may have 255 bytes in its name, of which
// multi-operator-manager's format takes "0123-metadata-" and ".yaml".
const maxName = 255 - len("0123-metadata-") - len(".yaml")

// write writes an output into the output directory.
func (o *Options) write(output *Output) error {
	if err := o.writeFile(resultsFile, output.Results); err != nil {
		return err
	}
	if err := manifestclient.WriteMutationDirectory(filepath.Join(o.OutputDir, configurationFolder), output.Requests...); err != nil {
		return fmt.Errorf("writing the mutations: %w", err)
	}
	if err := o.writeFile(filepath.Join(configurationFolder, runAgainFile), output.RunAgain); err != nil {
		return err
	}
	if err := o.writeFile(filepath.Join(configurationFolder, missingFile), output.Missing); err != nil {
		return err
	}
	missing := len(output.Missing.Catalogs) + len(output.Missing.Images) + len(output.Missing.Objects) + len(output.Missing.Revisions)
	klog.Infof("wrote %d mutations to %s; %s lists %d syncs, and %s %d things that the input lacks", len(output.Requests), o.OutputDir, runAgainFile, len(output.RunAgain.Syncs), missingFile, missing)
	return nil
}

// writeFile writes a value as YAML to a path below the output directory.
func (o *Options) writeFile(name string, value any) error {
	content, err := yaml.Marshal(value)
	if err != nil {
		return fmt.Errorf("encoding %s: %w", name, err)
	}
	path := filepath.Join(o.OutputDir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return nil
}

// requests returns mutations as multi-operator-manager's types have them.
func (r *run) requests(mutations []manifestserver.Mutation) ([]manifestclient.SerializedRequest, error) {
	var requests []manifestclient.SerializedRequest
	for _, each := range mutations {
		request, err := r.requestOf(each)
		if err != nil {
			return nil, err
		}
		requests = append(requests, request)
	}
	return requests, nil
}

// bodyOf returns the body of a mutation as YAML. An object in it has the resourceVersion of the input, or none if the body has none or the
// object is not in the input.
func (r *run) bodyOf(m manifestserver.Mutation) ([]byte, error) {
	object := map[string]any{}
	if err := utiljson.Unmarshal(m.Body, &object); err != nil {
		return yaml.JSONToYAML(m.Body) // a JSON patch, or the empty options of a deletion
	}
	if isEvent(m) {
		r.withoutMadeUp(object)
	}
	if has, _, _ := unstructured.NestedString(object, "metadata", versionField); has != "" {
		unstructured.RemoveNestedField(object, "metadata", versionField)
		if before, isInInput := r.inInput[idOf(m)]; isInInput {
			if err := unstructured.SetNestedField(object, before.resourceVersion, "metadata", versionField); err != nil {
				return nil, err
			}
		}
	}
	return yaml.Marshal(object)
}

// requestOf returns a mutation as multi-operator-manager's types have it.
func (r *run) requestOf(m manifestserver.Mutation) (manifestclient.SerializedRequest, error) {
	body, err := r.bodyOf(m)
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
			PatchType: string(m.PatchType), FieldManager: m.FieldManager, ControllerInstanceName: m.Sync.Controller,
		},
		KindType: m.Kind, Options: options, Body: body,
	}, nil
}
