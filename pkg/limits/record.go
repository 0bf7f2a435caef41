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

// Keys of the ConfigMap. The patch is the argument of `kubectl patch --type merge` that restores the limits.
const (
	keyUID   = "uid"
	keyPatch = "patch"
)

// Record is the last limits of one PlatformOperatorManager.
type Record struct {
	// UID identifies the PlatformOperatorManager.
	UID    types.UID
	Limits Limits
}

// Stored is the stored Record.
type Stored struct {
	// Namespace is the ConfigMap's namespace, for messages.
	Namespace string
	// Record is nil if none is stored, or if it is unreadable.
	Record *Record
	// Fault is why the Record is unreadable.
	Fault error
	// FirstInstallation is the creation time of the oldest BundleDeployment of a PlatformOperator; zero if there is none. It is used only
	// without Record and Fault.
	FirstInstallation time.Time
}

type patch struct {
	Spec Limits `json:"spec"`
}

// Data returns the content of the ConfigMap.
func (r Record) Data() (map[string]string, error) {
	text, err := json.Marshal(patch{Spec: r.Limits})
	if err != nil {
		return nil, fmt.Errorf("writing the limits of a PlatformOperatorManager: %w", err)
	}
	return map[string]string{keyUID: string(r.UID), keyPatch: string(text)}, nil
}

// Parse returns the Record in the content of the ConfigMap.
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
