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

// Live is a cached live object. The values that every sync needs are computed once, when the object arrives. The rest of the object is
// compressed, because a decoded object takes five to ten times as much memory. Drift can be computed from a Live, so no object is read
// again after a restart.
type Live struct {
	// ObjectMeta contains only the name, namespace, UID, resourceVersion and deletionTimestamp; Object returns the rest. It is embedded
	// because informers read it.
	metav1.ObjectMeta
	// Owner is the name of the BundleDeployment that owns the object. If none owns it, Owner is the name in its owner label, or empty.
	Owner string
	// Digest is a hash of the object without its status and without metadata that every write changes. Two states of an object with the
	// same digest differ only in what an owner cannot apply.
	Digest [sha256.Size]byte
	// Probe and Services are the results of pkg/health for the object.
	Probe    health.Result
	Services []health.Service

	// content is the object and its managedFields, as JSON, separated by separator. It is compressed if compressed is true.
	content    []byte
	compressed bool
}

// NewLive returns the Live of an object, which it does not change. The content is not compressed yet.
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

// withoutStatus returns an object's content without its status, its managedFields, and the metadata that changes with every write. It does
// not change the object.
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

// encodeManagers returns an object's managedFields as JSON, and writes them without their times to a hash. It omits the managedFields of
// the status.
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

// compress compresses the content, because the cache keeps it for a long time.
func (l *Live) compress() error {
	compressed, err := deflate.Compress(l.content)
	if err != nil {
		return fmt.Errorf("compressing what is known of %q: %w", storeKey(l.Namespace, l.Name), err)
	}
	l.content, l.compressed = compressed, true
	return nil
}

// separator is the byte between an object and its managedFields in Live.content. Encoded JSON contains no line break.
var separator = []byte("\n")

// Object returns a new copy of the live object with its resourceVersion and managedFields, but without its status, its generation and
// kubectl's last-applied annotation.
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

// isEquivalent reports whether two states of an object have the same UID, Digest and Probe, so that its owner need not be notified.
func (l *Live) isEquivalent(other *Live) bool {
	return l.Digest == other.Digest && l.Probe == other.Probe && l.UID == other.UID
}
