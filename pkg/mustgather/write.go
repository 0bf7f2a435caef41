package mustgather

import (
	"errors"
	"fmt"
	"os"
	"path"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/openshift/platform-operators/pkg/truncate"
)

// Only the user can read the written files: the objects of a cluster may be confidential even without the values of Secrets.
const (
	folderMode = 0o700
	fileMode   = 0o600
)

// outputFile is a file to write.
type outputFile struct {
	path   string
	object Object
}

// Write writes objects to a directory, from which Read returns the same objects. It creates the directory, and returns an error if the
// directory is not empty. Each object gets a file of its own, whose path depends on Object.Resource. The bytes do not depend on the order of
// the objects. Write writes nothing if two objects have the same path, or if an object has none. It keeps the values of Secrets; see Elide.
func Write(dir string, objects []Object, notCollected NotCollected) error {
	files, err := outputFiles(objects)
	if err != nil {
		return err
	}
	if err := notCollected.validate(); err != nil {
		return fmt.Errorf("file %q: %w", notCollectedFile, err)
	}
	root, err := openEmpty(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // only a handle; files are closed after each write
	// Read expects one of the folders of the layout, even if there are no objects.
	if err := root.Mkdir(clusterScopedFolder, folderMode); err != nil {
		return err
	}
	for _, file := range files {
		if err := writeFile(root, file.path, file.object.Object); err != nil {
			return err
		}
	}
	if notCollected.isEmpty() {
		return nil
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&notCollected)
	if err != nil {
		return err
	}
	return writeFile(root, notCollectedFile, content)
}

// outputFiles returns the files of objects, sorted by object.
func outputFiles(objects []Object) ([]outputFile, error) {
	var faults faults
	files := make([]outputFile, 0, len(objects))
	byPath := make(map[string]Object, len(objects))
	for _, object := range sorted(objects) {
		at := locationOf(object)
		err := at.validate()
		if err == nil {
			err = at.check(object.Unstructured, nil)
		}
		if other, isRepeated := byPath[at.path()]; err == nil && isRepeated {
			err = fmt.Errorf("its file %s is also that of %s", quotePath(at.path()), other.subject())
			if keyOf(other) == keyOf(object) {
				err = errors.New("the object is given twice")
			}
		}
		if err == nil && at.resource.WithVersion(object.GroupVersionKind().Version) != object.Resource {
			err = fmt.Errorf("apiVersion is %s, but the version of the resource is %s",
				truncate.Quote(object.GetAPIVersion()), truncate.Quote(object.Resource.Version))
		}
		if err != nil {
			faults.add(object.subject(), err)
			continue
		}
		byPath[at.path()] = object
		files = append(files, outputFile{path: at.path(), object: object})
	}
	return files, faults.err()
}

// openEmpty opens an empty directory, and creates it if it does not exist.
func openEmpty(dir string) (*os.Root, error) {
	if err := os.MkdirAll(dir, folderMode); err != nil {
		return nil, fmt.Errorf("creating output directory %s: %w; choose a different one", quotePath(dir), err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("reading output directory %s: %w", quotePath(dir), err)
	}
	if len(entries) > 0 {
		return nil, fmt.Errorf("output directory %s is not empty; empty it, or choose a different one", quotePath(dir))
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("opening output directory %s: %w", quotePath(dir), err)
	}
	return root, nil
}

func writeFile(root *os.Root, name string, content map[string]any) error {
	text, err := marshal(content)
	if err == nil {
		err = root.MkdirAll(path.Dir(name), folderMode)
	}
	if err == nil {
		err = root.WriteFile(name, text, fileMode)
	}
	if err != nil {
		return fmt.Errorf("writing file %s: %w", quotePath(name), err)
	}
	return nil
}
