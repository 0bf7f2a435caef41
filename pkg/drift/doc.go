// Package drift compares a declared object with the live one: which declared fields differ, what was added, and which field managers made
// these changes. It uses managedFields instead of a schema, so it works for every kind and sends no request.
//
// It does not decide what happens to a difference: the apply engine repairs, reports or ignores it, according to the policy of the
// BundleDeployment.
package drift
