package apply

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// item is one object as it should be. What a settled object is known by is its key and digest; its content is only wanted
// to write or to compare it, so that it is kept encoded, and compressed where that is worth it: decoded, the manifests of a
// large revision would take several times their size for as long as the revision lives.
type item struct {
	key    Key
	kind   schema.GroupVersionKind
	digest [sha256.Size]byte
	// given: the object may exist already and then belongs to whoever made it. Only the install namespace is.
	given bool
	// own: the engine adds it; it is no part of the bundle and is not counted.
	own bool
	// defines is what a CustomResourceDefinition defines; nil for every other kind.
	defines *definition

	content []byte
	packed  bool
}

// packFrom is the size from which content is compressed. Below it the saving is small, and most objects are.
const packFrom = 2 << 10

// newItem labels an object as the owner's. The object itself is not changed.
func newItem(owner Owner, object *unstructured.Unstructured) (*item, error) {
	content := maps.Clone(object.Object)
	metadata, _ := content["metadata"].(map[string]any)
	metadata = maps.Clone(metadata)
	labels, _ := metadata["labels"].(map[string]any)
	labels = maps.Clone(labels)
	if labels == nil {
		labels = map[string]any{}
	}
	labels[corev1alpha2.LabelOwnerKind] = corev1alpha2.OwnerKindBundleDeployment
	labels[corev1alpha2.LabelOwnerName] = owner.Name
	if metadata == nil {
		metadata = map[string]any{}
	}
	metadata["labels"], content["metadata"] = labels, metadata
	if _, aggregated := content["aggregationRule"]; aggregated && object.GetKind() == "ClusterRole" {
		delete(content, "rules") // they are the aggregation controller's, and declaring them would be a fight
	}
	if object.GetKind() == "Secret" && object.GroupVersionKind().Group == "" {
		plainData(content)
	}
	encoded, err := json.Marshal(content)
	if err != nil {
		return nil, fmt.Errorf("encoding %s: %w", keyOf(object), err)
	}
	entry := &item{key: keyOf(object), kind: object.GroupVersionKind(), digest: sha256.Sum256(encoded), content: encoded}
	if isCRD(entry.key.GroupKind) {
		entry.defines = definitionOf(object)
	}
	if len(encoded) >= packFrom {
		if entry.content, err = pack(encoded); err != nil {
			return nil, fmt.Errorf("compressing %s: %w", entry.key, err)
		}
		entry.packed = true
	}
	return entry, nil
}

// plainData declares the stringData of a Secret as what an API server makes of it: it keeps only data, and nobody could
// tell otherwise whether that is as it was declared.
func plainData(secret map[string]any) {
	texts, _ := secret["stringData"].(map[string]any)
	if len(texts) == 0 {
		return
	}
	data, _ := secret["data"].(map[string]any)
	data = maps.Clone(data)
	if data == nil {
		data = map[string]any{}
	}
	for name, each := range texts {
		text, ok := each.(string)
		if !ok {
			return // which no API server takes, and it says why
		}
		data[name] = base64.StdEncoding.EncodeToString([]byte(text))
	}
	delete(secret, "stringData")
	secret["data"] = data
}

// encoded gives the object as JSON.
func (i *item) encoded() ([]byte, error) {
	if !i.packed {
		return i.content, nil
	}
	content, err := io.ReadAll(flate.NewReader(bytes.NewReader(i.content)))
	if err != nil {
		return nil, fmt.Errorf("uncompressing %s: %w", i.key, err)
	}
	return content, nil
}

// declared gives the object as it should be: a new copy, which the caller may keep and change. It is what newItem encoded,
// so that it can be decoded; an object without content is given when memory itself is broken, and no API server takes it.
func (i *item) declared() *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	content, err := i.encoded()
	if err == nil {
		err = object.UnmarshalJSON(content)
	}
	if err != nil || object.Object == nil {
		object.Object = map[string]any{}
	}
	return object
}

// packers are reused, because one takes more memory than most objects.
var packers = sync.Pool{New: func() any {
	writer, err := flate.NewWriter(nil, flate.BestSpeed)
	if err != nil {
		return nil // the level is a constant that is known to exist
	}
	return writer
}}

func pack(content []byte) ([]byte, error) {
	var packed bytes.Buffer
	writer, ok := packers.Get().(*flate.Writer)
	if !ok {
		return nil, fmt.Errorf("no compressor at level %d", flate.BestSpeed)
	}
	defer packers.Put(writer)
	writer.Reset(&packed)
	if _, err := writer.Write(content); err != nil {
		return nil, err
	}
	if err := writer.Close(); err != nil {
		return nil, err
	}
	return bytes.Clone(packed.Bytes()), nil
}

// definition is what the engine has to know of a CustomResourceDefinition to look after its custom resources.
type definition struct {
	kind       schema.GroupKind
	plural     string
	namespaced bool
	// served are the versions that are served.
	served []string
}

// definitionOf reads a CustomResourceDefinition; what is missing stays empty.
func definitionOf(object *unstructured.Unstructured) *definition {
	content := object.Object
	var d definition
	d.kind.Group, _, _ = unstructured.NestedString(content, "spec", "group")
	d.kind.Kind, _, _ = unstructured.NestedString(content, "spec", "names", "kind")
	d.plural, _, _ = unstructured.NestedString(content, "spec", "names", "plural")
	scope, _, _ := unstructured.NestedString(content, "spec", "scope")
	d.namespaced = scope == "Namespaced"
	versions, _, _ := unstructured.NestedFieldNoCopy(content, "spec", "versions")
	list, _ := versions.([]any)
	for _, each := range list {
		version, _ := each.(map[string]any)
		if served, _ := version["served"].(bool); served {
			if name, _ := version["name"].(string); name != "" {
				d.served = append(d.served, name)
			}
		}
	}
	return &d
}

// resource is where the custom resources are read; false while no version is served.
func (d *definition) resource() (schema.GroupVersionResource, bool) {
	if len(d.served) == 0 || d.plural == "" {
		return schema.GroupVersionResource{}, false
	}
	return schema.GroupVersionResource{Group: d.kind.Group, Version: d.served[0], Resource: d.plural}, true
}
