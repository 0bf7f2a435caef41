package catalogs

import (
	"errors"
	"fmt"
	"os"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/openshift/platform-operators/pkg/cli/exit"
)

// Argument returns the catalog that an argument DIR|IMAGE selects: the file-based catalog in the directory with this name if there is one,
// or else the catalog image with this reference. Its errors have code exit.Usage.
func Argument(argument string) (Source, error) {
	info, err := os.Stat(argument)
	switch {
	case err == nil && info.IsDir():
		return Directory(argument), nil
	case err == nil:
		return Source{}, exit.With(exit.Usage, fmt.Errorf("%q is a file: name the directory of the file-based catalog", argument))
	case !errors.Is(err, os.ErrNotExist):
		return Source{}, exit.With(exit.Usage, fmt.Errorf("reading %q: %w", argument, err))
	}
	// The parser would complete a reference without a registry, or without a tag and digest, with defaults. Such an argument is more likely
	// a mistyped directory name.
	if _, err := name.ParseReference(argument, name.StrictValidation); err != nil {
		return Source{}, exit.With(exit.Usage, fmt.Errorf("%q is neither a directory nor a reference of an image like registry.example.com/catalog:v1",
			argument))
	}
	return Image(argument), nil
}
