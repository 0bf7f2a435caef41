package catalog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// largest is the size of the largest blob in the promise, in bytes.
const largest = 30 << 20

// entriesBlob returns a channel that repeats one entry until it has the size largest. If sorted is true, schema and package follow the
// entries, as they do with sorted keys. Otherwise they precede the entries.
func entriesBlob(pkg, entry string, sorted bool) io.Reader {
	begin, end := fmt.Sprintf(`{"schema":"olm.channel","package":%q,"name":"big","entries":[`, pkg), `{"name":"last"}]}`
	if sorted {
		begin, end = `{"entries":[`, fmt.Sprintf(`{"name":"last"}],"name":"big","package":%q,"schema":"olm.channel"}`, pkg)
	}
	return io.MultiReader(strings.NewReader(begin), &repeat{unit: entry + ",", n: largest / (len(entry) + 1)}, strings.NewReader(end))
}

// TestHRD_B4_RealHeapOfLargeBlobs checks that sixteen concurrent reads of blobs of 30 MiB retain little memory and return the content of
// the blobs.
func TestHRD_B4_RealHeapOfLargeBlobs(t *testing.T) {
	const readings, atMost = 16, 64 << 20
	for sentence, test := range map[string]struct {
		entry  string
		sorted bool
		want   func(string) bool
		fault  string
	}{
		"empty entries": {entry: "{}", fault: "it has more than 50001 entries, or they take more than 8 MiB"},
		"empty entries before the name of the package": {entry: "{}", sorted: true, fault: "it has more than 50001 entries"},
		"entries with fields that nobody reads":        {entry: `{"name":"a","x":"` + strings.Repeat("y", 4096) + `"}`},
		"of a package that nobody wants":               {entry: "{}", sorted: true, want: only("demo")},
	} {
		t.Run(sentence, func(t *testing.T) {
			before, most := liveHeap(), int64(0)
			var lock sync.Mutex
			var group sync.WaitGroup
			for i := range readings {
				group.Go(func() {
					in := io.MultiReader(strings.NewReader(jsonLines), entriesBlob("big", test.entry, test.sorted), strings.NewReader("\n"+jsonLines))
					if i == 0 {
						in = &checkingReader{Reader: in, check: func() {
							lock.Lock()
							defer lock.Unlock()
							most = max(most, liveHeap()-before)
						}}
					}
					packages, _, err := ReadServed(in, test.want, nil)
					if err != nil || !slices.ContainsFunc(packages, func(p Package) bool { return cmp.Equal(p, demoPackage()) }) {
						t.Errorf("the blobs around were not read: %v", err)
					}
					if at := slices.IndexFunc(packages, func(p Package) bool { return p.Name == "big" }); test.want == nil && (at < 0 || !strings.Contains(strings.Join(packages[at].Faults, "\n"), test.fault)) {
						t.Errorf("faults are not of %q: %+v", test.fault, packages)
					}
				})
			}
			group.Wait()
			t.Logf("%d KiB at most", most>>10)
			if most > atMost {
				t.Errorf("%d MiB were kept at once, more than %d", most>>20, atMost>>20)
			}
		})
	}
}

// checkingReader calls check after every 3 MiB that are read.
type checkingReader struct {
	io.Reader
	check func()
	read  int
}

func (l *checkingReader) Read(b []byte) (int, error) {
	n, err := l.Reader.Read(b)
	if l.read += n; l.read > 3<<20 {
		l.read = 0
		l.check()
	}
	return n, err
}

func liveHeap() int64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// padded returns a blob enlarged by an unused field, before the first field or after the last.
func padded(line string, first bool) string {
	padding := `"description":"` + strings.Repeat(`lorem \" \\ ] } [ { `, maxWindow/16) + `"`
	if first {
		return "{" + padding + "," + line[1:]
	}
	return line[:len(line)-1] + "," + padding + "}"
}

func TestHRD_B4_LargeBlobsAreReadAsSmallOnes(t *testing.T) {
	for _, first := range []bool{true, false} {
		var large strings.Builder
		for line := range strings.Lines(jsonLines) {
			large.WriteString(padded(strings.TrimSpace(line), first) + "\n")
		}
		for how, in := range map[string]io.Reader{
			"at once":      strings.NewReader(large.String()),
			"a few bytes":  iotest.HalfReader(strings.NewReader(large.String())),
			"byte by byte": iotest.OneByteReader(strings.NewReader(large.String())),
		} {
			got, _, err := ReadServed(in, only("demo"), nil)
			if diff := cmp.Diff([]Package{demoPackage()}, got); err != nil || diff != "" {
				t.Errorf("%s: %v (-want +got):\n%s", how, err, diff)
			}
		}
	}
}

func TestHRD_B4_LargeBlobsThatAreNoJSON(t *testing.T) {
	filler := strings.Repeat("x", maxWindow)
	for sentence, in := range map[string]string{
		"cut short in a text":       `{"schema":"olm.bundle","package":"p","a":"` + filler,
		"without a comma":           `{"schema":"olm.bundle" "package":"p","a":"` + filler + `"}`,
		"with a comma at the end":   `{"schema":"olm.bundle","a":"` + filler + `",}`,
		"with a key that is twice":  `{"schema":"olm.bundle","Schema":"x","a":"` + filler + `"}`,
		"without a schema":          `{"a":"` + filler + `"}`,
		"a list without a comma":    `{"schema":"olm.bundle","a":"` + filler + `","properties":[{} {}]}`,
		"a property that is broken": `{"schema":"olm.bundle","package":"p","a":"` + filler + `","properties":[{"type":tru}]}`,
	} {
		got, _, err := ReadServed(strings.NewReader(in), nil, nil)
		if err == nil || got != nil || !strings.HasPrefix(err.Error(), "blob 1") || len(err.Error()) > 500 {
			t.Errorf("%s: %v, %.500v", sentence, got, err)
		}
	}
}

// boundedMemory is a MemoryBudget with a fixed number of bytes.
type boundedMemory struct {
	lock      sync.Mutex
	remaining int
}

var errNoMemory = errors.New("no more")

func (m *boundedMemory) Reserve(n int) error {
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.remaining < n {
		return errNoMemory
	}
	m.remaining -= n
	return nil
}

func (m *boundedMemory) Release(n int) {
	m.lock.Lock()
	defer m.lock.Unlock()
	m.remaining += n
}

func TestHRD_B4_RetainedContentIsLimited(t *testing.T) {
	bundle := func(n int) string {
		return fmt.Sprintf(`{"schema":"olm.bundle","package":"p","name":"p.v%d","image":%q}`+"\n", n, strings.Repeat("i", 1500))
	}
	var in bytes.Buffer
	for n := range 2000 {
		in.WriteString(bundle(n))
	}
	if _, _, err := ReadServed(bytes.NewReader(in.Bytes()), nil, &boundedMemory{remaining: 1 << 20}); !errors.Is(err, errNoMemory) || !strings.Contains(err.Error(), `"p"`) {
		t.Errorf("more was kept than there is memory for: %v", err)
	}
	memory := &boundedMemory{remaining: 1 << 20}
	if got, _, err := ReadServed(bytes.NewReader(in.Bytes()), only("other"), memory); err != nil || len(got) != 0 || memory.remaining != 1<<20 {
		t.Errorf("what streams through was refused: %v; %d bytes are left", err, memory.remaining)
	}
	for n := range 10_000 {
		in.WriteString(bundle(n))
	}
	got, _, err := ReadServed(io.MultiReader(&in, strings.NewReader(jsonLines)), nil, nil)
	if err != nil || len(got) != 3 {
		t.Fatalf("%d packages, %v", len(got), err)
	}
	if p := got[2]; p.Name != "p" || len(p.Bundles) != 0 || len(p.Faults) != 1 || !strings.Contains(p.Faults[0], "more than 14 MiB") {
		t.Errorf("a package that is too large: %d bundles, %q", len(p.Bundles), p.Faults)
	}
}

// Promise HRD-B5: The manager refuses YAML from a catalog server. It refuses a YAML document whose aliases expand to a gigabyte, in a
// catalog or a bundle, before it takes that memory.
func TestHRD_B5_YAML(t *testing.T) {
	if _, _, err := ReadServed(strings.NewReader("---\nschema: olm.package\nname: demo\n"), nil, nil); !errors.Is(err, errNotJSON) {
		t.Errorf("YAML from a server: %v", err)
	}
	// 93 KiB in which every alias is as long as the whole document: a gigabyte.
	bomb := "a: &a \"" + strings.Repeat("x", 64<<10) + "\"\nb: [" + strings.Repeat("*a,", 10_000) + "*a]\n"
	before := liveHeap()
	_, err := Read(strings.NewReader(bomb), nil)
	if err == nil || !strings.Contains(err.Error(), "once aliases are expanded") || len(err.Error()) > 500 {
		t.Errorf("%d bytes that expand: %.500v", len(bomb), err)
	}
	if kept := liveHeap() - before; kept > 8<<20 {
		t.Errorf("%d bytes are kept", kept)
	}
}

// Promise HRD-B8: Errors about catalogs, annotations and image entries name the file or the blob, by number where it has no name, and
// quote at most 80 characters of a value.
func TestHRD_B8_FaultsNameTheBlobAndTheFile(t *testing.T) {
	long := strings.Repeat("v", 1<<20)
	for sentence, test := range map[string]struct {
		blob string
		want []string
	}{
		"a bundle without a name":       {`{"schema":"olm.bundle","package":"demo"}`, []string{"olm.bundle in blob 7 is left out: it has no name"}},
		"an entry without a name":       {`{"schema":"olm.channel","package":"demo","name":"c","entries":[{"name":"a"},{}]}`, []string{`channel "c": entry 2 is left out: it has no name`}},
		"an image of a megabyte":        {`{"schema":"olm.bundle","package":"demo","name":"n","image":"` + long[:100_000] + `"}`, []string{`bundle "n" is left out: its image has 100000 bytes, but at most 2048 are allowed`}},
		"a name of a hundred kilobytes": {`{"schema":"olm.bundle","package":"demo","name":"` + long[:100_000] + `"}`, []string{"is left out: its name has 100000 bytes"}},
		"a property of the wrong shape": {`{"schema":"olm.bundle","package":"demo","name":"n","properties":[{"type":"olm.package","value":"` + long + `"}]}`, []string{`olm.bundle "n" is left out`, "an object was expected"}},
		"entries that are a large text": {`{"schema":"olm.channel","package":"demo","name":"n","entries":"` + long[:200_000] + `"}`, []string{`olm.channel "n" is left out`, "a list was expected"}},
	} {
		got, err := Read(strings.NewReader(jsonLines+test.blob), only("demo"))
		if err != nil || len(got) != 1 || len(got[0].Faults) != 1 {
			t.Errorf("%s: %d packages, %.500v", sentence, len(got), err)
			continue
		}
		fault := got[0].Faults[0]
		for _, part := range test.want {
			if !strings.Contains(fault, part) {
				t.Errorf("%s: %q does not say %q", sentence, fault, part)
			}
		}
		if strings.Contains(fault, long[:81]) || len(fault) > maxSentence {
			t.Errorf("%s: more than 80 characters are quoted: %q", sentence, fault)
		}
	}
}
