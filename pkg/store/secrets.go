package store

import (
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Decode returns the complete revisions of an owner that are stored in the given Secrets, oldest first. It returns an error for each
// revision that is damaged or incomplete.
func Decode(secrets []corev1.Secret, owner Owner) (revisions []*Revision, damaged []error) {
	data := map[string][]byte{}
	var headers []Header
	for i := range secrets {
		secret := &secrets[i]
		if !isOwnedBy(secret, owner) {
			continue
		}
		data[secret.Name] = secret.Data[keyObject]
		var header Header
		if secret.Labels[LabelRole] == RoleIndex && json.Unmarshal(secret.Data[keyHeader], &header) == nil {
			headers = append(headers, header)
		}
	}
	slices.SortFunc(headers, func(a, b Header) int { return int(a.Number - b.Number) })
	for _, header := range headers {
		revision, err := decodeFrom(data, owner, header)
		if err != nil {
			damaged = append(damaged, fmt.Errorf("revision %d of BundleDeployment %q: %w", header.Number, owner.Name, err))
			continue
		}
		revisions = append(revisions, revision)
	}
	return revisions, damaged
}

// decodeFrom decodes a revision. data is the data of its owner's Secrets, keyed by the name of the Secret.
func decodeFrom(data map[string][]byte, owner Owner, header Header) (*Revision, error) {
	if header.Parts < 0 || header.Parts > maxParts {
		return nil, fmt.Errorf("%w: it says it has %d parts", errCorrupt, header.Parts)
	}
	var parts [][]byte
	for i := range header.Parts {
		name := partName(owner.Name, header.Number, i)
		part, isStored := data[name]
		if !isStored {
			return nil, fmt.Errorf("%w: Secret %q is missing", errCorrupt, name)
		}
		parts = append(parts, part)
	}
	return decode(header, parts)
}

// Secrets returns the Secrets in which Save stores a revision, the index last, and sets the revision's Digest, Parts and Bytes.
func Secrets(owner Owner, revision *Revision) ([]*corev1.Secret, error) {
	parts, err := encode(revision, partBytes)
	if err != nil {
		return nil, err
	}
	var secrets []*corev1.Secret
	for i, part := range parts {
		secrets = append(secrets, newSecret(owner, partName(owner.Name, revision.Number, i), revision.Number, RolePart, part))
	}
	header, err := json.Marshal(revision.Header)
	if err != nil {
		return nil, err
	}
	return append(secrets, newSecret(owner, indexName(owner.Name, revision.Number), revision.Number, RoleIndex, header)), nil
}

// Parts returns the number of parts that Save stores objects in.
func Parts(objects []unstructured.Unstructured) (int, error) {
	parts, err := encode(&Revision{Objects: objects}, partBytes)
	return len(parts), err
}

// SecretNames returns the names of the Secrets of a BundleDeployment's revision: that of the index, and those of the parts.
func SecretNames(deployment string, number int64, parts int) []string {
	names := []string{indexName(deployment, number)}
	for i := range parts {
		names = append(names, partName(deployment, number, i))
	}
	return names
}
