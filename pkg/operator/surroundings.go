package operator

import (
	"github.com/openshift/platform-operators/pkg/inventory"
	"github.com/openshift/platform-operators/pkg/resolve"
)

// surroundings are the inventory in the form that controllers ask for it.
type surroundings struct {
	kinds         *inventory.Kinds
	installations *inventory.Installations
}

func newInventory(input *Input) (*surroundings, error) {
	kinds, err := inventory.NewKinds(input.Dynamic)
	if err != nil {
		return nil, err
	}
	installations, err := inventory.NewInstallations(input.Dynamic, kinds)
	if err != nil {
		return nil, err
	}
	return &surroundings{kinds: kinds, installations: installations}, nil
}

// Kinds are those that the cluster serves.
func (s *surroundings) Kinds() []resolve.Kind { return s.kinds.All() }

// Foreign are packages that others have installed.
func (s *surroundings) ExternalPackages() []resolve.ExternalPackage { return s.installations.All() }
