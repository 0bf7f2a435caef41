package catalogsource_test

import (
	"bufio"
	"context"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openshift/platform-operators/pkg/catalogsource"
	"github.com/openshift/platform-operators/pkg/catalogsource/grpc"
	"github.com/openshift/platform-operators/pkg/catalogsource/http"
)

// hostileAtMost is the maximum number of bytes by which sixteen hostile reads together may enlarge the heap.
const hostileAtMost = 64 << 20

// TestHRD_B4_RealHeapOfHostileReadings checks the memory of sixteen concurrent reads of hostile catalogs, half of them over gRPC and half
// over HTTPS. The servers are another process.
//
// Promise HRD-B4: Sixteen hostile catalogs that are read at once keep at most 64 MiB of heap together, over gRPC and HTTPS. What exceeds
// the budget is refused with the limit named, and a slow catalog makes no other one fail.
func TestHRD_B4_RealHeapOfHostileReadings(t *testing.T) {
	addresses, halves := startHostile(t)
	reads := hostileReads(t, addresses)
	if len(reads) != 16 {
		t.Fatalf("there are %d hostile catalogs", len(reads))
	}
	before, most, atHalf := liveBytes(), int64(0), int64(0)
	done, budget := make(chan struct{}), catalogsource.NewBudget()
	var reading, watching sync.WaitGroup
	watching.Go(func() {
		if err := halves(func() { atHalf = liveBytes() - before }); err != nil {
			t.Error(err)
		}
	})
	watching.Go(func() {
		often := time.NewTicker(20 * time.Millisecond) // each collection of garbage takes about as long
		defer often.Stop()
		for {
			select {
			case <-done:
				return
			case <-often.C:
				most = max(most, liveBytes()-before)
			}
		}
	})
	for name, read := range reads {
		reading.Go(func() {
			memory := budget.NewReservation()
			defer memory.Close()
			n, err := read(t.Context(), memory)
			t.Logf("%s: %d packages, %.300v", name, n, err)
		})
	}
	reading.Wait()
	close(done)
	watching.Wait()
	if err := budget.NewReservation().Reserve(15 << 20); err != nil {
		t.Errorf("after all readings have ended: %v", err)
	}
	t.Logf("%d KiB live when all have sent a half, %d KiB at most", atHalf>>10, most>>10)
	if most = max(most, atHalf); most > hostileAtMost {
		t.Errorf("%d MiB were kept at once, more than %d", most>>20, hostileAtMost>>20)
	}
}

// hostileReads returns, by name, a function that reads each catalog at these addresses and returns the number of packages found.
func hostileReads(t *testing.T, addresses hostileAddresses) map[string]func(context.Context, *catalogsource.Reservation) (int, error) {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(addresses.Certificate)
	client := http.New(http.Options{RootCAs: roots})
	t.Cleanup(client.Close)
	var wanted []string
	for n := range 1000 {
		wanted = append(wanted, fmt.Sprintf("wanted-%d", n))
	}
	reads := map[string]func(context.Context, *catalogsource.Reservation) (int, error){}
	for name, address := range addresses.GRPC {
		reads["gRPC: "+name] = func(ctx context.Context, memory *catalogsource.Reservation) (int, error) {
			packages, _, err := grpc.Client{}.Read(ctx, address, func(pkg string) bool { return strings.HasPrefix(pkg, "wanted-") }, memory)
			return len(packages), err
		}
	}
	for name, base := range addresses.HTTPS {
		reads["HTTPS: "+name] = func(ctx context.Context, memory *catalogsource.Reservation) (int, error) {
			reading, err := client.ReadPackages(ctx, base, wanted, "", memory)
			return len(reading.Packages), err
		}
	}
	return reads
}

// startHostile starts the process that serves the hostile catalogs. The returned function waits until each of them has sent one half, calls
// look, and makes them continue.
func startHostile(t *testing.T) (hostileAddresses, func(look func()) error) {
	server := exec.Command(os.Args[0])
	server.Env, server.Stderr = append(os.Environ(), hostileServer+"=1"), os.Stderr
	in, err := server.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = server.Wait()
	})
	out := bufio.NewReader(output)
	line, err := out.ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var addresses hostileAddresses
	if err := json.Unmarshal(line, &addresses); err != nil {
		t.Fatal(err)
	}
	return addresses, func(look func()) error { return awaitHalves(out, in, look) }
}

// liveBytes collects garbage and returns the number of bytes of the heap that are in use.
func liveBytes() int64 {
	runtime.GC()
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}
