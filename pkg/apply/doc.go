// Package apply carries the objects of one revision out, phase by phase, keeps them as they were declared, and takes them
// down again.
//
// An object is created by POST and changed by server-side apply, under a field manager of its BundleDeployment's own, so
// that fields which a later revision no longer declares go away and fields of others stay. What was applied is watched
// through caches that hold nothing but objects with the owner labels; an object is compared with what was declared by the
// API server's own record of who owns which field (managedFields), and nothing is sent while they agree.
//
// Objects that belong to somebody else are not touched, unless the adoption policy says so. An object that two
// BundleDeployments have belongs to the older of them, by name when they are of one second, whoever got there first. A
// removal goes backwards; an upgrade never deletes a CustomResourceDefinition, and a removal only one that nobody uses.
//
// It does not know bundles, images, revisions or status: the bundledeployment controller decides which objects should be
// there, and reports what this package says.
package apply
