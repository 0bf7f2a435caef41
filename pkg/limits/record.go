package limits

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// ConfigMap is the name of the ConfigMap, in the manager's namespace, that keeps the Record.
const ConfigMap = "platformoperatormanager-limits"

// Keys of the ConfigMap. The patch is what `kubectl patch --type merge` takes to put the limits back.
const (
	keyUID   = "uid"
	keyPatch = "patch"
)

// Record is what was in force last: the limits of one PlatformOperatorManager.
type Record struct {
	// UID of the PlatformOperatorManager that the limits are of.
	UID    types.UID
	Limits Limits
}

// Stored is a Record as it is kept.
type Stored struct {
	// Namespace is where the ConfigMap is, for messages.
	Namespace string
	// Record is nil where none is kept, or where it cannot be read.
	Record *Record
	// Fault is why the Record cannot be read.
	Fault error
	// FirstInstallation is when the oldest BundleDeployment of a PlatformOperator was created; zero where there is none. It counts
	// only without Record and Fault.
	FirstInstallation time.Time
}

type patch struct {
	Spec Limits `json:"spec"`
}

// Data gives the content of the ConfigMap.
func (r Record) Data() (map[string]string, error) {
	text, err := json.Marshal(patch{Spec: r.Limits})
	if err != nil {
		return nil, fmt.Errorf("writing the limits of a PlatformOperatorManager: %w", err)
	}
	return map[string]string{keyUID: string(r.UID), keyPatch: string(text)}, nil
}

// Parse reads the content of the ConfigMap.
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
