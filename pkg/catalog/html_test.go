package catalog

import (
	"errors"
	"strings"
	"testing"
)

// TestAPageInHTMLIsNoCatalog checks the error about a server that answers with a page for people and status 200, as proxies and logins do.
func TestAPageInHTMLIsNoCatalog(t *testing.T) {
	for _, page := range []string{"<!DOCTYPE html><html><body>Log in</body></html>", "\n <html>"} {
		_, _, err := ReadServed(strings.NewReader(page), nil, nil)
		if err == nil || !errors.Is(err, errNotJSON) {
			t.Fatalf("%q: got %v", page, err)
		}
		const want = "the server sent an HTML page instead of a catalog; check the catalog's address, and any proxy or login page in front of it"
		if !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%q: got %v, want it to end with the remedy", page, err)
		}
	}
}
