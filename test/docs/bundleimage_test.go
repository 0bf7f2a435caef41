package docs

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/openshift/platform-operators/pkg/bundle/formats"
)

var (
	// fileBlock matches a code block of a page that begins with the name of its file.
	fileBlock = regexp.MustCompile("```yaml\n# ((?:manifests|metadata)/[a-z]+\\.yaml)\n((?s:.*?))```")
	copyLine  = regexp.MustCompile(`(?m)^COPY (\S+) /(\S+)$`)
)

// TestBundleOfThePageIsABundle checks that the files of docs/tasks/build-a-bundle-image.md, in an image that its Containerfile builds, are
// the bundle that the page describes.
func TestBundleOfThePageIsABundle(t *testing.T) {
	page, err := os.ReadFile("../../docs/tasks/build-a-bundle-image.md")
	if err != nil {
		t.Fatal(err)
	}
	image := fstest.MapFS{}
	for _, file := range fileBlock.FindAllStringSubmatch(string(page), -1) {
		for _, line := range copyLine.FindAllStringSubmatch(string(page), -1) {
			if rest, isCopied := strings.CutPrefix(file[1], line[1]); isCopied {
				image[line[2]+rest] = &fstest.MapFile{Data: []byte(file[2])}
			}
		}
	}
	if len(image) != 3 {
		t.Fatalf("the image has the files %v", image)
	}
	loaded, err := formats.Load(image, "plain+v0")
	if err != nil {
		t.Fatal(err)
	}
	if got := loaded.Metadata(); got.Package != "hello" || got.Version != "1.0.0" {
		t.Errorf("the bundle is %+v", got)
	}
}
