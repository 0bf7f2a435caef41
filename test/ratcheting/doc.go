// Package ratcheting tests that objects which were stored under former CRDs can be edited under the shipped CRDs. A new bound
// applies only to changed values.
package ratcheting
