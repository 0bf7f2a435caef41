package cluster

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/client-go/tools/clientcmd"
)

func TestCLI_12_AKubeconfigWithoutClusterIsNamed(t *testing.T) {
	empty, missing := filepath.Join(t.TempDir(), "empty"), filepath.Join(t.TempDir(), "missing")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		rules clientcmd.ClientConfigLoadingRules
		want  []string
	}{
		"NothingSet": {clientcmd.ClientConfigLoadingRules{Precedence: []string{clientcmd.RecommendedHomeFile}},
			[]string{"set KUBECONFIG or --kubeconfig to"}},
		"Missing": {clientcmd.ClientConfigLoadingRules{Precedence: []string{missing}},
			[]string{`missing" of KUBECONFIG does not exist; set KUBECONFIG to`}},
		"MissingAndEmpty": {clientcmd.ClientConfigLoadingRules{Precedence: []string{missing, "", empty}},
			[]string{`missing" of KUBECONFIG does not exist, file `, `empty" of KUBECONFIG has no cluster; set KUBECONFIG to`}},
		"EmptyFlag": {clientcmd.ClientConfigLoadingRules{ExplicitPath: empty},
			[]string{`empty" of --kubeconfig has no cluster; set --kubeconfig to`}},
	} {
		access := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(&test.rules, &clientcmd.ConfigOverrides{}).ConfigAccess()
		text := noClusterError(access).Error()
		for _, want := range test.want {
			if !strings.Contains(text, want) || !strings.HasPrefix(text, "no cluster is configured: ") {
				t.Errorf("%s: got %q, want %q", name, text, want)
			}
		}
	}
}
