package bundle

import (
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Object is one Kubernetes object of a bundle, and the file it was read from.
type Object struct {
	// File is the path inside the bundle, for messages.
	File string
	unstructured.Unstructured
}

// String names the object and its file, for messages.
func (o Object) String() string {
	return fmt.Sprintf("%s: %s %q", o.File, o.GetKind(), o.GetName())
}

// ReadObjects reads the objects of every file in dir, in the order of the file names. The directory must be flat and contain only regular
// .yaml, .yml and .json files. ReadObjects returns an error for any other entry, because a partially installed bundle is worse than a
// refused one. It replaces a v1 List with its items.
func ReadObjects(fsys fs.FS, dir string) ([]Object, error) {
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return nil, fmt.Errorf("reading directory %q: %w", dir, err)
	}
	if len(entries) > MaxFiles {
		return nil, fmt.Errorf("reading directory %q: it has %d files, but at most %d are allowed", dir, len(entries), MaxFiles)
	}
	read := &objectReader{}
	total := 0
	for _, entry := range entries {
		name := path.Join(dir, entry.Name())
		if err := checkEntry(entry); err != nil {
			return nil, fmt.Errorf("reading %q: %w", name, err)
		}
		data, err := ReadFile(fsys, name)
		if err != nil {
			return nil, err
		}
		if total += len(data); total > MaxBytes {
			return nil, fmt.Errorf("reading %q: this file and the files before it have %d bytes, but at most %d are allowed", name, total, MaxBytes)
		}
		if err := read.addFile(name, data); err != nil {
			return nil, fmt.Errorf("reading %q: %w", name, err)
		}
	}
	return read.objects, nil
}

func checkEntry(entry fs.DirEntry) error {
	switch {
	case entry.IsDir():
		return fmt.Errorf("subdirectories are not allowed among the manifests; move the files up")
	case strings.HasPrefix(entry.Name(), "."):
		return fmt.Errorf("hidden files are not allowed among the manifests; remove it")
	case !entry.Type().IsRegular():
		return fmt.Errorf("manifests must be regular files, but this is a %s; replace it with the file", typeOf(entry))
	}
	switch path.Ext(entry.Name()) {
	case ".yaml", ".yml", ".json":
		return nil
	}
	return fmt.Errorf("only .yaml, .yml and .json files are allowed among the manifests; remove it")
}

// typeOf returns the type of an entry that is neither a directory nor a regular file, for messages.
func typeOf(entry fs.DirEntry) string {
	switch kind := entry.Type(); {
	case kind&fs.ModeSymlink != 0:
		return "symbolic link"
	case kind&fs.ModeNamedPipe != 0:
		return "named pipe"
	case kind&fs.ModeSocket != 0:
		return "socket"
	case kind&fs.ModeDevice != 0:
		return "device"
	}
	return "special file"
}

// ReadFile reads one file of at most MaxFileBytes of UTF-8 text. If the file does not exist, the error wraps fs.ErrNotExist.
func ReadFile(fsys fs.FS, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, fmt.Errorf("reading %q: %w", name, err)
	}
	defer f.Close()
	// Allocating the buffer in the size of the file is cheaper than growing the buffer, which costs more than parsing.
	size := 0
	if info, err := f.Stat(); err == nil {
		if info.Size() > MaxFileBytes {
			return nil, fmt.Errorf("reading %q: it has %d bytes, but at most %d are allowed", name, info.Size(), MaxFileBytes)
		}
		size = int(info.Size())
	}
	data, err := readAll(io.LimitReader(f, MaxFileBytes+1), size)
	if err != nil {
		return nil, fmt.Errorf("reading %q: %w", name, err)
	}
	if len(data) > MaxFileBytes {
		return nil, fmt.Errorf("reading %q: it has more than %d bytes, the maximum that is allowed", name, MaxFileBytes)
	}
	if !utf8.Valid(data) {
		return nil, fmt.Errorf("reading %q: it is not UTF-8 text; save it as UTF-8", name)
	}
	return data, nil
}

func readAll(r io.Reader, size int) ([]byte, error) {
	data := make([]byte, 0, size+512)
	for {
		n, err := r.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if err == io.EOF {
			return data, nil
		}
		if err != nil {
			return nil, err
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
	}
}

// objectReader collects the objects of a bundle.
type objectReader struct {
	objects []Object
	// values is the number of values in all documents after their aliases are expanded, and text the size of these values, in bytes.
	values, text int
}

func (r *objectReader) addFile(name string, data []byte) error {
	return visitDocuments(data, func(root *yaml.Node) error {
		document := &converter{}
		value, err := document.convert(root, 0)
		if err != nil {
			return err
		}
		if r.values += document.values; r.values > maxAllValues {
			return fmt.Errorf("the bundle has more than %d values after its aliases are expanded", maxAllValues)
		}
		if r.text += document.text; r.text > maxAllText {
			return fmt.Errorf("the bundle has more than %d bytes after its aliases are expanded", maxAllText)
		}
		return r.addValue(name, value)
	})
}

func (r *objectReader) addValue(file string, value any) error {
	content, ok := value.(map[string]any)
	if !ok {
		return fmt.Errorf("it must be a Kubernetes object, not %s", kindOf(value))
	}
	o := Object{File: file, Unstructured: unstructured.Unstructured{Object: content}}
	if o.GetAPIVersion() == "" || o.GetKind() == "" {
		return fmt.Errorf("a Kubernetes object requires apiVersion and kind")
	}
	if o.GetKind() == "List" && o.GetAPIVersion() == "v1" {
		return r.addItems(file, content["items"])
	}
	if name, ok := o.metadata()["name"]; ok && name != nil && !isString(name) {
		return fmt.Errorf("%s: metadata.name %s", o.GetKind(), mustBeString(name))
	}
	if o.GetName() == "" {
		return fmt.Errorf("%s: metadata.name is required", o.GetKind())
	}
	if len(r.objects) >= MaxObjects {
		return fmt.Errorf("the bundle has more than %d objects", MaxObjects)
	}
	r.objects = append(r.objects, o)
	return nil
}

// addItems adds the items of a List. The List itself is not an object: API servers do not accept it.
func (r *objectReader) addItems(file string, value any) error {
	items, ok := value.([]any)
	if !ok {
		return fmt.Errorf("the items of a List must be a list, not %s; use items: [] for an empty List", kindOf(value))
	}
	for i, item := range items {
		if m, ok := item.(map[string]any); ok && m["kind"] == "List" {
			return fmt.Errorf("item %d: nested Lists are not supported; move the items up", i+1)
		}
		if err := r.addValue(file, item); err != nil {
			return fmt.Errorf("item %d: %w", i+1, err)
		}
	}
	return nil
}

// kindOf returns the kind of a JSON value, for messages, such as "a list".
func kindOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case map[string]any:
		return "a mapping"
	case []any:
		return "a list"
	case string:
		return "a string"
	case bool:
		return "a boolean"
	}
	return "a number"
}
