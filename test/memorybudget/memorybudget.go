// Package memorybudget says which memory request and which soft limit of Go's runtime the manager's Deployment has, given what the
// manager was measured to take. The benchmarks write the figures, the payload's tests hold the Deployment against them.
package memorybudget

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// File is where the figures are kept, from the checkout's root.
const File = "test/bench/memory.json"

const (
	mebibyte = 1 << 20
	// step is what a request and a limit are multiples of.
	step = 10 * mebibyte
	// headroom is what a proposed request has above the peak, in percent, and mostHeadroom what any may have: one that is much larger
	// takes room from other pods on the node.
	headroom, mostHeadroom = 10, 30
	// heapFactor is how much larger than the live heap a heap becomes before it is collected, at Go's default GOGC=100. A limit
	// below that has the garbage collector run more often.
	heapFactor = 2
)

// Figures are what the manager was measured to take at most, in bytes, with what and where that was.
type Figures struct {
	Commit  string `json:"commit"`
	Machine string `json:"machine"`
	Command string `json:"command"`
	Date    string `json:"date"`
	// Operators were installed, Catalogs read, each over gRPC and HTTPS, of together CatalogBytes.
	Operators    int   `json:"operators"`
	Catalogs     int   `json:"catalogs"`
	CatalogBytes int64 `json:"catalogBytes"`
	// PeakRSS is the most resident memory, PeakAnonymousRSS the most of it that is not of the program's file.
	PeakRSS          int64 `json:"peakRSS"`
	PeakAnonymousRSS int64 `json:"peakAnonymousRSS"`
	// LiveHeap is the most that was left after a garbage collection.
	LiveHeap int64 `json:"liveHeap"`
}

// Read reads the figures from a file.
func Read(path string) (Figures, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return Figures{}, fmt.Errorf("reading the manager's memory: %w", err)
	}
	var figures Figures
	if err := json.Unmarshal(content, &figures); err != nil {
		return Figures{}, fmt.Errorf("reading the manager's memory from %q: %w", path, err)
	}
	return figures, nil
}

// Write writes the figures to a file.
func (f Figures) Write(path string) error {
	content, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, append(content, '\n'), 0o644); err != nil {
		return fmt.Errorf("writing the manager's memory: %w", err)
	}
	return nil
}

// Request proposes a memory request: the peak and a tenth, in whole steps, and never less than lets the runtime have its limit.
func (f Figures) Request() int64 {
	return up(max(f.PeakRSS*(100+headroom)/100, f.filePages()+up(heapFactor*f.LiveHeap)))
}

// GoLimit proposes a GOMEMLIMIT: what a request leaves to the runtime beside the pages of the program's file, in whole steps.
func (f Figures) GoLimit(request int64) int64 {
	return (request - f.filePages()) / step * step
}

// filePages are the pages of the program's file, which the runtime does not count.
func (f Figures) filePages() int64 { return f.PeakRSS - f.PeakAnonymousRSS }

// Check says what is wrong with a request and a GOMEMLIMIT, both in bytes; nothing if they follow from the figures.
func (f Figures) Check(request, goLimit int64) (faults []string) {
	propose := f.Request()
	advice := fmt.Sprintf("request %s and set GOMEMLIMIT to %sB", mebibytes(propose), mebibytes(f.GoLimit(propose)))
	if request < f.PeakRSS {
		faults = append(faults, fmt.Sprintf("%s is requested, and %s were taken: %s", mebibytes(request), mebibytes(f.PeakRSS), advice))
	}
	if request > f.PeakRSS*(100+mostHeadroom)/100 && request > propose {
		faults = append(faults, fmt.Sprintf("%s is requested, and no more than %s were taken: %s", mebibytes(request), mebibytes(f.PeakRSS), advice))
	}
	if goLimit > request-f.filePages() {
		faults = append(faults, fmt.Sprintf("GOMEMLIMIT %sB and %s of the program's file are more than the %s requested: %s",
			mebibytes(goLimit), mebibytes(f.filePages()), mebibytes(request), advice))
	}
	if goLimit < heapFactor*f.LiveHeap {
		faults = append(faults, fmt.Sprintf("GOMEMLIMIT %sB is less than %d times the live heap, %s: the garbage collector would run more often; %s",
			mebibytes(goLimit), heapFactor, mebibytes(f.LiveHeap), advice))
	}
	return faults
}

// ParseGoLimit reads a GOMEMLIMIT such as "200MiB", in bytes.
func ParseGoLimit(text string) (int64, error) {
	number, binary := strings.CutSuffix(text, "iB")
	if !binary {
		return 0, fmt.Errorf("reading GOMEMLIMIT %q: it has no binary unit; write it as 200MiB", text)
	}
	quantity, err := resource.ParseQuantity(number + "i")
	if err != nil {
		return 0, fmt.Errorf("reading GOMEMLIMIT %q: %w", text, err)
	}
	return quantity.Value(), nil
}

func up(bytes int64) int64 { return (bytes + step - 1) / step * step }

func mebibytes(bytes int64) string { return fmt.Sprintf("%dMi", bytes/mebibyte) }
