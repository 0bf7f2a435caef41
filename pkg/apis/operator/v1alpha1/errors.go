package v1alpha1

import "errors"

// ErrManagerMissing stands for "not found" of the PlatformOperatorManager. It is not that error itself, upon which library-go's
// StatusSyncer deletes the ClusterOperator. The resource is created again at once, so that who only writes there has nothing to do
// until then, and nothing to complain about.
var ErrManagerMissing = errors.New("PlatformOperatorManager \"cluster\" does not exist at the moment; it is created again at once")
