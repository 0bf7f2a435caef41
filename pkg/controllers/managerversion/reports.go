package managerversion

import (
	"sync"

	"k8s.io/apimachinery/pkg/util/resourceversion"
)

// Reports records the resourceVersion of the operator resource from which the ClusterOperator was last written. It is safe for concurrent
// use.
type Reports struct {
	mu              sync.Mutex
	resourceVersion string
	changed         func()
}

// NewReports returns empty Reports.
func NewReports() *Reports { return &Reports{} }

// Reported records that the ClusterOperator was written from the operator resource with this resourceVersion.
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

// include reports whether the ClusterOperator was written from the operator resource with this resourceVersion or a later one. It returns
// false for values that cannot be compared. After a backup of etcd is restored, resourceVersions are lower than before, and include returns
// true too early until the next report.
func (r *Reports) include(resourceVersion string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	order, err := resourceversion.CompareResourceVersion(r.resourceVersion, resourceVersion)
	return err == nil && order >= 0
}

// onChange sets the function that is called after each new report; nil for none. The function must not block.
func (r *Reports) onChange(changed func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.changed = changed
}
