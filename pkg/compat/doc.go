// Package compat makes the decision of the upgrade gate: which cluster versions the installed operators permit, which operators block the
// next minor version, and what an administrator can do about that.
//
// The inputs are the operators' declarations (olm.maxOpenShiftVersion, as raw JSON) and their candidate versions. The package does no I/O:
// it does not read catalogs and does not write the ClusterOperator. The upgradegate controller calls Evaluate; pkg/resolve calls ReadMax.
//
// Unreadable input blocks upgrades: an unreadable value, two values, or an unreadable cluster version. An operator without a declaration is
// compatible with every version. The verdict includes the number of such operators.
package compat
