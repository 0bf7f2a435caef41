package catalog

import (
	"fmt"

	"github.com/openshift/platform-operators/pkg/truncate"
)

// MemoryBudget limits the memory that a read of a catalog retains. It must be safe for concurrent use.
type MemoryBudget interface {
	// Reserve reserves bytes before they are used. If the budget has too few bytes left, it returns an error that names the limit.
	Reserve(bytes int) error
	// Release releases reserved bytes.
	Release(bytes int)
}

// unlimitedMemory is a MemoryBudget that grants every reservation.
type unlimitedMemory struct{}

func (unlimitedMemory) Reserve(int) error { return nil }
func (unlimitedMemory) Release(int)       {}

// memoryError is the error of a read whose MemoryBudget refused a reservation.
type memoryError struct{ error }

func (e *memoryError) Unwrap() error { return e.error }

// orUnlimited returns the given budget, or unlimitedMemory if the budget is nil.
func orUnlimited(memory MemoryBudget) MemoryBudget {
	if memory == nil {
		return unlimitedMemory{}
	}
	return memory
}

// Sizes in memory of the parts of a package while it is built, in bytes, rounded up. They do not include texts. Each size includes the map
// entry of the part and its copy in the Package.
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

// maxPackage is the maximum size of one package in memory, in bytes. A package of 10,000 versions fits. The largest package of the
// OpenShift 4.20 catalogs takes a fortieth of it.
const maxPackage = 14 << 20

// Reserve reserves memory, in bytes, for data of a package that the caller retains until it adds that data. It returns true if the memory
// was reserved. If it returns false, either Err returns the reason, or the package is too large and the caller can drop its data.
func (b *Builder) Reserve(pkg string, bytes int) bool { return b.packageBuilder(pkg).reserve(bytes) }

// Release releases memory that Reserve reserved. It does nothing for a package that has become too large in the meantime: the Builder has
// already released that memory.
func (b *Builder) Release(pkg string, bytes int) { b.packageBuilder(pkg).release(bytes) }

// reserve reserves memory for a part of the package, in bytes, and reports whether it succeeded. If the package becomes too large, it is
// discarded. If the budget is exhausted, reserve sets the Builder's error, and the read fails.
func (d *packageBuilder) reserve(bytes int) bool {
	b := d.builder
	switch {
	case b.err != nil || d.tooLarge:
		return false
	case d.size+bytes > maxPackage:
		d.discard()
		return false
	}
	if err := orUnlimited(b.Memory).Reserve(bytes); err != nil {
		b.err = fmt.Errorf("storing package %s: %w", truncate.Quote(d.name), err)
		return false
	}
	d.size += bytes
	return true
}

// release releases memory that was reserved with reserve. It does nothing for a package that was discarded.
func (d *packageBuilder) release(bytes int) {
	if d.tooLarge {
		return
	}
	d.size -= bytes
	orUnlimited(d.builder.Memory).Release(bytes)
}

// discard discards a package that takes too much memory, so that other packages remain usable. Only notes can be added to the package
// afterwards.
func (d *packageBuilder) discard() {
	orUnlimited(d.builder.Memory).Release(d.size)
	*d = *newPackageBuilder(d.builder, d.name)
	d.addFault("nothing of the package is used: its versions and channels take more than %d MiB of memory; ask the catalog's publisher to prune it, or choose another catalog", maxPackage>>20)
	d.tooLarge = true
}

// Err returns the reason why Memory refused a reservation; nil if it refused none. The result of Build is incomplete after an error.
func (b *Builder) Err() error { return b.err }
