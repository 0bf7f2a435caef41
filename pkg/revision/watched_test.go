package revision

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

func TestHRD_U8_WatchedNamespaces(t *testing.T) {
	for config, want := range map[string][]string{
		"":                                    nil,
		"{}":                                  nil,
		"no JSON":                             nil,
		`{"watchNamespace": 7}`:               nil,
		`{"watchNamespace": "a"}`:             {"a"},
		`{"watchNamespace": "a,own"}`:         {"a"},
		`{"watchNamespace": "A, ,b,"}`:        {"b"},
		`{"watchNamespace": "a,b,c,d,e,f,g"}`: {"a", "b", "c", "d", "e"},
	} {
		t.Run(config, func(t *testing.T) {
			spec := corev1alpha2.BundleDeploymentSpec{InstallNamespace: "own"}
			if config != "" {
				spec.Config = &runtime.RawExtension{Raw: []byte(config)}
			}
			if diff := cmp.Diff(want, append([]string(nil), WatchedNamespaces(spec)...)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestHRD_U8_WarningsAboutWatchedNamespaces(t *testing.T) {
	others := []string{"x", "y"}
	with := WithWatchedNamespaces(others, nil, []string{"b"})
	if len(with) != 3 || !strings.HasPrefix(with[2], "Namespace b, which spec.config.watchNamespace names, does not exist: create it") {
		t.Fatalf("got %q", with)
	}
	if diff := cmp.Diff(with, WithWatchedNamespaces(with, nil, []string{"b"})); diff != "" {
		t.Errorf("the second time (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(with, WithWatchedNamespaces(with, []string{"b"}, nil)); diff != "" {
		t.Errorf("before it is checked again (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(others, WithWatchedNamespaces(with, nil, nil)); diff != "" {
		t.Errorf("when it exists or is not named any more (-want +got):\n%s", diff)
	}
	if got := WithWatchedNamespaces(make([]string, maxWarnings), nil, []string{"a"}); len(got) != maxWarnings {
		t.Errorf("%d warnings", len(got))
	}
}
