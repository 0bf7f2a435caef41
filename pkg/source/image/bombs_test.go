package image

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/openshift/platform-operators/pkg/source"
)

const mib = 1 << 20

// maxHeap is the maximum memory of unpacking any image, in bytes.
const maxHeap = 64 * mib

// gauge is a reader that measures the heap from time to time during reads.
type gauge struct {
	io.Reader
	reads, bytes int
	before, peak uint64
}

func newGauge(of io.Reader) *gauge {
	g := &gauge{Reader: of}
	runtime.GC()
	g.look()
	g.before = g.peak
	return g
}

func (g *gauge) look() {
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	g.peak = max(g.peak, now.HeapAlloc)
}

func (g *gauge) Read(buffer []byte) (int, error) {
	if g.reads++; g.reads%64 == 0 {
		g.look()
	}
	n, err := g.Reader.Read(buffer)
	g.bytes += n
	return n, err
}

// diskUse returns the disk usage below a directory: the bytes of its files, each file once even if it has several names, and the bytes of
// all blocks of files, directories and links.
func diskUse(t testing.TB, dir string) (bytes, blocks int64) {
	t.Helper()
	linked := map[uint64]bool{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		stat, ok := info.Sys().(*syscall.Stat_t)
		if !ok {
			return errors.New("this system does not tell what a file takes on disk")
		}
		if linked[stat.Ino] {
			return nil
		}
		linked[stat.Ino] = true
		blocks += stat.Blocks * 512
		if entry.Type().IsRegular() {
			bytes += info.Size()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return bytes, blocks
}

// mustRefuse unpacks layers, and checks that they are refused with an error that has the entry and the words. It also checks that they used
// only the disk space that was reserved and permitted, and little memory. It returns the number of bytes that were read.
func mustRefuse(t *testing.T, limits Limits, entry, words string, layers ...io.Reader) (read int) {
	t.Helper()
	var taken int64
	parent := t.TempDir()
	dir := filepath.Join(parent, "root")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	unpacking, err := newUnpacker(source.Target{Dir: dir, Reserve: func(bytes int64) error { taken += bytes; return nil }}, limits)
	if err != nil {
		t.Fatal(err)
	}
	defer unpacking.close()
	for _, layer := range layers {
		measured := newGauge(layer)
		err = unpacking.stream(measured)
		measured.look()
		read += measured.bytes
		if grown := measured.peak - measured.before; grown > maxHeap {
			t.Errorf("%d MiB were held in memory", grown/mib)
		}
		if err != nil {
			break
		}
	}
	if err == nil || classOf(err) != Refused {
		t.Fatalf("got error %v, want a refusal", err)
	}
	if text := err.Error(); !strings.Contains(text, `entry "`+entry) || !strings.Contains(text, words) {
		t.Errorf("error %q does not name entry %q and say %q", text, entry, words)
	}
	if beside, err := os.ReadDir(parent); err != nil || len(beside) != 1 {
		t.Errorf("something was written outside of the directory: %v, %v", beside, err)
	}
	bytes, blocks := diskUse(t, dir)
	if bytes > limits.Bytes || blocks > taken {
		t.Errorf("%d bytes are on disk, which take %d; %d are allowed, and %d were asked for", bytes, blocks, limits.Bytes, taken)
	}
	return read
}

// rawHeader returns a tar header that archive/tar does not write, such as the header of a sparse file or a separate PAX header.
func rawHeader(name string, kind byte, size int, more func(block []byte)) []byte {
	block := make([]byte, 512)
	copy(block, name)
	copy(block[100:], "0000644\x000000000\x000000000\x00")
	copy(block[124:], fmt.Sprintf("%011o\x0000000000000\x00        ", size))
	block[156] = kind
	copy(block[257:], "ustar\x0000")
	if more != nil {
		more(block)
	}
	sum := 0
	for _, each := range block {
		sum += int(each)
	}
	copy(block[148:], fmt.Sprintf("%06o\x00 ", sum))
	return block
}

// padded returns content with zeros up to whole blocks.
func padded(content string) []byte {
	return append([]byte(content), make([]byte, (512-len(content)%512)%512)...)
}

// gnuSparse returns a sparse file in GNU tar's format from before PAX. The whole file is a hole.
func gnuSparse(name string, size uint64) []byte {
	number := func(at []byte, value uint64) { // in base 256, because octal digits end at 8 GiB
		at[0] = 0x80
		for i := 11; i > 3; i, value = i-1, value>>8 {
			at[i] = byte(value)
		}
	}
	return rawHeader(name, tar.TypeGNUSparse, 0, func(block []byte) {
		copy(block[257:], "ustar  \x00")
		number(block[386:], size)
		number(block[398:], 0)
		number(block[483:], size)
	})
}

// paxSparse returns a sparse file in PAX format. The file begins with the data; the rest is a hole. Version 1.0 has the map of holes before
// the data, and version 0.1 in the header.
func paxSparse(name, version string, size int64, data string) []byte {
	major, minor, _ := strings.Cut(version, ".")
	records := paxRecord("GNU.sparse.major", major) + paxRecord("GNU.sparse.minor", minor) + paxRecord("GNU.sparse.name", name)
	body := data
	if version == "1.0" {
		records += paxRecord("GNU.sparse.realsize", fmt.Sprint(size))
		body = string(padded(fmt.Sprintf("2\n0\n%d\n%d\n0\n", len(data), size))) + data
	} else {
		records += paxRecord("GNU.sparse.size", fmt.Sprint(size)) + paxRecord("GNU.sparse.numblocks", "2") +
			paxRecord("GNU.sparse.map", fmt.Sprintf("0,%d,%d,0", len(data), size))
	}
	return bytes.Join([][]byte{
		rawHeader("PaxHeaders/"+name, tar.TypeXHeader, len(records), nil), padded(records),
		rawHeader("GNUSparseFile.0/"+name, tar.TypeReg, len(body), nil), padded(body),
	}, nil)
}

// paxRecord returns a PAX record, which begins with its own length.
func paxRecord(key, value string) string {
	rest := " " + key + "=" + value + "\n"
	length := len(rest) + 1
	for length != len(fmt.Sprint(length))+len(rest) {
		length++
	}
	return fmt.Sprint(length) + rest
}

func TestSparseFilesAreUnpackedWithTheirHolesFilled(t *testing.T) {
	for _, version := range []string{"0.1", "1.0"} {
		t.Run(version, func(t *testing.T) {
			dir, err := unpackLayers(t, DefaultLimits(), paxSparse("sparse", version, 5, "abc"))
			if err != nil {
				t.Fatal(err)
			}
			if got := tree(t, dir); got["sparse"] != "abc\x00\x00" || len(got) != 1 {
				t.Errorf("unpacked %q", got)
			}
		})
	}
}

func TestENG_S9_SparseFilesCountAsWhatTheyWouldTakeOnDisk(t *testing.T) {
	const tenGiB = 10 << 30
	small := Limits{Bytes: 64 << 10, FileBytes: 8 << 10, Entries: 20, Layers: 4}
	var together []byte
	for i := range 9 {
		together = append(together, paxSparse(fmt.Sprintf("sparse-%d", i), "1.0", 8<<10, "")...)
	}
	endless := paxRecord("GNU.sparse.major", "1") + paxRecord("GNU.sparse.minor", "0") + paxRecord("GNU.sparse.name", "mapped") + paxRecord("GNU.sparse.realsize", "1")
	cases := map[string]struct {
		limits       Limits
		archive      []byte
		entry, words string
	}{
		"ten GiB as GNU tar wrote it":        {DefaultLimits(), gnuSparse("sparse", tenGiB), "sparse", "is a sparse file"},
		"ten GiB in PAX 0.1":                 {DefaultLimits(), paxSparse("sparse", "0.1", tenGiB, "x"), "sparse", "has 10737418240 bytes"},
		"ten GiB in PAX 1.0":                 {DefaultLimits(), paxSparse("sparse", "1.0", tenGiB, "x"), "sparse", "has 10737418240 bytes"},
		"ten GiB that are said to be there":  {DefaultLimits(), rawHeader("large", tar.TypeReg, 8<<30-1, nil), "large", "has 8589934591 bytes"},
		"many that are too large altogether": {small, together, "sparse-8", "have 73728 bytes, but at most 65536 are allowed"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			mustRefuse(t, c.limits, c.entry, c.words, bytes.NewReader(c.archive))
		})
	}
	t.Run("a map of holes without end", func(t *testing.T) {
		holes := strings.Repeat("1\n", 2*mib)
		archive := bytes.Join([][]byte{
			rawHeader("PaxHeaders/mapped", tar.TypeXHeader, len(endless), nil), padded(endless),
			rawHeader("mapped", tar.TypeReg, len(holes)+8, nil), padded("2000000\n" + holes),
		}, nil)
		if _, err := unpackLayers(t, DefaultLimits(), archive); err == nil || classOf(err) != Refused || !strings.Contains(err.Error(), "sparse map too long") {
			t.Errorf("got %v, want a refusal", err)
		}
	})
}

// compressed returns an uncompressing reader of zeros: as the content of one file, or without an archive if header is nil.
func compressed(t *testing.T, zipped *bytes.Buffer, zipper io.WriteCloser, header *tar.Header, zeros int) io.ReadCloser {
	t.Helper()
	if header != nil {
		header.Size = int64(zeros)
		if err := tar.NewWriter(zipper).WriteHeader(header); err != nil {
			t.Fatal(err)
		}
	}
	for range zeros / mib {
		if _, err := zipper.Write(make([]byte, mib)); err != nil {
			t.Fatal(err)
		}
	}
	if err := zipper.Close(); err != nil {
		t.Fatal(err)
	}
	if zipped.Len() > mib {
		t.Fatalf("%d bytes are no bomb", zipped.Len())
	}
	layer, err := decompress(zipped)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = layer.Close() })
	return layer
}

func TestENG_S9_BombsAreStoppedWhileTheyUnfold(t *testing.T) {
	limits := Limits{Bytes: 4 * mib, FileBytes: 128 * mib, Entries: 20, Layers: 4}
	compressors := map[string]func(io.Writer) io.WriteCloser{
		"gzip": func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
		"zstd": func(w io.Writer) io.WriteCloser {
			zipper, err := zstd.NewWriter(w)
			if err != nil {
				t.Fatal(err)
			}
			return zipper
		},
	}
	cases := map[string]struct {
		header *tar.Header
		entry  string
	}{
		"in a file":                            {&tar.Header{Name: "bomb", Typeflag: tar.TypeReg}, `bomb"`},
		"in an entry whose content is skipped": {&tar.Header{Name: "d/.wh.bomb", Typeflag: tar.TypeReg}, `d/.wh.bomb"`},
	}
	for by, compressor := range compressors {
		for name, c := range cases {
			t.Run(by+" "+name, func(t *testing.T) {
				var zipped bytes.Buffer
				header := *c.header
				layer := compressed(t, &zipped, compressor(&zipped), &header, 16*mib)
				if read := mustRefuse(t, limits, c.entry, "", layer); read > 4*mib+64<<10 {
					t.Errorf("%d bytes of it were unfolded", read)
				}
			})
		}
		t.Run(by+" behind all entries", func(t *testing.T) {
			var zipped bytes.Buffer
			layer := compressed(t, &zipped, compressor(&zipped), nil, 16*mib)
			read := newGauge(layer)
			unpacking, err := newUnpacker(source.Target{Dir: t.TempDir()}, limits)
			if err != nil {
				t.Fatal(err)
			}
			defer unpacking.close()
			if err := unpacking.stream(read); err == nil || classOf(err) != Refused || read.bytes > 4*mib+64<<10 {
				t.Errorf("got %v after %d bytes, want a refusal", err, read.bytes)
			}
		})
	}
}

// tinyFiles is an archive of a million empty files. It creates them only when they are read.
type tinyFiles struct {
	made   int
	ready  bytes.Buffer
	writer *tar.Writer
}

func (f *tinyFiles) Read(buffer []byte) (int, error) {
	if f.writer == nil {
		f.writer = tar.NewWriter(&f.ready)
	}
	if f.ready.Len() == 0 {
		if f.made == 1_000_000 {
			return 0, io.EOF
		}
		if err := f.writer.WriteHeader(&tar.Header{Name: fmt.Sprintf("tiny-%d", f.made), Typeflag: tar.TypeReg, Mode: 0o644}); err != nil {
			return 0, err
		}
		f.made++
	}
	return f.ready.Read(buffer)
}

func TestENG_S9_AMillionTinyFilesEndWhereTheLimitIs(t *testing.T) {
	files := &tinyFiles{}
	mustRefuse(t, DefaultLimits(), `tiny-50000"`, "is number 50001, but at most 50000 are allowed", files)
	if files.made != 50_001 {
		t.Errorf("%d were read", files.made)
	}
}
