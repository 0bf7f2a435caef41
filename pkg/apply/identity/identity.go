// Package identity holds the user that objects are written as.
package identity

import "k8s.io/client-go/dynamic"

// Identity is the user that a BundleDeployment's objects are written as: the manager itself, or a user with other permissions. Live
// objects are always watched as the manager. The field manager is the owner's for every identity, because ownership is read from it.
type Identity struct {
	// Name identifies an identity, because permissions differ between identities. The manager's own name is empty.
	Name string
	// Dynamic sends the requests. It should have no rate limit of its own; its transport needs apply.WarningHandler and pager.Bounded.
	Dynamic dynamic.Interface
}

// Or returns the identity, or another one if this one has no client.
func (i Identity) Or(other Identity) Identity {
	if i.Dynamic == nil {
		return other
	}
	return i
}
