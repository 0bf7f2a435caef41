package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Digest identifies the content of a set of objects: "sha256:" and the hexadecimal hash of their canonical JSON (keys sorted, no
// white space, one object a line, sorted by group, kind, namespace and name). Equal content has an equal digest, in whatever order
// it comes; only of objects that CheckDuplicates would refuse the order counts.
func Digest(objects []unstructured.Unstructured) string {
	sum := sha256.New()
	for _, o := range sorted(objects) {
		write(sum, o)
	}
	return "sha256:" + hex.EncodeToString(sum.Sum(nil))
}

func write(sum hash.Hash, o unstructured.Unstructured) {
	encoder := json.NewEncoder(sum)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(o.Object); err != nil {
		// JSON has no form for NaN or a Go type that is none of JSON's. No decoder makes such objects; should one be built by
		// hand, its Go syntax (maps sorted by key) still tells different contents apart.
		fmt.Fprintf(sum, "%#v\n", o.Object)
	}
}
