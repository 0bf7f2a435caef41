package bundle

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/truncate"
)

// Files and directories of a bundle's metadata, and the keys of its annotations.
const (
	AnnotationsFile = "metadata/annotations.yaml"
	PropertiesFile  = "metadata/properties.yaml"

	AnnotationPackage   = "operators.operatorframework.io.bundle.package.v1"
	AnnotationMediaType = "operators.operatorframework.io.bundle.mediatype.v1"
	AnnotationManifests = "operators.operatorframework.io.bundle.manifests.v1"

	defaultManifests = "manifests"
)

// FormatError reports that a bundle's format differs from the format that its reader expects.
type FormatError struct {
	// Actual is the bundle's format, as its author wrote it. Expected is the format that the reader expects.
	Actual, Expected string
	// File is the file that declares the format.
	File string
	// Undeclared is true if File does not exist. Actual is then the format that the manifests indicate.
	Undeclared bool
	// ActualErr is the error from reading the bundle in the format Actual. It is nil if the bundle can be read in that format, or if this
	// was not tried. The function Load of package formats sets it.
	ActualErr error
}

func (e *FormatError) Error() string {
	text := fmt.Sprintf("reading %q: the bundle's format is %s, but the provisioner class reads only %q",
		e.File, truncate.Quote(e.Actual), e.Expected)
	if e.Undeclared {
		text = fmt.Sprintf("reading %q: the file does not exist, and no manifest is a ClusterServiceVersion, so the bundle's format is %q, "+
			"but the provisioner class reads only %q", e.File, e.Actual, e.Expected)
	}
	if e.ActualErr != nil {
		text = fmt.Sprintf("%s; read as %s, the bundle cannot be installed either: %v", text, e.Actual, e.ActualErr)
	}
	return text
}

// Unwrap returns ActualErr.
func (e *FormatError) Unwrap() error { return e.ActualErr }

// Class returns the shipped ProvisionerClass for the format Actual. It is empty if there is none, or if the bundle has an error in that
// format.
func (e *FormatError) Class() string {
	if e.ActualErr != nil {
		return ""
	}
	return corev1alpha2.ClassOf(e.Actual)
}

// maxAnnotation is the maximum size, in bytes, of the values that LoadAnnotations checks. Paths and package names are far shorter.
const maxAnnotation = 1024

// LoadAnnotations reads metadata/annotations.yaml of a bundle. If the file does not exist, the error wraps fs.ErrNotExist. If the file
// declares a format other than the given one, the error is a *FormatError. The file need not declare a format.
func LoadAnnotations(fsys fs.FS, format string) (map[string]string, error) {
	data, err := ReadFile(fsys, AnnotationsFile)
	if err != nil {
		return nil, err
	}
	annotations, err := ParseAnnotations(data)
	if err != nil {
		return nil, fmt.Errorf("reading %q: %w", AnnotationsFile, err)
	}
	for _, key := range []string{AnnotationPackage, AnnotationMediaType, AnnotationManifests} {
		if value := annotations[key]; len(value) > maxAnnotation {
			return nil, fmt.Errorf("reading %q: annotation %q has %d bytes, but at most %d are allowed; it begins with %s; "+
				"shorten it and rebuild the bundle", AnnotationsFile, key, len(value), maxAnnotation, truncate.Quote(value))
		}
	}
	if found := annotations[AnnotationMediaType]; found != "" && found != format {
		return nil, &FormatError{Actual: found, Expected: format, File: AnnotationsFile}
	}
	if dir := ManifestsDir(annotations); !fs.ValidPath(dir) {
		return nil, fmt.Errorf("reading %q: annotation %q: %s is not a path inside the bundle; use the name of a directory, such as manifests/",
			AnnotationsFile, AnnotationManifests, truncate.Quote(dir))
	}
	return annotations, nil
}

// ManifestsDir returns the directory with the bundle's objects: the one in the annotations, without a trailing slash, or else "manifests".
func ManifestsDir(annotations map[string]string) string {
	if dir := annotations[AnnotationManifests]; dir != "" {
		return strings.TrimSuffix(dir, "/")
	}
	return defaultManifests
}

// LoadProperties reads metadata/properties.yaml. It returns nil and no error if the file does not exist.
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
