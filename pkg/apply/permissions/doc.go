// Package permissions finds the permissions that an identity lacks to apply a set, before any object of the set is written.
package permissions
