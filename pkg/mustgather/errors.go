package mustgather

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/openshift/platform-operators/pkg/truncate"
)

const (
	// maxErrors is the maximum number of errors in one error: a must-gather that was cut short may have thousands.
	maxErrors = 10
	// maxPath is the maximum size of a file's path in an error, in bytes.
	maxPath = 512
	// maxText is the maximum size of an error of the YAML library or the file system in an error, in bytes.
	maxText = 200
	// remedy is what to do about a file that is damaged.
	remedy = "if the file was cut short, copy it or run must-gather again; otherwise correct or delete it"
)

// faults collects errors about files.
type faults struct {
	shown []error
	more  int
}

// add adds an error about a file or object.
func (f *faults) add(subject string, err error) {
	if len(f.shown) == maxErrors {
		f.more++
		return
	}
	f.shown = append(f.shown, fmt.Errorf("%s: %w", subject, err))
}

// err returns all errors as one, or nil. It has one line for each of the first maxErrors.
func (f *faults) err() error {
	if f.more == 0 {
		return errors.Join(f.shown...)
	}
	noun := "errors"
	if f.more == 1 {
		noun = "error"
	}
	return errors.Join(append(f.shown, fmt.Errorf("and %d more %s; correct these first", f.more, noun))...)
}

// fault adds an error about a file or folder.
func (r *reader) fault(name string, err error) { r.faults.add("file "+quotePath(name), err) }

// quotePath returns a path in quotes. Unlike truncate.Quote, it does not shorten the path of any real file.
func quotePath(name string) string { return strconv.Quote(truncate.Bytes(name, maxPath)) }
