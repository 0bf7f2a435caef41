package apply

import (
	"context"

	"github.com/openshift/platform-operators/pkg/apply/object"
)

// mayShow reports whether the state of an object may appear in the status of the owner. The manager watches all objects with its own
// permissions, and whoever reads the status may not have them: for a ServiceAccount, only what it may read itself is shown. An error of the
// check counts as no permission.
func (c *call) mayShow(ctx context.Context, desired *object.Desired) bool {
	if c.as.Name == "" {
		return true
	}
	mapping := c.engine.resources.Mapper.KnownMapping(desired.GVK)
	if mapping == nil {
		return false
	}
	may, err := c.engine.permissions.May(ctx, c.as, "get", mapping.Resource.GroupResource(), desired.Key.Namespace)
	return err == nil && may
}
