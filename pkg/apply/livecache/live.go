package livecache

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/openshift/platform-operators/pkg/apply/deflate"
	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/health"
	"github.com/openshift/platform-operators/pkg/ownership"
)

// Live is a cached live object: the values that every sync needs, computed once when the object arrives, and the rest, compressed. A
// decoded object takes five to ten times as much memory. Drift can be computed from it, so no object is read again after a restart.
type Live struct {
	// ObjectMeta holds the name, namespace, UID, resourceVersion and deletionTimestamp; Object returns the rest. Informers need the type.
	metav1.ObjectMeta
	// Owner is the BundleDeployment that owns it, otherwise the one that its labels name.
	Owner string
	// Digest is equal for two states of an object between which nothing changed that an apply could concern: it leaves out status,
	// resourceVersion and times.
	Digest [sha256.Size]byte
	// Probe and Services are pkg/health's result for the object.
	Probe    health.Result
	Services []health.Service

	// content is the object, and its managedFields, as JSON.
	content    []byte
	compressed bool
}

// NewLive returns what is kept of a live object, which it does not change. It is not compressed yet.
func NewLive(live *unstructured.Unstructured) (*Live, error) {
	kept := &Live{Probe: health.Probe(live), Services: health.Services(live)}
	kept.Namespace, kept.Name, kept.UID = live.GetNamespace(), live.GetName(), live.GetUID()
	kept.ResourceVersion, kept.DeletionTimestamp = live.GetResourceVersion(), live.GetDeletionTimestamp()
	marks := ownership.MarksOf(live)
	if owner, owned := marks.Owner(); owned {
		kept.Owner = owner
	} else {
		kept.Owner = marks.Label
	}

	body, err := json.Marshal(withoutStatus(live))
	if err != nil {
		return nil, fmt.Errorf("encoding %s: %w", object.KeyOf(live), err)
	}
	hash := sha256.New()
	hash.Write(body)
	managers, err := encodeManagers(live, hash)
	if err != nil {
		return nil, fmt.Errorf("encoding the record of field managers of %s: %w", object.KeyOf(live), err)
	}
	hash.Sum(kept.Digest[:0])
	kept.content = slices.Concat(body, separator, managers)
	return kept, nil
}

// withoutStatus returns an object's content without its status and the metadata that changes with every write.
func withoutStatus(live *unstructured.Unstructured) map[string]any {
	content := maps.Clone(live.Object)
	delete(content, "status")
	metadata, _ := content["metadata"].(map[string]any)
	metadata = maps.Clone(metadata)
	for _, name := range []string{"resourceVersion", "generation", "managedFields", "selfLink"} {
		delete(metadata, name)
	}
	if annotations, ok := metadata["annotations"].(map[string]any); ok && annotations[corev1.LastAppliedConfigAnnotation] != nil {
		annotations = maps.Clone(annotations)
		delete(annotations, corev1.LastAppliedConfigAnnotation) // kubectl's copy of the whole object
		metadata["annotations"] = annotations
	}
	content["metadata"] = metadata
	return content
}

// encodeManagers returns an object's managedFields as JSON, and adds them without their times to a hash. It omits those of the status.
func encodeManagers(live *unstructured.Unstructured, hash io.Writer) ([]byte, error) {
	records := []any{}
	all, _, _ := unstructured.NestedFieldNoCopy(live.Object, "metadata", "managedFields")
	list, _ := all.([]any)
	for _, each := range list {
		record, ok := each.(map[string]any)
		if !ok || record["subresource"] == "status" {
			continue
		}
		fields, err := json.Marshal(record["fieldsV1"])
		if err != nil {
			return nil, err
		}
		if _, err := fmt.Fprintf(hash, "\n%v\n%v\n%v\n%s", record["manager"], record["operation"], record["subresource"], fields); err != nil {
			return nil, err
		}
		record = maps.Clone(record)
		record["fieldsV1"] = json.RawMessage(fields)
		records = append(records, record)
	}
	return json.Marshal(records)
}

// compress compresses what is kept for long.
func (l *Live) compress() error {
	compressed, err := deflate.Compress(l.content)
	if err != nil {
		return fmt.Errorf("compressing what is known of %q: %w", storeKey(l.Namespace, l.Name), err)
	}
	l.content, l.compressed = compressed, true
	return nil
}

// separator separates an object from its managedFields. JSON has no line break inside of strings.
var separator = []byte("\n")

// Object returns a new copy of the live object without its status.
func (l *Live) Object() (*unstructured.Unstructured, error) {
	content := l.content
	if l.compressed {
		var err error
		if content, err = deflate.Decompress(l.content); err != nil {
			return nil, fmt.Errorf("uncompressing what is known of %q: %w", storeKey(l.Namespace, l.Name), err)
		}
	}
	body, managers, _ := bytes.Cut(content, separator)
	live := &unstructured.Unstructured{}
	if err := live.UnmarshalJSON(body); err != nil {
		return nil, fmt.Errorf("decoding what is known of %q: %w", storeKey(l.Namespace, l.Name), err)
	}
	var records []any
	if err := json.Unmarshal(managers, &records); err != nil {
		return nil, fmt.Errorf("decoding the field managers of %q: %w", storeKey(l.Namespace, l.Name), err)
	}
	if metadata, ok := live.Object["metadata"].(map[string]any); ok && len(records) > 0 {
		metadata["managedFields"] = records
	}
	live.SetResourceVersion(l.ResourceVersion)
	return live, nil
}

// isEquivalent reports whether two states of an object differ only in what no owner applied.
func (l *Live) isEquivalent(other *Live) bool {
	return l.Digest == other.Digest && l.Probe == other.Probe && l.UID == other.UID
}
