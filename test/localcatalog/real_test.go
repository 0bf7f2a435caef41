package localcatalog_test

import (
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/v1/validate"

	"github.com/openshift/platform-operators/test/localcatalog"
	"github.com/openshift/platform-operators/test/realdata"
)

// served is a catalog in the shared data, and the expected result of serving the catalog.
type served struct {
	catalog  string
	packages []string
	entries  int // the minimum number; a bundle is counted once for each channel
	// published is the package and version of a bundle whose directory exists. It is empty for the certified catalog, which has none.
	published [2]string
}

func (s served) check(t *testing.T) {
	began := time.Now()
	server := start(t, localcatalog.Options{
		Catalogs: []string{realdata.Path(t, "catalogs/"+s.catalog)},
		Bundles:  []string{realdata.Path(t, "bundles")},
		Packages: s.packages,
	})
	t.Logf("serving after %s", time.Since(began))
	if got := len(listBundles(t, server)); got < s.entries {
		t.Errorf("%d channel entries, want at least %d", got, s.entries)
	}
	if s.published[0] == "" {
		return
	}
	ref, ok := server.Bundle(s.published[0], s.published[1])
	if !ok {
		t.Fatalf("bundle %v is not published", s.published)
	}
	if err := validate.Image(pull(t, ref)); err != nil {
		t.Error(err)
	}
}

// TestServesAPublishedPackageAndItsBundles is a fast part of TestServesRealCatalogsAndBundles that also runs with the race
// detector.
func TestServesAPublishedPackageAndItsBundles(t *testing.T) {
	served{"community-v4.20", []string{"project-quay"}, 50, [2]string{"project-quay", "3.18.0"}}.check(t)
}

func TestServesRealCatalogsAndBundles(t *testing.T) {
	for sentence, catalog := range map[string]served{
		"the community catalog": {"community-v4.20", nil, 803, [2]string{"nfs-provisioner-operator", "0.0.9"}},
		"the certified catalog": {"certified-v4.20", nil, 676, [2]string{}},
	} {
		t.Run(sentence, catalog.check)
	}
}
