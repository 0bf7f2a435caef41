package store

import (
	"errors"
	"slices"
	"syscall"
)

// diskFaults are errors of reading that no content can cause: the store chooses the modes and names of its files.
var diskFaults = []error{
	syscall.EIO, syscall.ESTALE, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EACCES, syscall.EPERM,
}

// IsDiskFault reports whether an error of reading content is transient and caused by the machine, not by the content.
func IsDiskFault(err error) bool {
	return slices.ContainsFunc(diskFaults, func(fault error) bool { return errors.Is(err, fault) })
}
