// Package apply is the engine that applies the objects of one revision phase by phase, keeps them as declared, and removes them again.
//
// The engine puts the packages below it together, and reports: object (what should exist, and whose a live object is), livecache (watches,
// live objects, discovery), reconcile (one object as declared), permissions (what an identity lacks), teardown (removal). Each call says who
// writes the objects; the manager itself watches them for every identity.
//
// It does not know bundles, images, revisions or status: the bundledeployment controller decides which objects should exist, and writes the
// status from the reports.
package apply
