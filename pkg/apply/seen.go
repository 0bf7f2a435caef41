package apply

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/openshift/platform-operators/pkg/health"
	"github.com/openshift/platform-operators/pkg/ownership"
)

// seen is what is kept of a live object: what every sync asks of it, worked out once when the object arrives, and the rest
// compressed, for the moment when somebody has changed it. Decoded, an object takes five to ten times as much. Nothing is
// left out that telling drift needs, so that no object has to be read again after a restart.
type seen struct {
	// ObjectMeta holds the identity, resourceVersion and deletionTimestamp; the rest of it is in content.
	metav1.ObjectMeta
	// owner is the BundleDeployment whose it is, else the one that the labels name.
	owner string
	// digest is equal for two states of an object between which nothing changed that applying could concern: status, version
	// and times are left out.
	digest [sha256.Size]byte
	// probe and services are health's judgement of the object.
	probe    health.Result
	services []health.Service

	// content is the object and the record of its field managers as JSON, compressed when packed.
	content []byte
	packed  bool
}

// look makes what is kept of a live object, which is not changed. It is not compressed yet.
func look(live *unstructured.Unstructured) (*seen, error) {
	kept := &seen{probe: health.Probe(live), services: health.Services(live)}
	kept.Namespace, kept.Name, kept.UID = live.GetNamespace(), live.GetName(), live.GetUID()
	kept.ResourceVersion, kept.DeletionTimestamp = live.GetResourceVersion(), live.GetDeletionTimestamp()
	marks := ownership.MarksOf(live)
	if owner, owned := marks.Owner(); owned {
		kept.owner = owner
	} else {
		kept.owner = marks.Label
	}

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

	body, err := json.Marshal(content)
	if err != nil {
		return nil, fmt.Errorf("encoding %s: %w", keyOf(live), err)
	}
	hash := sha256.New()
	hash.Write(body)
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
			return nil, fmt.Errorf("encoding the record of field managers of %s: %w", keyOf(live), err)
		}
		fmt.Fprintf(hash, "\n%v\n%v\n%v\n%s", record["manager"], record["operation"], record["subresource"], fields)
		record = maps.Clone(record)
		record["fieldsV1"] = json.RawMessage(fields)
		records = append(records, record)
	}
	hash.Sum(kept.digest[:0])
	owners, err := json.Marshal(records)
	if err != nil {
		return nil, fmt.Errorf("encoding the record of field managers of %s: %w", keyOf(live), err)
	}
	kept.content = slices.Concat(body, separator, owners)
	return kept, nil
}

// pack compresses what is kept for long.
func (s *seen) pack() error {
	packed, err := pack(s.content)
	if err != nil {
		return fmt.Errorf("compressing what is known of %q: %w", storeKey(s.Namespace, s.Name), err)
	}
	s.content, s.packed = packed, true
	return nil
}

// separator stands between an object and the record of its field managers. JSON has no line break inside of strings.
var separator = []byte("\n")

// object gives the live object without its status: a new copy.
func (s *seen) object() (*unstructured.Unstructured, error) {
	content := s.content
	if s.packed {
		var err error
		if content, err = io.ReadAll(flate.NewReader(bytes.NewReader(s.content))); err != nil {
			return nil, fmt.Errorf("uncompressing what is known of %q: %w", storeKey(s.Namespace, s.Name), err)
		}
	}
	body, owners, _ := bytes.Cut(content, separator)
	live := &unstructured.Unstructured{}
	if err := live.UnmarshalJSON(body); err != nil {
		return nil, fmt.Errorf("decoding what is known of %q: %w", storeKey(s.Namespace, s.Name), err)
	}
	var records []any
	if err := json.Unmarshal(owners, &records); err != nil {
		return nil, fmt.Errorf("decoding the field managers of %q: %w", storeKey(s.Namespace, s.Name), err)
	}
	if metadata, ok := live.Object["metadata"].(map[string]any); ok && len(records) > 0 {
		metadata["managedFields"] = records
	}
	live.SetResourceVersion(s.ResourceVersion)
	return live, nil
}

// sameFor says whether two states of an object make no difference to whoever applied it.
func (s *seen) sameFor(other *seen) bool {
	return s.digest == other.digest && s.probe == other.probe && s.UID == other.UID
}
