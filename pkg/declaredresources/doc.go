// Package declaredresources declares which objects the manager reads and writes, in the types of OpenShift Manager
// (multi-operator-manager).
//
// One table lists what does not depend on the installed operators. What bundles contain has no end, so no list of names can declare it in
// advance: with a directory of the cluster's objects, the package adds the objects of the stored revisions, and those of the bundles whose
// content is in the directory.
package declaredresources
