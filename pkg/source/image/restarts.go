package image

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/openshift/platform-operators/pkg/source"
)

// restarts is the target of several attempts to unpack an image. What an attempt has reserved is there for the next one.
type restarts struct {
	source.Target
	isStarted      bool
	used, reserved int64
}

func newRestarts(target source.Target) *restarts { return &restarts{Target: target} }

// next returns the target of the next attempt. It removes the files of the former one.
func (r *restarts) next() (source.Target, error) {
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

func (r *restarts) reserve(bytes int64) error {
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
