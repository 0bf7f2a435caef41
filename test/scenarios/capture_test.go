package scenarios

import (
	"context"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/utils/clock"

	configv1 "github.com/openshift/api/config/v1"

	"github.com/openshift/platform-operators/pkg/applyconfiguration"
	"github.com/openshift/platform-operators/pkg/capture"
	"github.com/openshift/platform-operators/pkg/mustgather"
	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/pkg/scenario/story"
	"github.com/openshift/platform-operators/test/samples"
)

var captures = flag.String("captures", "", "folder to write captured clusters to, which test/openshiftmanager has as its inputs; empty: do not write them")

// TestACaptureIsAnInput captures a cluster with an installed operator. A round on the capture finds nothing to do. Without a manager, it finds
// what somebody has changed.
func TestACaptureIsAnInput(t *testing.T) {
	t.Parallel()
	const name, version = "memo", "1.0.0"
	Run(t, []samples.Operator{{Package: name, Version: version}}, func(s *Story) {
		ctx := s.Context()
		s.create(ctx, name, "")
		s.Settle()
		s.Expect(s.Installed(ctx, name, version)).To(Succeed())
		s.reportVersion(ctx)
		s.Settle()
		s.Expect(s.mutationsOf(s.capture(ctx, "an-operator-is-installed"))).To(BeEmpty())

		s.KillManager()
		s.By("deleting the operator's Deployment")
		s.must(s.Admin.Kubernetes.AppsV1().Deployments(name).Delete(ctx, name, metav1.DeleteOptions{}))
		s.Settle()
		s.Expect(s.mutationsOf(s.capture(ctx, "a-deployment-was-deleted"))).To(ContainElement(MatchRegexp("Create/.*apps/deployments/.*-body-memo.yaml")))

		s.By("deleting the PlatformOperator")
		s.must(s.Admin.Platform.PlatformV1alpha1().PlatformOperators().Delete(ctx, name, metav1.DeleteOptions{}))
		s.Settle()
		s.Expect(s.mutationsOf(s.capture(ctx, "an-operator-is-removed"))).To(ContainElement(MatchRegexp("Delete/.*/bundledeployments/.*-body-memo.yaml")))
	})
}

// TestACaptureHasNoValuesOfSecrets captures a cluster with a bundle that has a Secret. A round on the capture finds nothing to do, and repairs
// another object of the bundle.
func TestACaptureHasNoValuesOfSecrets(t *testing.T) {
	t.Parallel()
	const name, version, password = "plainly", "1.0.0", "hunter2"
	operator := samples.Operator{Package: name, Version: version, Plain: true}
	offer := func(dir string) error {
		secret := []byte(`{apiVersion: v1, kind: Secret, metadata: {name: credentials}, stringData: {password: ` + password + `}}`)
		return errors.Join(samples.Write(dir, operator), os.WriteFile(filepath.Join(dir, "bundles", name, version, "manifests", "secret.yaml"), secret, 0o600))
	}
	RunFrom(t, Origin{Offer: offer}, func(s *Story) {
		ctx := s.Context()
		s.create(ctx, name, "")
		s.Settle()
		s.Expect(s.Installed(ctx, name, version)).To(Succeed())
		s.reportVersion(ctx)
		s.Settle()
		captured := s.capture(ctx, "")
		s.Expect(s.mutationsOf(captured)).To(BeEmpty())
		input, err := mustgather.Read(os.DirFS(captured), nil)
		s.must(err)
		for _, each := range input.Objects {
			s.Expect(fmt.Sprint(each.Object)).NotTo(Or(ContainSubstring(password), ContainSubstring(base64.StdEncoding.EncodeToString([]byte(password)))))
		}

		s.KillManager()
		deployment, err := s.Admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
		s.must(err)
		s.must(s.Admin.Kubernetes.CoreV1().Services(deployment.Spec.InstallNamespace).Delete(ctx, name+"-metrics", metav1.DeleteOptions{}))
		s.Settle()
		s.Expect(s.mutationsOf(s.capture(ctx, ""))).To(ContainElement(MatchRegexp("Create/.*core/services/.*-body-plainly-metrics.yaml")))
	})
}

// TestOM_8_AMustGatherIsAnInput collects the objects of a cluster as must-gather does: without CustomResourceDefinitions, ClusterRoles and the values
// of Secrets. Before, an admin deletes the operator's Deployment.
//
// Promise OM-8: A must-gather without CustomResourceDefinitions, ClusterRoles and the values of Secrets is an input, if its not-collected.yaml
// lists these resources. The output lists syncs that need them, and has none of their mutations. capture reduces a must-gather to the objects
// that a round reads.
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
		_, err = story.Read(filepath.Join(reduced, capture.StoryFile), s.verbs())
		s.must(err)
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

// reportVersion creates ClusterOperator kube-apiserver, from which apply-configuration takes the version of the API server.
func (s *Story) reportVersion(ctx context.Context) {
	s.Helper()
	operators := s.Admin.Dynamic.Resource(configv1.GroupVersion.WithResource("clusteroperators"))
	made, err := operators.Create(ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": configv1.GroupVersion.String(), "kind": "ClusterOperator", "metadata": map[string]any{"name": "kube-apiserver"}, "spec": map[string]any{},
	}}, metav1.CreateOptions{})
	s.must(err)
	made.Object["status"] = map[string]any{"versions": []any{map[string]any{"name": "kube-apiserver", "version": strings.TrimPrefix(scenario.DefaultKubernetesVersion, "v")}}}
	_, err = operators.UpdateStatus(ctx, made, metav1.UpdateOptions{})
	s.must(err)
}

// capture captures the cluster into a directory, and into the folder of -captures under the given name. An empty name writes only the former.
func (s *Story) capture(ctx context.Context, name string) string {
	s.Helper()
	client, err := dynamic.NewForConfig(s.ClientConfig(scenario.AdminUser))
	s.must(err)
	result, err := capture.Capture(ctx, capture.Cluster{Client: client}, scenario.DefaultKubernetesVersion, time.Now(), func(text string) { s.Log(text) })
	s.must(err)
	s.must(result.Errs)
	dir := filepath.Join(s.TempDir(), "captured")
	s.must(mustgather.Write(dir, result.Objects, result.NotCollected))
	if *captures != "" && name != "" {
		target := filepath.Join(*captures, name, "input-dir")
		s.must(os.RemoveAll(target))
		s.must(os.CopyFS(target, os.DirFS(dir)))
	}
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
