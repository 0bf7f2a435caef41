// Package declaredresources declares which objects the manager reads and writes, in the types of OpenShift Manager
// (multi-operator-manager).
//
// Table lists the objects that do not depend on the installed operators. The objects of bundles are not known in advance. With a directory of
// the cluster's objects, the package adds the objects of stored revisions, and those of bundles whose content is in the directory.
package declaredresources
