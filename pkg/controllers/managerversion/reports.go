package managerversion

import (
	"sync"

	"k8s.io/apimachinery/pkg/util/resourceversion"
)

// Reports records from which status of the operator resource the ClusterOperator was last written, or found to be up to date. It is safe
// for concurrent use.
type Reports struct {
	mu              sync.Mutex
	resourceVersion string
	changed         func()
}

// NewReports returns Reports without a record.
func NewReports() *Reports { return &Reports{} }

// Reported records that the ClusterOperator has the status of the operator resource with a resourceVersion.
func (r *Reports) Reported(resourceVersion string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.resourceVersion == resourceVersion {
		return
	}
	r.resourceVersion = resourceVersion
	if r.changed != nil {
		r.changed()
	}
}

// include reports whether the ClusterOperator has the status with a resourceVersion, or a later one.
func (r *Reports) include(resourceVersion string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	order, err := resourceversion.CompareResourceVersion(r.resourceVersion, resourceVersion)
	return err == nil && order >= 0
}

// onChange sets a function to call after each new report, which must not block; nil for none.
func (r *Reports) onChange(changed func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.changed = changed
}
