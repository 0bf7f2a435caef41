// Package ratcheting tests that objects that were stored under earlier CRDs can be edited under the shipped CRDs. A new bound applies only
// to changed values.
package ratcheting
