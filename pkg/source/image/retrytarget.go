package image

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/openshift/platform-operators/pkg/source"
)

// retryTarget is the target of several attempts to unpack an image. An attempt reuses the disk space that earlier attempts reserved.
type retryTarget struct {
	source.Target
	isStarted      bool
	used, reserved int64
}

func newRetryTarget(target source.Target) *retryTarget { return &retryTarget{Target: target} }

// next returns the target of the next attempt. It removes the files of the former one.
func (r *retryTarget) next() (source.Target, error) {
	if r.isStarted {
		entries, err := os.ReadDir(r.Dir)
		if err != nil {
			return source.Target{}, fmt.Errorf("removing the files of an incomplete image: %w", err)
		}
		for _, entry := range entries {
			if err := os.RemoveAll(filepath.Join(r.Dir, entry.Name())); err != nil {
				return source.Target{}, fmt.Errorf("removing the files of an incomplete image: %w", err)
			}
		}
	}
	r.isStarted, r.used = true, 0
	target := r.Target
	if r.Reserve != nil {
		target.Reserve = r.reserve
	}
	return target, nil
}

func (r *retryTarget) reserve(bytes int64) error {
	missing := r.used + bytes - r.reserved
	if missing > 0 {
		if err := r.Reserve(missing); err != nil {
			return err
		}
		r.reserved += missing
	}
	r.used += bytes
	return nil
}
