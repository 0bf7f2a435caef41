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
	sizeOfPackage     = 1024
	sizeOfBundle      = 640
	sizeOfEntry       = 256
	sizeOfChannel     = 256
	sizeOfText        = 16
	sizeOfKind        = 48
	sizeOfRequirement = 192
	sizeOfDeprecation = 96
	sizeOfFault       = 48
)

// maxPackage bounds what one package may take. 10,000 versions fit; the largest package of the catalogs of OpenShift 4.20 takes a
// fortieth of it.
const maxPackage = 14 << 20

// Reserve takes memory for data of a package that the caller keeps until it adds that data. It returns false when there is none.
// Then either Err is the reason, or the package is too large, and the caller can drop its data.
func (b *Builder) Reserve(pkg string, bytes int) bool { return b.draft(pkg).keep(bytes) }

// Release returns the memory that Reserve took. It does nothing for a package that has become too large meanwhile: the Builder has
// returned that memory already.
func (b *Builder) Release(pkg string, bytes int) { b.draft(pkg).release(bytes) }

// keep takes memory for something of the package, and says whether there was any. A package that is too large costs itself only;
// where the reading has no more memory, it fails.
func (d *draft) keep(bytes int) bool {
	b := d.builder
	switch {
	case b.err != nil || d.tooLarge:
		return false
	case d.size+bytes > maxPackage:
		d.drop()
		return false
	}
	if err := boundedBy(b.Memory).Take(bytes); err != nil {
		b.err = fmt.Errorf("keeping package %s: %w", truncate.Quote(d.name), err)
		return false
	}
	d.size += bytes
	return true
}

// release gives back what keep took.
func (d *draft) release(bytes int) {
	if d.tooLarge {
		return
	}
	d.size -= bytes
	boundedBy(d.builder.Memory).Return(bytes)
}

// drop discards a package that takes too much memory, so that other packages remain usable. Nothing can be added to it afterwards.
func (d *draft) drop() {
	boundedBy(d.builder.Memory).Return(d.size)
	*d = *newDraft(d.builder, d.name)
	d.fault("nothing of the package is used: its versions and channels take more than %d MiB of memory; ask the catalog's publisher to prune it, or choose another catalog", maxPackage>>20)
	d.tooLarge = true
}

// Err is why what was added could not be kept: the Memory had no more. What Build returns is then not complete.
func (b *Builder) Err() error { return b.err }
