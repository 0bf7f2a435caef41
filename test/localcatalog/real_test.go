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

func TestServesRealCatalogsAndBundles(t *testing.T) {
	needSharedData(t)
	for sentence, test := range map[string]struct {
		catalog  string
		packages []string
		entries  int // at least; a bundle counts once a channel
		// published is a bundle whose directory is there; the certified catalog has none.
		published [2]string
	}{
		"one package":           {"community-v4.20", []string{"project-quay"}, 50, [2]string{"project-quay", "3.18.0"}},
		"the community catalog": {"community-v4.20", nil, 803, [2]string{"nfs-provisioner-operator", "0.0.9"}},
		"the certified catalog": {"certified-v4.20", nil, 676, [2]string{}},
	} {
		t.Run(sentence, func(t *testing.T) {
			began := time.Now()
			server := start(t, localcatalog.Options{
				Catalogs: []string{sharedData + "/catalogs/" + test.catalog},
				Bundles:  []string{sharedData + "/bundles"},
				Packages: test.packages,
			})
			t.Logf("serving after %s", time.Since(began))
			if got := len(listBundles(t, server)); got < test.entries {
				t.Errorf("%d channel entries, want at least %d", got, test.entries)
			}
			if test.published[0] == "" {
				return
			}
			ref, ok := server.Bundle(test.published[0], test.published[1])
			if !ok {
				t.Fatalf("bundle %v is not published", test.published)
			}
			if err := validate.Image(pull(t, ref)); err != nil {
				t.Error(err)
			}
		})
	}
}
