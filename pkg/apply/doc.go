// Package apply is the engine that applies the objects of one revision phase by phase, reverts drift, and removes the objects again.
//
// The engine combines the packages below it and reports the result. object holds the objects that should exist, and decides which owner a
// live object has. livecache holds the watches, the live objects and discovery. reconcile brings one object to its declared state.
// permissions finds the permissions that an identity lacks. teardown removes objects. Each call specifies the identity that writes the
// objects. The manager always watches them with its own identity.
//
// The package knows nothing about bundles, images, revisions or status. The bundledeployment controller decides which objects should exist,
// and writes the status from the reports.
package apply
