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
		if err == nil || !errors.Is(err, errNotJSON) || !strings.Contains(err.Error(), "the server answers with a page in HTML instead of a catalog") {
			t.Errorf("%q: got %v", page, err)
		}
	}
}
