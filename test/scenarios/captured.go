package scenarios

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"sigs.k8s.io/yaml"

	"github.com/openshift/platform-operators/pkg/applyconfiguration"
	"github.com/openshift/platform-operators/pkg/capture"
	"github.com/openshift/platform-operators/pkg/mustgather"
	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/test/samples"
)

// customResourceDefinition is the kind of the objects that define custom kinds.
const customResourceDefinition = "CustomResourceDefinition"

// readCapture reads a directory that platform-operators capture has written. For objects whose definition was not captured, it adds a definition
// that permits everything. It omits Secrets without values.
func readCapture(dir string) (*recording, error) {
	input, err := mustgather.Read(os.DirFS(dir), nil)
	if err != nil {
		return nil, fmt.Errorf("reading the capture in %q: %w", dir, err)
	}
	r := &recording{dir: dir, isCapture: true}
	at, err := captureTime(dir)
	if err != nil {
		return nil, err
	}
	for _, each := range input.Objects {
		r.Time = latest(r.Time, each.Object)
		switch {
		case each.GetKind() == customResourceDefinition:
			r.definitions = append(r.definitions, each.Unstructured)
		case !each.IsElided():
			r.objects = append(r.objects, each.Unstructured)
		}
	}
	if !at.IsZero() {
		r.Time = at
	}
	for _, each := range applyconfiguration.InferredDefinitions(input) {
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(each)
		if err != nil {
			return nil, err
		}
		definition := &unstructured.Unstructured{Object: content}
		definition.SetAPIVersion("apiextensions.k8s.io/v1")
		definition.SetKind(customResourceDefinition)
		r.definitions = append(r.definitions, definition) // after those of the input, which have precedence
	}
	return r, nil
}

// offerNothing writes a catalog that has none of the captured operators, because a capture has no content of catalogs.
func offerNothing(dir string) error {
	return samples.Write(dir, samples.Operator{Package: "unused", Version: "1.0.0"})
}

// captureTime returns the time of the capture in a directory. It is zero if the capture is that of a must-gather.
func captureTime(dir string) (time.Time, error) {
	content, err := os.ReadFile(filepath.Join(dir, capture.TimeFile))
	if errors.Is(err, fs.ErrNotExist) {
		return time.Time{}, nil
	}
	read := capture.Time{}
	if err == nil {
		err = yaml.UnmarshalStrict(content, &read)
	}
	return read.Time, err
}

// latest returns the latest of a time and the timestamps in a value. A timestamp is a field whose name ends with "time" or "timestamp", in any
// case.
func latest(found time.Time, value any) time.Time {
	switch value := value.(type) {
	case map[string]any:
		for name, each := range value {
			text, isText := each.(string)
			lower := strings.ToLower(name)
			if name == "deletionTimestamp" {
				continue // it may be in the future
			}
			if !isText || !strings.HasSuffix(lower, "time") && !strings.HasSuffix(lower, "timestamp") {
				found = latest(found, each)
				continue
			}
			if at, err := time.Parse(time.RFC3339, text); err == nil && at.After(found) {
				found = at
			}
		}
	case []any:
		for _, each := range value {
			found = latest(found, each)
		}
	}
	return found
}

// restoreCapture writes captured objects to the cluster, and creates missing namespaces. The cluster keeps its own definitions of the kinds that
// it serves. restoreCapture omits objects of built-in kinds that the cluster does not serve.
func (s *Story) restoreCapture(r *recording) error {
	served, err := s.servedKinds()
	if err != nil {
		return err
	}
	names := map[string]bool{}
	var missing []*unstructured.Unstructured
	for _, each := range r.definitions {
		group, _, _ := unstructured.NestedString(each.Object, "spec", "group")
		kind, _, _ := unstructured.NestedString(each.Object, "spec", "names", "kind")
		if !served[schema.GroupKind{Group: group, Kind: kind}] && !names[each.GetName()] {
			missing = append(missing, each)
		}
		names[each.GetName()] = true
	}
	if err := s.Restore(missing...); err != nil {
		return err
	}
	if err := s.Cluster.Settle(); err != nil { // waits until the kinds of the definitions are served
		return err
	}
	if served, err = s.servedKinds(); err != nil {
		return err
	}
	objects := slices.DeleteFunc(slices.Clone(r.objects), func(each *unstructured.Unstructured) bool {
		return !served[each.GroupVersionKind().GroupKind()]
	})
	return s.Restore(append(missingNamespaces(objects), objects...)...)
}

// servedKinds returns the kinds that the cluster serves.
func (s *Story) servedKinds() (map[schema.GroupKind]bool, error) {
	client, err := discovery.NewDiscoveryClientForConfig(s.StepClientConfig(scenario.AdminUser))
	if err != nil {
		return nil, err
	}
	_, lists, err := client.ServerGroupsAndResources()
	if err != nil {
		return nil, err
	}
	served := map[schema.GroupKind]bool{}
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, err
		}
		for _, each := range list.APIResources {
			served[version.WithKind(each.Kind).GroupKind()] = true
		}
	}
	return served, nil
}

// missingNamespaces returns a Namespace for each namespace of objects that has none among them.
func missingNamespaces(objects []*unstructured.Unstructured) (missing []*unstructured.Unstructured) {
	known := map[string]bool{"": true}
	for _, each := range objects {
		if each.GetKind() == "Namespace" {
			known[each.GetName()] = true
		}
	}
	for _, each := range objects {
		name := each.GetNamespace()
		if known[name] {
			continue
		}
		known[name] = true
		missing = append(missing, &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "Namespace",
			"metadata": map[string]any{"name": name, "uid": "namespace-" + name, "creationTimestamp": each.GetCreationTimestamp().UTC().Format(time.RFC3339)},
			"spec":     map[string]any{"finalizers": []any{"kubernetes"}}, "status": map[string]any{"phase": "Active"},
		}})
	}
	return missing
}
