// Package capture copies the objects that one round of the controllers reads from a cluster or a must-gather into an input directory for
// apply-configuration. It removes the values of Secrets, except for public certificates and for stored revisions without an object of kind
// Secret.
package capture
