// Package apply is the engine that applies the objects of one revision phase by phase, reverts drift, and removes the objects again.
//
// The engine combines the packages below it and reports the result. object has the objects that should exist, and decides which owner a
// live object has. livecache has the watches, the live objects and discovery. reconcile makes one object as declared. permissions finds the
// permissions that an identity lacks. teardown removes objects. Each call has the identity that writes the objects; the manager itself
// watches them for every identity.
//
// The package does not know bundles, images, revisions or status. The bundledeployment controller decides which objects should exist, and
// writes the status from the reports.
package apply
