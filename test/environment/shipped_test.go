package environment

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTheManagerHasTheMemoryLimitOfItsDeployment(t *testing.T) {
	const deployment = `{apiVersion: apps/v1, kind: Deployment, spec: {template: {spec: {containers: [{name: platform-operators, env: [
		{name: RELEASE_VERSION, value: 0.0.1}, {name: GOMEMLIMIT, value: 200MiB}]}]}}}}`
	for name, tc := range map[string]struct {
		files   map[string]string
		want    []string
		refused bool
	}{
		"the limit, and nothing that names a release": {map[string]string{"50-deployment.yaml": deployment, "40-service.yaml": "{kind: Service}"}, []string{"GOMEMLIMIT=200MiB"}, false},
		"no Deployment":               {map[string]string{"40-service.yaml": "{kind: Service}"}, nil, true},
		"two of them":                 {map[string]string{"50-deployment.yaml": deployment, "51-deployment.yaml": deployment}, nil, true},
		"a field that does not exist": {map[string]string{"50-deployment.yaml": "{specification: {}}"}, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, content := range tc.files {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			got, err := shippedEnv(dir)
			if (err != nil) != tc.refused {
				t.Fatalf("got error %v, want one: %t", err, tc.refused)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
