package catalog

import (
	"fmt"

	"github.com/openshift/platform-operators/pkg/truncate"
)

// Memory lends a reading the memory for what it keeps. It is safe for concurrent use.
type Memory interface {
	// Take reserves bytes before they are used. Its error says that there are no more, and what the bound is.
	Take(bytes int) error
	// Return gives bytes back that were taken.
	Return(bytes int)
}

// unbounded lends whatever is asked for.
type unbounded struct{}

func (unbounded) Take(int) error { return nil }
func (unbounded) Return(int)     {}

// memoryError says that a reading has no memory for something.
type memoryError struct{ error }

func (e *memoryError) Unwrap() error { return e.error }

// boundedBy is the memory that is given, or one without a bound.
func boundedBy(memory Memory) Memory {
	if memory == nil {
		return unbounded{}
	}
	return memory
}

// What a thing of a package takes in memory beside its texts while the package is built, rounded up: its place in a map and the
// copy of it in the package.
const (
	sizeOfBundle      = 640
	sizeOfEntry       = 256
	sizeOfChannel     = 256
	sizeOfText        = 16
	sizeOfKind        = 48
	sizeOfRequirement = 192
	sizeOfDeprecation = 96
)

// maxPackage bounds what one package may take. 10,000 versions fit; the largest package of the catalogs of OpenShift 4.20 takes a
// fortieth of it.
const maxPackage = 14 << 20

// keep takes memory for something of a package, and says whether there was any. A package that is too large costs itself only;
// where the reading has no more memory, it fails.
func (b *Builder) keep(name string, d *draft, bytes int) bool {
	switch {
	case b.err != nil || d.tooLarge:
		return false
	case d.size+bytes > maxPackage:
		b.dropLarge(d)
		return false
	}
	if err := boundedBy(b.Memory).Take(bytes); err != nil {
		b.err = fmt.Errorf("keeping package %s: %w", truncate.Quote(name), err)
		return false
	}
	d.size += bytes
	return true
}

// dropLarge forgets a package that takes too much, so that only those are concerned who want it.
func (b *Builder) dropLarge(d *draft) {
	faults, size := d.faults, d.size
	*d = *newDraft()
	d.tooLarge, d.faults = true, faults
	d.fault("nothing of the package is used: its versions and channels take more than %d MiB of memory; ask the catalog's publisher to prune it, or choose another catalog", maxPackage>>20)
	boundedBy(b.Memory).Return(size)
}

// Err is why what was added could not be kept: the Memory had no more. What Build returns is then not complete.
func (b *Builder) Err() error { return b.err }
