package bundle

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// Where a bundle of files keeps its metadata, and the keys that its annotations use.
const (
	AnnotationsFile = "metadata/annotations.yaml"
	PropertiesFile  = "metadata/properties.yaml"

	AnnotationPackage   = "operators.operatorframework.io.bundle.package.v1"
	AnnotationMediaType = "operators.operatorframework.io.bundle.mediatype.v1"
	AnnotationManifests = "operators.operatorframework.io.bundle.manifests.v1"

	defaultManifests = "manifests"
)

// FormatError is that a bundle is of another format than the one that it was read as.
type FormatError struct {
	// Found is the format that the bundle is of, as its author wrote it, and Read the one that it was read as.
	Found, Read string
	// where is where the author says so.
	where string
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("reading %q: the bundle's format is %q; only %q is read here", e.where, e.Found, e.Read)
}

// LoadAnnotations reads metadata/annotations.yaml of a bundle that is read as some format. An absent file is an error that wraps
// fs.ErrNotExist, another format a FormatError.
func LoadAnnotations(fsys fs.FS, format string) (map[string]string, error) {
	data, err := ReadFile(fsys, AnnotationsFile)
	if err != nil {
		return nil, err
	}
	annotations, err := ParseAnnotations(data)
	if err != nil {
		return nil, fmt.Errorf("reading %q: %w", AnnotationsFile, err)
	}
	if found := annotations[AnnotationMediaType]; found != "" && found != format {
		return nil, &FormatError{Found: found, Read: format, where: AnnotationsFile}
	}
	if dir := ManifestsDir(annotations); !fs.ValidPath(dir) {
		return nil, fmt.Errorf("reading %q: annotation %q: %q is no path inside the bundle", AnnotationsFile, AnnotationManifests, dir)
	}
	return annotations, nil
}

// ManifestsDir is the directory of the bundle's objects: what the annotations say, else "manifests".
func ManifestsDir(annotations map[string]string) string {
	if dir := annotations[AnnotationManifests]; dir != "" {
		return strings.TrimSuffix(dir, "/")
	}
	return defaultManifests
}

// LoadProperties reads metadata/properties.yaml; a bundle without the file has none.
func LoadProperties(fsys fs.FS) ([]Property, error) {
	data, err := ReadFile(fsys, PropertiesFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	properties, err := ParseProperties(data)
	if err != nil {
		return nil, fmt.Errorf("reading %q: %w", PropertiesFile, err)
	}
	return properties, nil
}
