package store

import (
	"errors"
	"slices"
	"syscall"
)

// diskErrors are read errors that content cannot cause, because the store chooses the modes and names of its files.
var diskErrors = []error{
	syscall.EIO, syscall.ESTALE, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EACCES, syscall.EPERM,
}

// IsDiskError reports whether an error of reading content is transient and caused by the machine, not by the content.
func IsDiskError(err error) bool {
	return slices.ContainsFunc(diskErrors, func(fault error) bool { return errors.Is(err, fault) })
}
