// Package capture copies from a cluster, or from a must-gather, what one round of the controllers reads. It writes an input directory for
// apply-configuration, without the values of Secrets.
package capture
