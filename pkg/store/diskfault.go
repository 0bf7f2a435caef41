package store

import (
	"errors"
	"slices"
	"syscall"
)

// diskFaults are errors of reading that no content can cause: its files are written with modes and names of ours.
var diskFaults = []error{
	syscall.EIO, syscall.ESTALE, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EACCES, syscall.EPERM,
}

// IsDiskFault says whether an error of reading content is this machine's fault of the moment, and says nothing of the content.
func IsDiskFault(err error) bool {
	return slices.ContainsFunc(diskFaults, func(fault error) bool { return errors.Is(err, fault) })
}
