package image

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openshift/platform-operators/pkg/source"
)

// entry is one entry of a test's archive.
type entry struct {
	name, body, link string
	kind             byte
}

func archive(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var buffer bytes.Buffer
	writer := tar.NewWriter(&buffer)
	for _, e := range entries {
		kind := e.kind
		if kind == 0 {
			kind = tar.TypeReg
		}
		header := &tar.Header{Name: e.name, Typeflag: kind, Linkname: e.link, Size: int64(len(e.body)), Mode: 0o4777}
		if err := writer.WriteHeader(header); err != nil {
			t.Fatalf("writing header of %q: %v", e.name, err)
		}
		if _, err := writer.Write([]byte(e.body)); err != nil {
			t.Fatalf("writing %q: %v", e.name, err)
		}
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return buffer.Bytes()
}

// tree returns the entries of a directory: files with their content, and links with "-> target".
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		switch {
		case d.IsDir():
			found[name+"/"] = ""
		case d.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			found[name] = "-> " + target
			return err
		default:
			content, err := os.ReadFile(path)
			found[name] = string(content)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func unpackLayers(t testing.TB, limits Limits, layers ...[]byte) (string, error) {
	t.Helper()
	dir := t.TempDir()
	unpacking, err := newUnpacker(source.Target{Dir: dir}, limits)
	if err != nil {
		t.Fatal(err)
	}
	defer unpacking.close()
	for _, layer := range layers {
		if err := unpacking.stream(bytes.NewReader(layer)); err != nil {
			return dir, err
		}
	}
	return dir, nil
}

func TestUnpackLayersOverOneAnother(t *testing.T) {
	cases := map[string]struct {
		layers [][]entry
		want   map[string]string
	}{
		"files and directories, with parents that are not listed": {
			layers: [][]entry{{{name: "manifests/", kind: tar.TypeDir}, {name: "manifests/a.yaml", body: "a"}, {name: "./deep/er/b", body: "b"}}},
			want:   map[string]string{"manifests/": "", "manifests/a.yaml": "a", "deep/": "", "deep/er/": "", "deep/er/b": "b"},
		},
		"a later layer replaces a file": {
			layers: [][]entry{{{name: "a", body: "old and longer"}}, {{name: "a", body: "new"}}},
			want:   map[string]string{"a": "new"},
		},
		"a whiteout removes what a lower layer has": {
			layers: [][]entry{{{name: "d/a", body: "a"}, {name: "d/b", body: "b"}}, {{name: "d/.wh.a"}}},
			want:   map[string]string{"d/": "", "d/b": "b"},
		},
		"an opaque whiteout removes the lower layers' files, and not those of its own layer": {
			layers: [][]entry{{{name: "d/a", body: "a"}, {name: "d/b", body: "b"}}, {{name: "d/c", body: "c"}, {name: "d/.wh..wh..opq"}, {name: "d/e", body: "e"}}},
			want:   map[string]string{"d/": "", "d/c": "c", "d/e": "e"},
		},
		"an opaque whiteout reaches what lower layers have below a directory of its own layer": {
			layers: [][]entry{{{name: "d/s/a", body: "a"}, {name: "d/t/b", body: "b"}}, {{name: "d/s/", kind: tar.TypeDir}, {name: "d/u/c", body: "c"}, {name: "d/.wh..wh..opq"}}},
			want:   map[string]string{"d/": "", "d/s/": "", "d/u/": "", "d/u/c": "c"},
		},
		"a whiteout keeps what its own layer has written": {
			layers: [][]entry{{{name: "f", body: "old"}, {name: "d/a", body: "a"}, {name: "d/s/b", body: "b"}}, {{name: "f", body: "new"}, {name: ".wh.f"}, {name: "d/s/c", body: "c"}, {name: ".wh.d"}}},
			want:   map[string]string{"f": "new", "d/": "", "d/s/": "", "d/s/c": "c"},
		},
		"a whiteout of a directory that its own layer only deletes from": {
			layers: [][]entry{{{name: "d/a", body: "a"}, {name: "d/b", body: "b"}}, {{name: "d/.wh.a"}, {name: ".wh.d"}}},
			want:   map[string]string{},
		},
		"a file takes the place of a directory, and a directory that of a file": {
			layers: [][]entry{{{name: "d/a", body: "a"}, {name: "f", body: "f"}}, {{name: "d", body: "file"}, {name: "f", kind: tar.TypeDir}}},
			want:   map[string]string{"d": "file", "f/": ""},
		},
		"links that stay inside are kept": {
			layers: [][]entry{{{name: "d/a", body: "a"}, {name: "d/s", link: "../d/a", kind: tar.TypeSymlink}, {name: "h", link: "d/a", kind: tar.TypeLink}}},
			want:   map[string]string{"d/": "", "d/a": "a", "d/s": "-> ../d/a", "h": "a"},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var layers [][]byte
			for _, entries := range c.layers {
				layers = append(layers, archive(t, entries...))
			}
			dir, err := unpackLayers(t, DefaultLimits(), layers...)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, tree(t, dir)); diff != "" {
				t.Errorf("unpacked tree (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnpackRefusesAndNamesTheEntry(t *testing.T) {
	limits := Limits{Bytes: 64 << 10, FileBytes: 8 << 10, Entries: 20, Layers: 4}
	many := make([]entry, 21)
	for i := range many {
		many[i] = entry{name: fmt.Sprintf("file-%d", i)}
	}
	var large []entry
	for i := range 9 {
		large = append(large, entry{name: fmt.Sprintf("large-%d", i), body: strings.Repeat("x", 8<<10)})
	}
	cases := map[string]struct {
		layers       [][]entry
		entry, words string
	}{
		"a name that leaves the root":         {[][]entry{{{name: "../evil", body: "x"}}}, `../evil"`, "leaves the image's content"},
		"a name that leaves it further in":    {[][]entry{{{name: "a/../../evil", body: "x"}}}, `a/../../evil"`, "leaves the image's content"},
		"an absolute name":                    {[][]entry{{{name: "/etc/evil", body: "x"}}}, `/etc/evil"`, "absolute"},
		"a symbolic link out of the root":     {[][]entry{{{name: "d/s", link: "../../evil", kind: tar.TypeSymlink}}}, `d/s"`, `"../../evil", which is outside`},
		"an absolute symbolic link":           {[][]entry{{{name: "s", link: "/etc/passwd", kind: tar.TypeSymlink}}}, `s"`, `"/etc/passwd", which is outside`},
		"a hard link out of the root":         {[][]entry{{{name: "h", link: "../evil", kind: tar.TypeLink}}}, `h"`, `"../evil", which is outside`},
		"a hard link to what is not there":    {[][]entry{{{name: "h", link: "nothing", kind: tar.TypeLink}}}, `h"`, `"nothing", which cannot be linked to`},
		"a character device":                  {[][]entry{{{name: "dev/null", kind: tar.TypeChar}}}, `dev/null"`, "is a character device"},
		"a block device":                      {[][]entry{{{name: "dev/sda", kind: tar.TypeBlock}}}, `dev/sda"`, "is a block device"},
		"a named pipe":                        {[][]entry{{{name: "pipe", kind: tar.TypeFifo}}}, `pipe"`, "is a named pipe"},
		"a file that is too large":            {[][]entry{{{name: "large", body: strings.Repeat("x", 9<<10)}}}, `large"`, "at most 8192 are allowed in one file"},
		"too much in all":                     {[][]entry{large}, `large-7"`, "more than 65536 bytes"},
		"too many entries over all layers":    {[][]entry{many[:15], many[15:]}, `file-20"`, "is number 21, but at most 20 are allowed"},
		"a name of ten thousand directories":  {[][]entry{{{name: strings.Repeat("d/", 10_000) + "f"}}}, "d/d/d/", "at most 1024 are allowed"},
		"a name of a hundred directories":     {[][]entry{{{name: strings.Repeat("d/", 100) + "f"}}}, "d/d/d/", "at most 64 are allowed"},
		"a name that is too long for a disk":  {[][]entry{{{name: strings.Repeat(strings.Repeat("d", 250)+"/", 5) + "f"}}}, "dddd", "at most 1024 are allowed"},
		"a whiteout that occurs twice":        {[][]entry{{{name: "d/.wh.a"}, {name: "d/./.wh.a"}}}, `d/./.wh.a"`, "occurs twice"},
		"a directory that is opaque twice":    {[][]entry{{{name: "d/.wh..wh..opq"}, {name: "d/f", body: "x"}, {name: "d/./.wh..wh..opq"}}}, `d/./.wh..wh..opq"`, "occurs twice"},
		"directories that no entry names":     {[][]entry{{{name: strings.Repeat("a/", 15) + "f"}, {name: strings.Repeat("b/", 15) + "f"}}}, "b/b/b/", "exceeds the limit of 20 files, directories and links"},
		"an entry that occurs twice":          {[][]entry{{{name: "a", body: "1"}, {name: "./a", body: "2"}}}, `./a"`, "occurs twice"},
		"a file below a link to a directory?": {[][]entry{{{name: "s", link: "gone", kind: tar.TypeSymlink}, {name: "s/f", body: "x"}}}, "s", "cannot be written"},
		"a whiteout of the root":              {[][]entry{{{name: ".wh.", body: ""}}}, `.wh."`, "is a whiteout of nothing"},
	}
	for name, c := range cases {
		t.Run("ENG-S9: "+name, func(t *testing.T) {
			var layers []io.Reader
			for _, entries := range c.layers {
				layers = append(layers, bytes.NewReader(archive(t, entries...)))
			}
			mustRefuse(t, limits, c.entry, c.words, layers...)
		})
	}
}

func TestHRD_B8_RefusalsQuoteLittleOfAnEntry(t *testing.T) {
	long := strings.Repeat("d/", 500)
	for name, entry := range map[string]entry{
		"a deep name":      {name: long + "f"},
		"an absolute name": {name: "/" + long + "f"},
		"a name too long":  {name: strings.Repeat(long, 100) + "f"},
	} {
		_, err := unpackLayers(t, DefaultLimits(), archive(t, entry))
		if err == nil || strings.Contains(err.Error(), long[:81]) || !strings.Contains(err.Error(), long[:60]) {
			t.Errorf("%s: %.500v", name, err)
		}
	}
}

func TestUnpackWritesPlainModes(t *testing.T) {
	dir, err := unpackLayers(t, DefaultLimits(), archive(t, entry{name: "setuid", body: "x"}))
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, "setuid"))
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode()&(fs.ModeSetuid|0o111) != 0 {
		t.Errorf("mode is %v; nothing of an image may be run", info.Mode())
	}
}

// FuzzENG_F11_UnpackStaysInside unpacks any content as a layer. Unpacking must end. It must write only files, directories and links in the
// directory, and no more than is permitted and reserved.
func FuzzENG_F11_UnpackStaysInside(f *testing.F) {
	f.Add(archive(f, entry{name: "a", body: "a"}, entry{name: "d/", kind: tar.TypeDir}))
	f.Add(archive(f, entry{name: "../a", body: "a"}))
	f.Add(archive(f, entry{name: "s", link: "d", kind: tar.TypeSymlink}, entry{name: "s/../../x", body: "x"}))
	f.Add(archive(f, entry{name: "d/.wh..wh..opq"}, entry{name: "d/.wh.x"}))
	f.Add(archive(f, entry{name: "h", link: "h", kind: tar.TypeLink}))
	var zipped bytes.Buffer
	zipper := gzip.NewWriter(&zipped)
	if _, err := zipper.Write(archive(f, entry{name: "a", body: "a"})); err != nil || zipper.Close() != nil {
		f.Fatal(err)
	}
	f.Add(zipped.Bytes())
	f.Add([]byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xf8, 0x01, 0x00, 0x00})
	f.Add(gnuSparse("sparse", 1<<40))
	f.Add(paxSparse("sparse", "0.1", 32<<10, "data"))
	f.Add(paxSparse("sparse", "1.0", 1<<40, "data"))
	f.Fuzz(func(t *testing.T, content []byte) {
		parent := t.TempDir()
		dir := filepath.Join(parent, "root")
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		var taken int64
		limits := Limits{Bytes: 1 << 20, FileBytes: 64 << 10, Entries: 64, Layers: 1}
		unpacking, err := newUnpacker(source.Target{Dir: dir, Reserve: func(bytes int64) error { taken += bytes; return nil }}, limits)
		if err != nil {
			t.Fatal(err)
		}
		defer unpacking.close()
		// Unpacking may fail. The checks below must hold in any case.
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if layer, err := decompress(bytes.NewReader(content)); err == nil {
			_ = unpacking.stream(layer)
			_ = layer.Close()
		}
		runtime.ReadMemStats(&after)
		if spent := after.TotalAlloc - before.TotalAlloc; spent > 128*mib {
			t.Errorf("%d MiB were allocated", spent/mib)
		}
		if bytes, blocks := diskUse(t, dir); bytes > limits.Bytes || blocks > taken {
			t.Errorf("%d bytes are on disk, which take %d; %d are allowed, and %d were asked for", bytes, blocks, limits.Bytes, taken)
		}
		beside, err := os.ReadDir(parent)
		if err != nil || len(beside) != 1 {
			t.Fatalf("something was written outside of the root: %v %v", beside, err)
		}
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type()&^(fs.ModeDir|fs.ModeSymlink) != 0 {
				t.Fatalf("%q is a %v", path, d.Type())
			}
			return err
		})
	})
}
