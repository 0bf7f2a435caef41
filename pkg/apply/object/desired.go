package object

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply/deflate"
	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/rulesreview"
)

// Desired is one object as declared. An unchanged object is recognized by its key and digest. The content is needed only to write or
// compare the object. It is kept as JSON, and compressed if it is large, because the decoded manifests of a large revision would take
// several times as much memory.
type Desired struct {
	Key    Key
	GVK    schema.GroupVersionKind
	Digest [sha256.Size]byte
	// IsInstallNamespace is true for the install namespace. If the namespace already exists, it keeps its owner.
	IsInstallNamespace bool
	// IsAdded is true if NewSet added the object. Such an object is not part of the bundle, and Len does not count it.
	IsAdded bool
	// Defines describes the kind that a CustomResourceDefinition defines; nil for every other object.
	Defines *bundle.Definition

	grants     rulesreview.Rules
	content    []byte
	compressed bool
}

// compressFrom is the minimum size of content that is compressed, in bytes. Most objects are smaller, and compression would save little.
const compressFrom = 2 << 10

// NewDesired returns an object as declared, with the owner labels. It does not change the object that it receives.
func NewDesired(owner Owner, declared *unstructured.Unstructured) (*Desired, error) {
	encoded, err := json.Marshal(labeled(owner, declared))
	if err != nil {
		return nil, fmt.Errorf("encoding %s: %w", KeyOf(declared), err)
	}
	desired := &Desired{Key: KeyOf(declared), GVK: declared.GroupVersionKind(), Digest: sha256.Sum256(encoded), content: encoded}
	if IsCRD(desired.Key.GroupKind) {
		definition := bundle.DefinitionOf(declared)
		desired.Defines = &definition
	}
	desired.grants = grantsOf(declared)
	if len(encoded) >= compressFrom {
		if desired.content, err = deflate.Compress(encoded); err != nil {
			return nil, fmt.Errorf("compressing %s: %w", desired.Key, err)
		}
		desired.compressed = true
	}
	return desired, nil
}

// labeled returns a copy of an object's content with the owner labels. It removes the rules of an aggregated ClusterRole, and converts the
// stringData of a Secret, so that the result can be compared with the live object.
func labeled(owner Owner, declared *unstructured.Unstructured) map[string]any {
	content := maps.Clone(declared.Object)
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
	if _, aggregated := content["aggregationRule"]; aggregated && isClusterRole(KeyOf(declared)) {
		delete(content, "rules") // the aggregation controller writes them, and two field managers would overwrite each other
	}
	if declared.GetKind() == "Secret" && declared.GroupVersionKind().Group == "" {
		convertStringData(content)
	}
	return content
}

// convertStringData converts the stringData of a Secret to data, because an API server stores only data, so that the result can be compared
// with the live object. It changes nothing if a value is not a string.
func convertStringData(secret map[string]any) {
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
			return // the API server refuses it with a reason
		}
		data[name] = base64.StdEncoding.EncodeToString([]byte(text))
	}
	delete(secret, "stringData")
	secret["data"] = data
}

// encoded returns the object as JSON.
func (d *Desired) encoded() ([]byte, error) {
	if !d.compressed {
		return d.content, nil
	}
	content, err := deflate.Decompress(d.content)
	if err != nil {
		return nil, fmt.Errorf("decompressing %s: %w", d.Key, err)
	}
	return content, nil
}

// Object returns a new copy of the object as declared, which the caller may keep and change. Decoding cannot fail unless memory is corrupt.
// The copy is then empty, and the API server refuses it.
func (d *Desired) Object() *unstructured.Unstructured {
	declared := &unstructured.Unstructured{}
	content, err := d.encoded()
	if err == nil {
		err = declared.UnmarshalJSON(content)
	}
	if err != nil || declared.Object == nil {
		declared.Object = map[string]any{}
	}
	return declared
}
