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
		return nil, fmt.Errorf("reading directory %q: %d files, more than the %d that are read", dir, len(entries), MaxFiles)
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
			return nil, fmt.Errorf("reading %q: the files up to it have more than the %d bytes that are read", name, MaxBytes)
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
		return fmt.Errorf("sub-directories are not allowed among the manifests; move its files up")
	case strings.HasPrefix(entry.Name(), "."):
		return fmt.Errorf("hidden files are not allowed among the manifests; remove it")
	case !entry.Type().IsRegular():
		return fmt.Errorf("only regular files are allowed among the manifests; this is a %s", entry.Type())
	}
	switch path.Ext(entry.Name()) {
	case ".yaml", ".yml", ".json":
		return nil
	}
	return fmt.Errorf("only .yaml, .yml and .json files are allowed among the manifests; remove it")
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
			return nil, fmt.Errorf("reading %q: %d bytes, more than the %d that are read", name, info.Size(), MaxFileBytes)
		}
		size = int(info.Size())
	}
	data, err := readAll(io.LimitReader(f, MaxFileBytes+1), size)
	if err != nil {
		return nil, fmt.Errorf("reading %q: %w", name, err)
	}
	if len(data) > MaxFileBytes {
		return nil, fmt.Errorf("reading %q: more than the %d bytes that are read", name, MaxFileBytes)
	}
	if !utf8.Valid(data) {
		return nil, fmt.Errorf("reading %q: not UTF-8 text", name)
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
	// values and text are the numbers of values and of bytes that all documents expanded to.
	values, text int
}

func (r *objectReader) addFile(name string, data []byte) error {
	return visitDocuments(data, func(_ int, root *yaml.Node) error {
		document := &converter{}
		value, err := document.convert(root, 0)
		if err != nil {
			return err
		}
		if r.values += document.values; r.values > maxAllValues {
			return fmt.Errorf("more than %d values in the bundle once aliases are expanded", maxAllValues)
		}
		if r.text += document.text; r.text > maxAllText {
			return fmt.Errorf("more than %d bytes in the bundle once aliases are expanded", maxAllText)
		}
		return r.addValue(name, value)
	})
}

func (r *objectReader) addValue(file string, value any) error {
	content, ok := value.(map[string]any)
	if !ok {
		return fmt.Errorf("not a Kubernetes object but a %s", kindOf(value))
	}
	o := Object{File: file, Unstructured: unstructured.Unstructured{Object: content}}
	if o.GetAPIVersion() == "" || o.GetKind() == "" {
		return fmt.Errorf("not a Kubernetes object: apiVersion and kind are needed")
	}
	if o.GetKind() == "List" && o.GetAPIVersion() == "v1" {
		return r.addItems(file, content["items"])
	}
	if name, ok := o.metadata()["name"]; ok && name != nil && !isString(name) {
		return fmt.Errorf("%s: metadata.name is no string; put it in quotes", o.GetKind())
	}
	if o.GetName() == "" {
		return fmt.Errorf("%s without metadata.name", o.GetKind())
	}
	if len(r.objects) >= MaxObjects {
		return fmt.Errorf("more than %d objects in the bundle", MaxObjects)
	}
	r.objects = append(r.objects, o)
	return nil
}

// addItems adds the items of a List. The List itself is not an object: API servers do not accept it.
func (r *objectReader) addItems(file string, value any) error {
	items, ok := value.([]any)
	if !ok {
		return fmt.Errorf("a List whose items are no list but a %s; write items: [] where there are none", kindOf(value))
	}
	for i, item := range items {
		if m, ok := item.(map[string]any); ok && m["kind"] == "List" {
			return fmt.Errorf("item %d: a List inside a List is not read", i)
		}
		if err := r.addValue(file, item); err != nil {
			return fmt.Errorf("item %d: %w", i, err)
		}
	}
	return nil
}

func kindOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case map[string]any:
		return "mapping"
	case []any:
		return "list"
	case string:
		return "string"
	case bool:
		return "boolean"
	}
	return "number"
}
