// Package certificates plays, for a cluster on which no container runs, the two controllers that operators get certificates
// from: OpenShift's service-ca and cert-manager. Each watches what the real one watches, writes what that one writes, with
// plain updates under a name of its own, and can be told to rotate. A cluster on which neither was started has neither.
//
// It knows nothing of bundles or webhooks' servers, and keeps to the part of both that serving certificates need. Tests of
// webhooks are its callers.
package certificates
