package manifestserver

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

const (
	// nameAlphabet and nameSuffix are those of kube-apiserver's generated names: no vowels, so that no words arise.
	nameAlphabet = "bcdfghjklmnpqrstvwxz2456789"
	nameSuffix   = 5
	// maxGeneratedName is the maximum length of generateName that a generated name keeps.
	maxGeneratedName = 63 - nameSuffix
)

// identities generates uids and names from a seed. A uid or name depends only on the object and on how often the object was created. So
// requests for other objects, dry runs and rejected requests do not change it.
type identities struct {
	seed string
	// count is the number of objects that the current sync has created with a uid or a generated name. inputCount is that of the input.
	count, inputCount map[identity]int
	// generated are all uids that were generated.
	generated map[string]bool
}

// identity has the values from which a uid or a name is generated.
type identity struct {
	schema.GroupKind
	namespace, name string
	// generated is true if name is a generateName.
	generated bool
}

func newIdentities(seed string) *identities {
	return &identities{seed: seed, count: map[identity]int{}, generated: map[string]bool{}}
}

// begin resets the counts to those of the input, at the start of a sync.
func (i *identities) begin() {
	if i.inputCount == nil {
		i.inputCount = i.count
	}
	i.count = maps.Clone(i.inputCount)
}

// uid returns the uid of the next object with a kind, a namespace and a name.
func (i *identities) uid(kind schema.GroupKind, namespace, name string) types.UID {
	id := identity{kind, namespace, name, false}
	sum := i.hash(id, i.count[id])
	sum[6] = sum[6]&0x0f | 0x80 // version 8 of RFC 9562: made by the application
	sum[8] = sum[8]&0x3f | 0x80
	uid := fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
	i.generated[uid] = true
	return types.UID(uid)
}

// name returns the next free name for an object's generateName.
func (i *identities) name(kind schema.GroupKind, object *unstructured.Unstructured, isFree func(string) bool) string {
	prefix := object.GetGenerateName()
	id := identity{kind, object.GetNamespace(), prefix, true}
	for n := i.count[id]; ; n++ {
		sum := i.hash(id, n)
		suffix := make([]byte, nameSuffix)
		for at := range suffix {
			suffix[at] = nameAlphabet[int(sum[at])%len(nameAlphabet)]
		}
		if name := prefix[:min(len(prefix), maxGeneratedName)] + string(suffix); isFree(name) {
			return name
		}
	}
}

// created counts a created object. generateName is empty if its name was not generated.
func (i *identities) created(kind schema.GroupKind, object *unstructured.Unstructured, generateName string) {
	i.count[identity{kind, object.GetNamespace(), object.GetName(), false}]++
	if generateName != "" {
		i.count[identity{kind, object.GetNamespace(), generateName, true}]++
	}
}

func (i *identities) hash(id identity, n int) [sha256.Size]byte {
	parts := []string{i.seed, id.String(), id.namespace, id.name, strconv.FormatBool(id.generated), strconv.Itoa(n)}
	return sha256.Sum256([]byte(strings.Join(parts, "\x00")))
}
