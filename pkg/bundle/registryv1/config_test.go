package registryv1_test

import (
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/openshift/platform-operators/pkg/bundle/registryv1"
)

func TestParseConfig(t *testing.T) {
	for _, nothing := range []string{"", " \n", "null", "{}", `{"deploymentConfig": null, "watchNamespace": null}`} {
		got, err := registryv1.ParseConfig([]byte(nothing))
		if diff := gocmp.Diff(registryv1.Config{}, got); diff != "" || err != nil {
			t.Errorf("%q: %v (-want +got):\n%s", nothing, err, diff)
		}
	}
	got, err := registryv1.ParseConfig([]byte(`{"watchNamespace": "a", "deploymentConfig": {"nodeSelector": {"a": "b"}}}`))
	want := registryv1.Config{WatchNamespace: "a", DeploymentConfig: &registryv1.DeploymentConfig{NodeSelector: map[string]string{"a": "b"}}}
	if diff := gocmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestParseConfigRefuses(t *testing.T) {
	cases := map[string]struct{ raw, want string }{
		"what is no JSON":                 {`{"a"`, `spec.config: unexpected EOF`},
		"two values":                      {`{} {}`, `spec.config: it must be one JSON value, not several`},
		"a text":                          {`"a"`, `spec.config: a string is given where a mapping is required`},
		"a field that does not exist":     {`{"watchNamespaces": "a"}`, `spec.config: unknown field "watchNamespaces"; the fields are deploymentConfig, watchNamespace`},
		"a field in other letters":        {`{"WatchNamespace": "a"}`, `spec.config: unknown field "WatchNamespace"; the fields are deploymentConfig, watchNamespace`},
		"a namespace that is a number":    {`{"watchNamespace": 1}`, `spec.config.watchNamespace: a number is given where a string is required`},
		"namespaces that are a list":      {`{"watchNamespace": ["a"]}`, `spec.config.watchNamespace: a list is given where a string is required`},
		"a deployment's unknown field":    {`{"deploymentConfig": {"selector": {}}}`, `spec.config.deploymentConfig: unknown field "selector"; the fields are affinity, annotations, env, envFrom, nodeSelector, resources, tolerations, volumeMounts, volumes`},
		"an unknown field deep inside":    {`{"deploymentConfig": {"env": [{"nme": "a"}]}}`, `spec.config.deploymentConfig.env: unknown field "nme"`},
		"a quantity that is none":         {`{"deploymentConfig": {"resources": {"limits": {"cpu": "much"}}}}`, `spec.config.deploymentConfig.resources: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'`},
		"a label that is a number":        {`{"deploymentConfig": {"nodeSelector": {"a": 1}}}`, `spec.config.deploymentConfig.nodeSelector: a number is given where a string is required`},
		"a variable without name":         {`{"deploymentConfig": {"env": [{"name": "A"}, {"value": "b"}]}}`, `spec.config.deploymentConfig.env[1].name is required`},
		"a variable twice":                {`{"deploymentConfig": {"env": [{"name": "A"}, {"name": "B"}, {"name": "A"}]}}`, `spec.config.deploymentConfig.env[2].name: "A" occurs twice, first in spec.config.deploymentConfig.env[0]; remove one`},
		"a volume without name":           {`{"deploymentConfig": {"volumes": [{"emptyDir": {}}]}}`, `spec.config.deploymentConfig.volumes[0].name is required`},
		"a mount of no volume":            {`{"deploymentConfig": {"volumeMounts": [{"mountPath": "/a"}]}}`, `spec.config.deploymentConfig.volumeMounts[0].name is required: it is the name of the volume to mount`},
		"a mount nowhere":                 {`{"deploymentConfig": {"volumeMounts": [{"name": "a"}]}}`, `spec.config.deploymentConfig.volumeMounts[0].mountPath is required`},
		"two mounts at one path":          {`{"deploymentConfig": {"volumeMounts": [{"name": "a", "mountPath": "/a"}, {"name": "b", "mountPath": "/a"}]}}`, `spec.config.deploymentConfig.volumeMounts[1].mountPath: "/a" occurs twice, first in spec.config.deploymentConfig.volumeMounts[0]; remove one`},
		"a boolean for a list":            {`{"deploymentConfig": {"tolerations": true}}`, `spec.config.deploymentConfig.tolerations: a boolean is given where a list is required`},
		"a mapping for a list":            {`{"deploymentConfig": {"env": {"A": "b"}}}`, `spec.config.deploymentConfig.env: a mapping is given where a list is required`},
		"a fraction for an integer":       {`{"deploymentConfig": {"tolerations": [{"tolerationSeconds": 1.5}]}}`, `spec.config.deploymentConfig.tolerations.tolerationSeconds: a number 1.5 is given where an integer is required`},
		"more than anybody has to say":    {`{"watchNamespace": "` + strings.Repeat("a", 256<<10) + `"}`, `spec.config: it has 262166 bytes, but at most 262144 are allowed`},
		"a long field name, which is cut": {`{"` + strings.Repeat("a", 1000) + `": 1}`, `spec.config: unknown field "` + strings.Repeat("a", 80) + `"…; the fields are deploymentConfig, watchNamespace`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if _, err := registryv1.ParseConfig([]byte(c.raw)); err == nil || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}
