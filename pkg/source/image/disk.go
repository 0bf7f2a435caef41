package image

import (
	"errors"
	"slices"
	"syscall"
)

// isDiskFault reports whether the manager's disk, and not the image, caused an error.
func isDiskFault(err error) bool {
	return slices.ContainsFunc(diskFaults, func(fault error) bool { return errors.Is(err, fault) })
}

// isFullDisk reports whether an error means that the disk, or a quota of it, has no space left.
func isFullDisk(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

var diskFaults = []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EIO, syscall.ENFILE, syscall.EMFILE}
