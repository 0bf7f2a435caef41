// Package memorybudget derives the memory request and the GOMEMLIMIT of the manager's Deployment from measurements. The benchmarks write
// the measured figures, and test/payload checks the Deployment against them.
package memorybudget

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// File is the file that contains the figures, relative to the root of the checkout.
const File = "test/bench/memory.json"

const (
	mebibyte = 1 << 20
	// step is a number of bytes. Requests are rounded up, and limits are rounded down, to a multiple of it.
	step = 10 * mebibyte
	// headroom is the percentage by which a proposed request exceeds the peak. mostHeadroom is the largest percentage that Check permits
	// for a request above the proposed one, because a larger request would take memory from other pods on the node.
	headroom, mostHeadroom = 10, 30
	// heapFactor is the ratio of the heap before a garbage collection to the live heap, with Go's default GOGC=100. If GOMEMLIMIT is less
	// than heapFactor times the live heap, the garbage collector runs more often.
	heapFactor = 2
)

// Figures holds the manager's peak memory, in bytes, and the conditions of the measurement.
type Figures struct {
	Commit  string `json:"commit"`
	Machine string `json:"machine"`
	Command string `json:"command"`
	Date    string `json:"date"`
	// Operators is the number of installed operators. Catalogs is the number of catalogs that the manager read over gRPC and HTTPS.
	// CatalogBytes is the total size of these catalogs.
	Operators    int   `json:"operators"`
	Catalogs     int   `json:"catalogs"`
	CatalogBytes int64 `json:"catalogBytes"`
	// PeakRSS is the peak of resident memory, and PeakAnonymousRSS the peak of its anonymous part.
	PeakRSS          int64 `json:"peakRSS"`
	PeakAnonymousRSS int64 `json:"peakAnonymousRSS"`
	// LiveHeap is the largest heap after a garbage collection.
	LiveHeap int64 `json:"liveHeap"`
}

// Read reads the figures from a JSON file that Write wrote.
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

// Write writes the figures to a file as JSON. It replaces an existing file.
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

// Request returns a memory request in bytes, rounded up: the peak plus headroom. It returns more if GoLimit would otherwise be
// less than heapFactor times the live heap.
func (f Figures) Request() int64 {
	return up(max(f.PeakRSS*(100+headroom)/100, f.filePages()+up(heapFactor*f.LiveHeap)))
}

// GoLimit returns a GOMEMLIMIT in bytes for a memory request: the request without the binary's resident pages, rounded down.
func (f Figures) GoLimit(request int64) int64 {
	return (request - f.filePages()) / step * step
}

// filePages returns the size of the binary's resident pages, which the Go runtime does not count.
func (f Figures) filePages() int64 { return f.PeakRSS - f.PeakAnonymousRSS }

// Check compares a memory request and a GOMEMLIMIT, both in bytes, with the figures. It returns a message for each fault, with the proposed
// values, or nil if there is none.
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

// ParseGoLimit returns the number of bytes in a GOMEMLIMIT such as "200MiB". It returns an error for a value without a binary unit, such as
// "off" or "200MB".
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
