// Package identity defines the user that writes the objects of a BundleDeployment.
package identity

import "k8s.io/client-go/dynamic"

// Identity is the user that writes a BundleDeployment's objects: the manager itself, or a user with other permissions. Live objects are
// always watched as the manager. Every identity uses the owner's field manager, because the field manager shows which owner an object
// belongs to. The zero Identity has no client; see Or.
type Identity struct {
	// Name is the unique name of the identity. It is needed because cached permissions differ between identities. The manager's name is
	// empty.
	Name string
	// Dynamic sends the requests. It should have no rate limit of its own. Its transport needs apply.WarningHandler and pager.Bounded.
	Dynamic dynamic.Interface
}

// Or returns the identity, or other if the identity has no client.
func (i Identity) Or(other Identity) Identity {
	if i.Dynamic == nil {
		return other
	}
	return i
}
