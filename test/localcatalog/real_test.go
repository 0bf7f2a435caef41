package localcatalog_test

import (
	"os"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/v1/validate"

	"github.com/openshift/platform-operators/test/localcatalog"
)

const sharedData = "../../../shared/data"

// needSharedData skips a test where the real catalogs and bundles are not beside the repository.
func needSharedData(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(sharedData); err != nil {
		t.Skipf("the real catalogs and bundles are not there: %v", err)
	}
}

// served is what the local catalog is given of the shared data, and what has to come of it.
type served struct {
	catalog  string
	packages []string
	entries  int // at least; a bundle counts once a channel
	// published is a bundle whose directory is there; the certified catalog has none.
	published [2]string
}

func (s served) check(t *testing.T) {
	began := time.Now()
	server := start(t, localcatalog.Options{
		Catalogs: []string{sharedData + "/catalogs/" + s.catalog},
		Bundles:  []string{sharedData + "/bundles"},
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

// It is what the race detector gets to see of the test below.
func TestServesAPublishedPackageAndItsBundles(t *testing.T) {
	needSharedData(t)
	served{"community-v4.20", []string{"project-quay"}, 50, [2]string{"project-quay", "3.18.0"}}.check(t)
}

func TestServesRealCatalogsAndBundles(t *testing.T) {
	needSharedData(t)
	for sentence, catalog := range map[string]served{
		"the community catalog": {"community-v4.20", nil, 803, [2]string{"nfs-provisioner-operator", "0.0.9"}},
		"the certified catalog": {"certified-v4.20", nil, 676, [2]string{}},
	} {
		t.Run(sentence, catalog.check)
	}
}
