package scenarios

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/utils/clock"

	"github.com/openshift/platform-operators/pkg/applyconfiguration"
	"github.com/openshift/platform-operators/pkg/capture"
	"github.com/openshift/platform-operators/pkg/mustgather"
	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/test/samples"
)

// TestACaptureIsAnInput captures a cluster with an installed operator. A round on the capture finds nothing to do, and finds what somebody has
// changed in it.
func TestACaptureIsAnInput(t *testing.T) {
	t.Parallel()
	const name, version = "memo", "1.0.0"
	Run(t, []samples.Operator{{Package: name, Version: version}}, func(s *Story) {
		ctx := s.Context()
		s.create(ctx, name, "")
		s.Settle()
		s.Expect(s.Installed(ctx, name, version)).To(Succeed())

		s.By("capturing it")
		s.Expect(s.mutationsOf(s.capture(ctx))).To(BeEmpty(), "nothing is to do")

		s.By("capturing it without a manager, after somebody deleted the Deployment")
		s.KillManager()
		s.must(s.Admin.Kubernetes.AppsV1().Deployments(name).Delete(ctx, name, metav1.DeleteOptions{}))
		s.Settle()
		s.Expect(s.mutationsOf(s.capture(ctx))).To(ContainElement(ContainSubstring("apps/deployments")), "the round shows what is to do")
	})
}

// TestOM_8_AMustGatherIsAnInput takes the objects of a cluster as must-gather does: without CustomResourceDefinitions, ClusterRoles and the values
// of Secrets. Somebody has deleted the operator's Deployment.
//
// Promise OM-8: A must-gather without CustomResourceDefinitions, ClusterRoles and the values of Secrets is an input. Syncs that need them are
// listed and change nothing. capture reduces it to what is read.
func TestOM_8_AMustGatherIsAnInput(t *testing.T) {
	t.Parallel()
	const name, version = "memo", "1.0.0"
	Run(t, []samples.Operator{{Package: name, Version: version}}, func(s *Story) {
		ctx := s.Context()
		s.create(ctx, name, "")
		s.Settle()
		s.Expect(s.Installed(ctx, name, version)).To(Succeed())
		s.KillManager()
		s.must(s.Admin.Kubernetes.AppsV1().Deployments(name).Delete(ctx, name, metav1.DeleteOptions{}))
		s.Settle()

		gathered := filepath.Join(s.TempDir(), "must-gather")
		s.mustGather(ctx, gathered)
		s.Expect(s.mutationsOf(gathered)).To(BeEmpty(), "the revision's values are missing")

		s.By("capturing the must-gather")
		reduced := filepath.Join(s.TempDir(), "reduced")
		options := capture.Options{MustGather: gathered, OutputDir: reduced, KubernetesVersion: scenario.DefaultKubernetesVersion, Clock: clock.RealClock{}}
		summary, err := capture.Run(ctx, options, func(string) {})
		s.must(err)
		s.Log(summary)
		s.Expect(s.mutationsOf(reduced)).To(BeEmpty())
		whole, err := mustgather.Read(os.DirFS(gathered), nil)
		s.must(err)
		less, err := mustgather.Read(os.DirFS(reduced), nil)
		s.must(err)
		s.Expect(len(less.Objects)).To(BeNumerically("<", len(whole.Objects)))
	})
}

// mustGather writes the objects of the cluster as must-gather does.
func (s *Story) mustGather(ctx context.Context, dir string) {
	s.Helper()
	all, err := s.Objects(ctx)
	s.must(err)
	lacks := mustgather.NotCollected{Resources: []metav1.GroupResource{
		{Group: "apiextensions.k8s.io", Resource: "customresourcedefinitions"},
		{Group: "rbac.authorization.k8s.io", Resource: "clusterroles"}, {Group: "rbac.authorization.k8s.io", Resource: "clusterrolebindings"},
	}}
	var objects []mustgather.Object
	for resource, found := range all {
		if lacks.Has(resource, "", "") {
			continue
		}
		for i := range found {
			mustgather.Elide(&found[i])
			objects = append(objects, mustgather.Object{Unstructured: &found[i], Resource: resource.WithVersion(found[i].GroupVersionKind().Version)})
		}
	}
	s.must(mustgather.Write(dir, objects, lacks))
}

// capture captures the cluster into a directory.
func (s *Story) capture(ctx context.Context) string {
	s.Helper()
	client, err := dynamic.NewForConfig(s.ClientConfig(scenario.AdminUser))
	s.must(err)
	result, err := capture.Capture(ctx, capture.Cluster{Client: client}, scenario.DefaultKubernetesVersion, time.Now(), func(text string) { s.Log(text) })
	s.must(err)
	s.must(result.Errs)
	dir := filepath.Join(s.TempDir(), "captured")
	s.must(mustgather.Write(dir, result.Objects, result.NotCollected))
	return dir
}

// mutationsOf returns the paths of the bodies of the mutations of a round on an input directory.
func (s *Story) mutationsOf(dir string) []string {
	s.Helper()
	output := filepath.Join(s.TempDir(), "output")
	s.must(applyconfiguration.Run(s.Context(), applyconfiguration.Options{
		InputDir: dir, OutputDir: output, Controllers: []string{"*"}, Now: time.Now().Format(time.RFC3339), Timeout: time.Hour,
		KubernetesVersion: scenario.DefaultKubernetesVersion,
	}))
	missing, err := os.ReadFile(filepath.Join(output, "Configuration", "missing-content.yaml"))
	s.must(err)
	s.Logf("%s", missing)
	var found []string
	s.must(filepath.WalkDir(output, func(path string, _ fs.DirEntry, err error) error {
		if strings.Contains(path, "-body-") {
			found = append(found, path)
		}
		return err
	}))
	return found
}
