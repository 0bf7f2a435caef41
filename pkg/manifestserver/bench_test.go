package manifestserver_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
)

const benchmarkedWidgets = 1000

func manyWidgets() []string {
	manifests := make([]string, 0, benchmarkedWidgets)
	for i := range benchmarkedWidgets {
		manifests = append(manifests, fmt.Sprintf(`{apiVersion: example.com/v1, kind: Widget, metadata: {name: w-%d, namespace: a}, spec: {size: 1, parts: [{name: p}, {name: q}]}}`, i))
	}
	return manifests
}

// BenchmarkStatusApplies lists 1,000 objects and applies the status of each.
func BenchmarkStatusApplies(b *testing.B) {
	manifests := manyWidgets()
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		server := serve(b, manifests...)
		b.StartTimer()
		send(b, server, "GET /apis/example.com/v1/widgets?resourceVersion=0", "", "")
		for i := range benchmarkedWidgets {
			name := fmt.Sprintf("w-%d", i)
			send(b, server, "PATCH "+widgets+"/"+name+"/status?fieldManager=m&force=true", apply,
				`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"`+name+`"},"status":{"phase":"Ready","conditions":[{"type":"A","status":"True"}]}}`)
		}
	}
}

// BenchmarkList lists 1,000 objects.
func BenchmarkList(b *testing.B) {
	server := serve(b, manyWidgets()...)
	b.ReportAllocs()
	for b.Loop() {
		send(b, server, "GET /apis/example.com/v1/widgets", "", "")
	}
}

// BenchmarkNew reads 1,000 objects and reports the memory of the process after a write to a built-in kind.
func BenchmarkNew(b *testing.B) {
	manifests := manyWidgets()
	b.ReportAllocs()
	for b.Loop() {
		server := serve(b, manifests...)
		send(b, server, "PATCH "+configMaps+"/c?fieldManager=m", apply, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}}`)
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Skip(err)
	}
	for line := range strings.Lines(string(status)) {
		if name, value, _ := strings.Cut(line, ":"); name == "VmHWM" {
			var kib float64
			fmt.Sscan(value, &kib)
			b.ReportMetric(kib/1024, "peak-MiB")
		}
	}
}

// send sends a request whose target is a method and a path.
func send(b *testing.B, transport http.RoundTripper, target, contentType, body string) {
	b.Helper()
	method, path, _ := strings.Cut(target, " ")
	request, err := http.NewRequestWithContext(b.Context(), method, "https://server.example"+path, strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	request.Header.Set("Content-Type", contentType)
	response, err := transport.RoundTrip(request)
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode >= http.StatusBadRequest {
		b.Fatalf("%s %s: %s", method, path, response.Status)
	}
}
