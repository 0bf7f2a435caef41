// Package drift holds an object as it was declared against the object as it is there: which declared fields are not as they
// were declared, what was added that nobody declared, and whose doing that is. It judges by the API server's own record of
// field managers rather than by a schema, so that it knows every kind, and asks nobody.
//
// It does not know why something was declared, what becomes of a difference, or what was told of it before: the apply engine
// repairs, reports or leaves alone by the policy of a BundleDeployment.
package drift
