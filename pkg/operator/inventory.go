package operator

import (
	"github.com/openshift/platform-operators/pkg/inventory"
	"github.com/openshift/platform-operators/pkg/resolve"
)

// clusterInventory holds the kinds that the cluster serves and the packages that other installers manage. It implements the Inventory
// interfaces of the controllers.
type clusterInventory struct {
	kinds         *inventory.Kinds
	installations *inventory.Installations
}

func newInventory(input *Input) (*clusterInventory, error) {
	kinds, err := inventory.NewKinds(input.Dynamic)
	if err != nil {
		return nil, err
	}
	installations, err := inventory.NewInstallations(input.Dynamic, kinds)
	if err != nil {
		return nil, err
	}
	return &clusterInventory{kinds: kinds, installations: installations}, nil
}

// Kinds returns the kinds that the cluster serves.
func (s *clusterInventory) Kinds() []resolve.Kind { return s.kinds.All() }

// ExternalPackages returns the packages that other installers manage.
func (s *clusterInventory) ExternalPackages() []resolve.ExternalPackage { return s.installations.All() }
