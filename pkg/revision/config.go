package revision

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

// CanonicalConfig returns spec.config as canonical JSON: equal configurations result in equal text. It returns an empty string for a
// missing configuration and for an empty object. It returns invalid JSON unchanged.
func CanonicalConfig(config *runtime.RawExtension) string {
	if config == nil {
		return ""
	}
	decoder := json.NewDecoder(bytes.NewReader(config.Raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return strings.TrimSpace(string(config.Raw)) // the renderer reports the error
	}
	encoded, err := json.Marshal(value)
	if text := string(encoded); err == nil && text != "null" && text != "{}" {
		return text
	}
	return ""
}

// ConfigDigest returns the digest of a canonical configuration, in the format of Header.Config. It is empty for an empty configuration.
func ConfigDigest(canonical string) string {
	if canonical == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(canonical))
	return "sha256:" + hex.EncodeToString(sum[:])
}
