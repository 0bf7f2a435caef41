package applyconfiguration

import (
	"errors"
	"fmt"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/platform-operators/bindata"
	"github.com/openshift/platform-operators/pkg/applyconfiguration/content"
	"github.com/openshift/platform-operators/pkg/manifestserver"
	"github.com/openshift/platform-operators/pkg/mustgather"
)

var definitionResource = schema.GroupResource{Group: "apiextensions.k8s.io", Resource: "customresourcedefinitions"}

// readInput reads the input directory and builds the server of its objects.
func (r *run) readInput() error {
	input, err := mustgather.Read(r.files, nil)
	if err != nil {
		return fmt.Errorf("reading the input directory %s: %w", r.InputDir, err)
	}
	r.input, r.catalogs, r.images = input, content.NewCatalogs(r.files), content.NewImages(r.files)
	if err := checkComplete(input); err != nil {
		return fmt.Errorf("reading the input directory %s: %w", r.InputDir, err)
	}
	definitions, err := bindata.Definitions()
	if err != nil {
		return err
	}
	version, err := r.kubernetesVersion()
	if err != nil {
		return err
	}
	options := manifestserver.Options{KubernetesVersion: version, Clock: frozenClock{now: r.now}, Seed: fmt.Sprint(r.seed)}
	files := map[*unstructured.Unstructured]string{}
	for _, each := range input.Objects {
		files[each.Unstructured] = each.File
		options.Objects = append(options.Objects, each.Unstructured)
		if each.Resource.GroupResource() != definitionResource {
			continue
		}
		definition := &apiextensionsv1.CustomResourceDefinition{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(each.Object, definition); err != nil {
			return fmt.Errorf("reading %s: %w", each.File, err)
		}
		definitions = append(definitions, definition)
	}
	options.Definitions = definitions
	r.server, err = manifestserver.New(options)
	if faulty := (*manifestserver.InputError)(nil); errors.As(err, &faulty) {
		err = fmt.Errorf("%s: %w", files[faulty.Object], err)
	}
	if err != nil {
		return fmt.Errorf("reading the input directory %s: %w", r.InputDir, err)
	}
	return nil
}

// checkComplete returns an error for an input that lacks objects, values or identities, because controllers would take what is missing for
// deleted.
func checkComplete(input *mustgather.Input) error {
	if len(input.NotCollected.Resources)+len(input.NotCollected.Namespaces) > 0 {
		return errors.New("not-collected.yaml: inputs that lack resources or namespaces are not supported yet; add the objects, and remove the file")
	}
	var errs []error
	for _, each := range input.Objects {
		switch {
		case each.IsElided():
			errs = append(errs, fmt.Errorf("%s: the Secret has no values, as oc adm inspect writes it; take the input with the values", each.File))
		case each.GetUID() == "" || each.GetResourceVersion() == "":
			errs = append(errs, fmt.Errorf("%s: %s %q has no metadata.uid or no metadata.resourceVersion; take the object from a cluster", each.File, each.GetKind(), each.GetName()))
		}
	}
	return errors.Join(errs[:min(len(errs), maxFaults)]...)
}

// maxFaults is the maximum number of faulty files that an error names.
const maxFaults = 10

// kubernetesVersion returns the version of the API server. It returns an error if neither the input nor a flag has it.
func (r *run) kubernetesVersion() (string, error) {
	if r.KubernetesVersion != "" {
		return r.KubernetesVersion, nil
	}
	for _, each := range r.input.Objects {
		if each.Resource.Resource != "clusteroperators" || each.GetName() != "kube-apiserver" {
			continue
		}
		versions, _, _ := unstructured.NestedSlice(each.Object, "status", "versions")
		for _, entry := range versions {
			if operand, isMap := entry.(map[string]any); isMap && operand["name"] == "kube-apiserver" {
				if version, isText := operand["version"].(string); isText && version != "" {
					return "v" + strings.TrimPrefix(version, "v"), nil
				}
			}
		}
	}
	return "", errors.New("the version of the API server is unknown: add ClusterOperator kube-apiserver to the input, or set --kubernetes-version")
}
