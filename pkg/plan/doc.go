// Package plan orders objects into the phases in which they are applied, so that what something needs is there before it, and
// gives a set of objects its digest. Taking down goes through the same phases backwards. It does not know the cluster: whether an
// object exists, is healthy or belongs to somebody else is for its caller, the bundle engine.
package plan
