package image

import (
	"errors"
	"syscall"
)

// isDiskFault says whether an error is the disk's fault and not the image's.
func isDiskFault(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.EIO)
}
