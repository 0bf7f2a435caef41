// Package certificates simulates service-ca and cert-manager on a cluster without containers. Each simulation watches and writes the same
// objects as the real controller, under its own user agent, and can rotate its certificates. A cluster has neither until a test starts one.
//
// Only serving certificates are simulated. The package depends on neither bundles nor webhook servers.
package certificates
