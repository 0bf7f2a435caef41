// Package permissions finds the permissions that an identity lacks to apply a set, before anything of the set is written.
package permissions
