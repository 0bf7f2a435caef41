// Package compat is the upgrade gate's decision, as a pure function: which cluster versions the installed operators permit, which operators
// block the next minor version, and what an administrator can do about it.
//
// The operators' declarations (olm.maxOpenShiftVersion, as raw JSON) and their candidate versions are inputs. The package does not read
// catalogs and does not write the ClusterOperator. The upgradegate controller calls Evaluate; pkg/resolve calls ReadMax.
//
// Unreadable input blocks upgrades: an unreadable value, two values, an unreadable cluster version. An operator without a declaration is
// compatible with every version, and is counted.
package compat
