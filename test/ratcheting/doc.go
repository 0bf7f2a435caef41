// Package ratcheting tests that objects which were stored under former CRDs can still be edited under the shipped ones: a new
// bound applies only to changed values.
package ratcheting
