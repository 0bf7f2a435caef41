package limits

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// ConfigMap is the name of the ConfigMap, in the manager's namespace, that stores the Record.
const ConfigMap = "platformoperatormanager-limits"

// Keys of the ConfigMap's data. The value of keyUID is Record.UID. The value of keyPatch is the argument of `kubectl patch --type merge`
// that restores the limits.
const (
	keyUID   = "uid"
	keyPatch = "patch"
)

// Record holds the last limits of one PlatformOperatorManager.
type Record struct {
	// UID identifies the PlatformOperatorManager.
	UID    types.UID
	Limits Limits
}

// Stored is the result of reading the ConfigMap that stores the Record.
type Stored struct {
	// Namespace is the ConfigMap's namespace, for messages.
	Namespace string
	// Record is the stored Record; nil if none is stored or if it is unreadable.
	Record *Record
	// Fault is the reason why the Record is unreadable; nil if it is readable or if none is stored.
	Fault error
	// FirstInstallation is the creation time of the oldest BundleDeployment of a PlatformOperator; zero if none exists. Decide uses it only
	// if Record and Fault are nil.
	FirstInstallation time.Time
}

type patch struct {
	Spec Limits `json:"spec"`
}

// Data returns the data of the ConfigMap that stores the Record. Parse is its inverse.
func (r Record) Data() (map[string]string, error) {
	text, err := json.Marshal(patch{Spec: r.Limits})
	if err != nil {
		return nil, fmt.Errorf("writing the limits of a PlatformOperatorManager: %w", err)
	}
	return map[string]string{keyUID: string(r.UID), keyPatch: string(text)}, nil
}

// Parse returns the Record in the data of the ConfigMap. It returns an error if the UID is empty or the patch is not the JSON of limits.
func Parse(data map[string]string) (*Record, error) {
	if data[keyUID] == "" {
		return nil, errors.New("data.uid is empty")
	}
	var read patch
	if err := json.Unmarshal([]byte(data[keyPatch]), &read); err != nil {
		return nil, fmt.Errorf("data.patch is no JSON of limits: %w", err)
	}
	return &Record{UID: types.UID(data[keyUID]), Limits: read.Spec.normalized()}, nil
}
