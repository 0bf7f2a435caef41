package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Digest identifies the content of a set of objects: "sha256:" and the hexadecimal hash of their canonical JSON (keys sorted, no white
// space, one object per line, sorted by group, kind, namespace and name). Equal content has an equal digest in any order, except for sets
// that CheckDuplicates rejects.
func Digest(objects []unstructured.Unstructured) string {
	sum := sha256.New()
	for _, o := range sorted(objects) {
		writeCanonical(sum, o)
	}
	return "sha256:" + hex.EncodeToString(sum.Sum(nil))
}

func writeCanonical(sum hash.Hash, o unstructured.Unstructured) {
	encoder := json.NewEncoder(sum)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(o.Object); err != nil {
		// JSON cannot represent NaN and some Go types. No decoder creates objects that contain them. If the code of the manager builds such
		// an object, its Go syntax (maps sorted by key) distinguishes different contents.
		fmt.Fprintf(sum, "%#v\n", o.Object)
	}
}
