package v1alpha1

import "errors"

// ErrManagerMissing replaces the error NotFound of the API server for the PlatformOperatorManager, because library-go's StatusSyncer
// deletes the ClusterOperator upon NotFound. The manager creates the resource again at once, so controllers that only write to it retry and
// do not report the error.
var ErrManagerMissing = errors.New("PlatformOperatorManager \"cluster\" does not exist at the moment; it is created again at once")
