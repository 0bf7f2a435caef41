package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"k8s.io/client-go/rest"

	"github.com/openshift/platform-operators/test/provenance"
)

const (
	// heapLive is the name of the Go runtime's metric for the size of the heap after the last garbage collection, in bytes.
	heapLive = "go_gc_heap_live_bytes"
	// scrapeEvery is the time between two scrapes.
	scrapeEvery = 500 * time.Millisecond
	// maxMetricsSize is the maximum size of the metrics that a scrape reads, in bytes. A scrape ignores the rest.
	maxMetricsSize = 16 << 20
)

// phase resets the manager's peak memory, calls run, waits for quietTime, and stores the name of the phase and the peak in into.
func (l *live) phase(ctx context.Context, into *memoryPhase, name string, run func(context.Context) error) error {
	if err := resetPeak(l.Manager.PID()); err != nil {
		return err
	}
	return l.watchPhase(ctx, into, name, run)
}

// restartedPhase starts the stopped manager, waits until it has read all catalogs, and stores its peak memory in into.
func (l *live) restartedPhase(ctx context.Context, into *memoryPhase, catalogs []*servedCatalog) error {
	started := time.Now()
	if err := l.Manager.Start(); err != nil {
		return err
	}
	return l.watchPhase(ctx, into, "the manager restarted", func(ctx context.Context) error { return l.catalogsRead(ctx, catalogs, started) })
}

func (l *live) watchPhase(ctx context.Context, into *memoryPhase, name string, run func(context.Context) error) error {
	scraper, err := l.newScraper()
	if err != nil {
		return err
	}
	pid := l.Manager.PID()
	var live float64
	most, err := watchPeak(ctx, pid, func() error {
		var err error
		live, err = scraper.maxDuring(ctx, heapLive, func() error {
			if err := run(ctx); err != nil {
				return err
			}
			return sleep(ctx, quietTime)
		})
		return err
	})
	if err != nil {
		return fmt.Errorf("watching the memory of phase %q: %w", name, err)
	}
	total, err := readPeak(pid)
	if err != nil {
		return err
	}
	*into = memoryPhase{name: name, resident: residentMemory{anonymous: most.most, total: total}, live: live}
	l.logf("%s: peak anonymous RSS %s, peak total RSS %s, live heap %s", name, size.format(most.most), size.format(total), size.format(live))
	return nil
}

// resetPeak resets the kernel's high-water mark of a process's resident memory.
func resetPeak(pid int) error {
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0o200); err != nil {
		return fmt.Errorf("resetting the peak of the memory: %w", err)
	}
	return nil
}

// readPeak returns the peak of resident memory since the process started or resetPeak was last called, in bytes.
func readPeak(pid int) (float64, error) {
	text, err := provenance.ProcValue(fmt.Sprintf("/proc/%d/status", pid), "VmHWM")
	if err != nil {
		return 0, err
	}
	return provenance.ParseKiB(text)
}

// scraper reads the manager's metrics with the admin's credentials.
type scraper struct {
	url    string
	client *http.Client
}

func (l *live) newScraper() (*scraper, error) {
	config := rest.AnonymousClientConfig(l.Admin)
	// The manager's certificate is self-signed.
	config.TLSClientConfig = rest.TLSClientConfig{Insecure: true, CertData: l.Admin.CertData, KeyData: l.Admin.KeyData, CertFile: l.Admin.CertFile, KeyFile: l.Admin.KeyFile}
	config.BearerToken = l.Admin.BearerToken
	client, err := rest.HTTPClientFor(config)
	return &scraper{url: "https://" + l.Manager.Address + "/metrics", client: client}, err
}

// scrape returns the values of all series. A key is a series' name and labels, as the manager writes them.
func (s *scraper) scrape(ctx context.Context) (map[string]float64, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url, nil)
	if err != nil {
		return nil, err
	}
	answer, err := s.client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("reading the manager's metrics: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("reading the manager's metrics: %s", answer.Status)
	}
	return parseSeries(io.LimitReader(answer.Body, maxMetricsSize))
}

// parseSeries parses metrics in Prometheus' text format, without timestamps.
func parseSeries(from io.Reader) (map[string]float64, error) {
	series := map[string]float64{}
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		end := strings.LastIndexByte(line, ' ')
		if end < 0 || strings.HasPrefix(line, "#") {
			continue
		}
		value, err := strconv.ParseFloat(line[end+1:], 64)
		if err != nil {
			return nil, fmt.Errorf("reading the manager's metrics: %w", err)
		}
		series[line[:end]] = value
	}
	return series, lines.Err()
}

// maxDuring returns the largest value of a series while run runs and at its end. Only the last scrape must succeed, because a
// manager that is starting serves no metrics.
func (s *scraper) maxDuring(ctx context.Context, name string, run func() error) (most float64, err error) {
	watching, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for sleep(watching, scrapeEvery) == nil {
			if series, err := s.scrape(watching); err == nil {
				most = max(most, series[name])
			}
		}
	}()
	err = run()
	cancel()
	<-done
	if err != nil {
		return 0, err
	}
	series, err := s.scrape(ctx)
	if err != nil {
		return 0, err
	}
	if _, found := series[name]; !found {
		return 0, fmt.Errorf("reading the manager's metrics: %s is missing", name)
	}
	return max(most, series[name]), nil
}
