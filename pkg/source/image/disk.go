package image

import (
	"errors"
	"slices"
	"syscall"
)

// isDiskFault says whether an error is the disk's fault and not the image's.
func isDiskFault(err error) bool {
	return slices.ContainsFunc(diskFaults, func(fault error) bool { return errors.Is(err, fault) })
}

var diskFaults = []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EIO, syscall.ENFILE, syscall.EMFILE}
