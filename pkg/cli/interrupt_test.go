package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/openshift/platform-operators/pkg/cli/exit"
)

// largeCatalog writes a catalog with a package of many versions, between which semantic versioning has millions of edges.
func largeCatalog(t *testing.T, versions int) string {
	t.Helper()
	var content, entries bytes.Buffer
	fmt.Fprintln(&content, `{"schema": "olm.package", "name": "large", "defaultChannel": "stable"}`)
	for i := range versions {
		fmt.Fprintf(&content, `{"schema": "olm.bundle", "package": "large", "name": "large.v1.%d.0", "image": "registry.example.com/large:%d", `+
			`"properties": [{"type": "olm.package", "value": {"packageName": "large", "version": "1.%d.0"}}]}`+"\n", i, i, i)
		fmt.Fprintf(&entries, `%s{"name": "large.v1.%d.0"}`, map[bool]string{true: ", "}[i > 0], i)
	}
	fmt.Fprintf(&content, `{"schema": "olm.channel", "package": "large", "name": "stable", "entries": [%s]}`+"\n", entries.String())
	fmt.Fprintln(&content, `{"schema": "io.openshift.operators.upgrades.v1alpha1", "package": "large", "semantics": "semver"}`)
	directory := t.TempDir()
	if err := os.WriteFile(filepath.Join(directory, "catalog.json"), content.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return directory
}

// TestCLI_12_TheTimeoutEndsALargeGraph checks that the graph of a package with millions of edges ends with the time limit, whether it is
// computed or written then.
func TestCLI_12_TheTimeoutEndsALargeGraph(t *testing.T) {
	directory := largeCatalog(t, 5000)
	for _, format := range []string{"text", "mermaid", "dot", "json"} {
		began := time.Now()
		got := run(t, 0, "graph", "--package", "large", "--catalog-dir", directory, "-o", format, "--timeout", "1s")
		took := time.Since(began)
		t.Logf("%s: %s", format, took)
		if got.code != exit.Timeout || !strings.Contains(got.errOut, "raise --timeout") || took > 10*time.Second {
			t.Errorf("%s: got exit code %d after %s and standard error %q", format, got.code, took, got.errOut)
		}
	}
}
