// Package ratcheting tests that objects which were stored under former CRDs can still be edited under the shipped ones: a new bound applies to
// new values only.
package ratcheting
