package scenarios

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"

	"github.com/openshift/library-go/pkg/manifestclient"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/applyconfiguration"
	"github.com/openshift/platform-operators/pkg/capture"
	"github.com/openshift/platform-operators/pkg/declaredresources"
	"github.com/openshift/platform-operators/pkg/manifestserver"
	"github.com/openshift/platform-operators/pkg/mustgather"
	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/pkg/store"
	"github.com/openshift/platform-operators/test/declarations"
	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/samples"
)

// maxQuietRounds is the maximum number of rounds until nothing changes.
const maxQuietRounds = 40

// TestRoundsInstallAnOperator runs no manager. It runs apply-configuration on the objects of the cluster, sends the mutations to the cluster,
// and repeats this until there are none.
func TestRoundsInstallAnOperator(t *testing.T) {
	t.Parallel()
	const name, version = "memo", "1.0.0"
	RunFrom(t, Origin{Offer: sampleWriter([]samples.Operator{{Package: name, Version: version}}), NoManager: true}, func(s *Story) {
		ctx := s.Context()
		s.create(ctx, name, "")
		s.By("running rounds until nothing changes")
		rounds := 0
		for s.round(ctx) > 0 {
			rounds++
			s.Expect(rounds).To(BeNumerically("<", maxQuietRounds), "the rounds do not end")
			s.Settle()
		}
		s.Logf("%d rounds", rounds)
		s.Expect(s.Installed(ctx, name, version)).To(Succeed(), "after %d rounds", rounds)

		s.By("starting the manager, which has nothing to do")
		before := s.Snapshot().Revision()
		s.StartManager()
		s.Settle()
		events, err := s.Events(before)
		s.must(err)
		for _, event := range events {
			s.Expect(event.Resource).NotTo(BeElementOf("deployments", "bundledeployments", "platformoperators"), "the manager changes what the rounds have written")
		}
	})
}

// TestOM_1_RoundsReadAndWriteWhatIsDeclared installs two operators by rounds, upgrades them, repairs one of them, and removes both with their
// CustomResourceDefinitions and their namespaces.
//
// Promise OM-1: With an input directory, the commands input-resources and output-resources list everything that apply-configuration reads and
// writes: each read and mutation of rounds that install, upgrade, repair and remove operators is in them, and a round has the same output without the
// objects that they do not list. What they list is used, but for the Secrets of a next revision. Without an input directory, they list the
// static part and say so.
func TestOM_1_RoundsReadAndWriteWhatIsDeclared(t *testing.T) {
	t.Parallel()
	first := []samples.Operator{{Package: "memo", Version: "1.0.0", ExtraConfigMap: "memo-former"}, {Package: "plainly", Version: "1.0.0", Plain: true}}
	next := append(first, samples.Operator{Package: "memo", Version: "1.1.0"}, samples.Operator{Package: "plainly", Version: "1.1.0", Plain: true})
	RunFrom(t, Origin{Offer: sampleWriter(first), NoManager: true}, func(s *Story) {
		ctx := s.Context()
		checked := &declarationCheck{}
		for _, each := range first {
			s.createWithSpec(ctx, each.Package, `"deletion":{"crds":"Delete"}`)
		}
		s.roundsToQuiet(ctx, checked)
		for _, each := range first {
			s.Expect(s.Installed(ctx, each.Package, "1.0.0")).To(Succeed())
		}

		s.By("upgrading")
		s.publishOperators(ctx, next...)
		s.roundsToQuiet(ctx, checked)
		for _, each := range first {
			s.Expect(s.Installed(ctx, each.Package, "1.1.0")).To(Succeed())
		}

		s.By("repairing one of them without the content of its bundle")
		checked.withoutImages = true
		deployments := s.Admin.Kubernetes.AppsV1().Deployments("memo")
		s.must(deployments.Delete(ctx, "memo", metav1.DeleteOptions{}))
		s.Settle()
		s.roundsToQuiet(ctx, checked)
		_, err := deployments.Get(ctx, "memo", metav1.GetOptions{})
		s.must(err)

		s.By("removing them without the content of their bundles, and one of them without its stored revisions")
		s.deleteStored(ctx, "memo")
		for _, each := range first {
			s.must(s.Admin.Platform.PlatformV1alpha1().PlatformOperators().Delete(ctx, each.Package, metav1.DeleteOptions{}))
		}
		s.roundsToQuiet(ctx, checked)
		for _, each := range first {
			_, err := s.Admin.Operator(ctx, each.Package)
			s.Expect(err).To(beNotFound())
		}
		// The Secrets of the next revision are declared before a round knows whether it stores one. Each operator has had two revisions.
		var next []string
		for _, each := range first {
			for _, name := range store.SecretNames(each.Package, 3, 1) {
				next = append(next, "output secrets "+declaredresources.Namespace+"/"+name)
			}
		}
		s.Expect(checked.usage.Unused()).To(ConsistOf(next), "what is declared and not used")
		s.Expect(checked.leftOut).To(BeNumerically(">", 0))
		s.Logf("%d rounds; those that were run again had the same output without %d objects", checked.rounds, checked.leftOut)
	})
}

// declarationCheck compares rounds with what input-resources and output-resources declare for their input.
type declarationCheck struct {
	// rounds is the number of checked rounds, and leftOut that of the objects without which rounds had the same output.
	rounds, leftOut int
	// usage is what the rounds used of the declarations.
	usage declarations.Usage
	// withoutImages is true if the input has no images.
	withoutImages bool
}

// check checks a round that was run with options, on objects, and with a server. It runs every fourth round again, without the objects that are
// not declared.
func (c *declarationCheck) check(s *Story, options applyconfiguration.Options, objects []mustgather.Object, server *manifestserver.Server) {
	s.Helper()
	resources, err := declarations.Of(s.Context(), options.InputDir, objects)
	s.must(err)
	undeclared, err := resources.Undeclared(server)
	s.must(err)
	s.Expect(undeclared).To(BeEmpty(), "round %d", c.rounds)
	s.must(c.usage.Add(resources, server))
	if c.rounds++; c.rounds%4 == 0 {
		return
	}
	pruned, output := filepath.Join(s.TempDir(), "pruned"), filepath.Join(s.TempDir(), "pruned-output")
	leftOut, err := resources.Prune(options.InputDir, pruned)
	s.must(err)
	want, err := filesIn(os.DirFS(options.OutputDir))
	s.must(err)
	options.InputDir, options.OutputDir, options.Inspect = pruned, output, nil
	s.must(applyconfiguration.Run(s.Context(), options))
	got, err := filesIn(os.DirFS(output))
	s.must(err)
	s.Expect(cmp.Diff(want, got)).To(BeEmpty(), "round %d without what is not declared", c.rounds)
	c.leftOut += leftOut
}

// filesIn returns the content of all files, keyed by path, except for Events: these contain resourceVersions that a run makes up, which depend
// on the largest one in the input.
func filesIn(folder fs.FS) (map[string]string, error) {
	files := map[string]string{}
	return files, fs.WalkDir(folder, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.Contains(name, "/core/events/") {
			return err
		}
		content, err := fs.ReadFile(folder, name)
		files[name] = string(content)
		return err
	})
}

// roundsToQuiet runs rounds until nothing changes, and checks each of them.
func (s *Story) roundsToQuiet(ctx context.Context, checked *declarationCheck) {
	s.Helper()
	for rounds := 0; s.checkedRound(ctx, checked) > 0; rounds++ {
		s.Expect(rounds).To(BeNumerically("<", maxQuietRounds), "the rounds do not end")
		s.Settle()
	}
}

// round runs apply-configuration on the objects of the cluster, and sends the mutations to the cluster as the manager. It returns their
// number.
func (s *Story) round(ctx context.Context) int {
	s.Helper()
	return s.checkedRound(ctx, nil)
}

// checkedRound runs a round, and checks it unless check is nil.
func (s *Story) checkedRound(ctx context.Context, check *declarationCheck) int {
	s.Helper()
	input, output := filepath.Join(s.TempDir(), "input"), filepath.Join(s.TempDir(), "output")
	objects := s.writeInput(ctx, input)
	if check != nil && check.withoutImages {
		s.must(os.RemoveAll(filepath.Join(input, "content", "images")))
	}
	var server *manifestserver.Server
	options := applyconfiguration.Options{
		InputDir: input, OutputDir: output, Controllers: []string{"*"}, Now: time.Now().Format(time.RFC3339), Timeout: time.Hour,
		KubernetesVersion: scenario.DefaultKubernetesVersion, Inspect: func(used *manifestserver.Server) { server = used },
	}
	s.must(applyconfiguration.Run(ctx, options))
	if check != nil {
		check.check(s, options, objects, server)
	}
	mutations, err := manifestclient.ReadMutationDirectory(filepath.Join(output, "Configuration"))
	s.must(err)
	process := s.NewProcess(managerUser)
	defer process.Kill()
	client, err := dynamic.NewForConfig(process.ClientConfig())
	s.must(err)
	requests := mutations.AllRequests()
	for _, each := range requests {
		request := each.GetSerializedRequest()
		if err := send(ctx, client, request); err != nil { // a conflict ends in the next round
			s.Logf("%s: %v", request.StringID(), err)
		}
	}
	return len(requests)
}

// writeInput writes the objects of the cluster, and the content of its catalog and registry, into an input directory. It returns the objects.
func (s *Story) writeInput(ctx context.Context, dir string) (objects []mustgather.Object) {
	s.Helper()
	all, err := s.Objects(ctx)
	s.must(err)
	for resource, found := range all {
		for i := range found {
			if found[i].GetKind() == customResourceDefinition && found[i].GetLabels()[corev1alpha2.LabelOwnerName] == "" {
				capture.WithoutSchemas(&found[i]) // the schemas of the cluster's kinds are most of what a directory has
			}
			objects = append(objects, mustgather.Object{Unstructured: &found[i], Resource: resource.WithVersion(found[i].GroupVersionKind().Version)})
		}
	}
	s.must(mustgather.Write(dir, objects, mustgather.NotCollected{}))
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.catalog.HTTPSBaseURL()+"/api/v1/all", nil)
	s.must(err)
	response, err := (&http.Client{Transport: s.contentTransport()}).Do(request)
	s.must(err)
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	s.must(err)
	for _, catalog := range []string{"ClusterCatalog", "CatalogSource/" + environment.CatalogNamespace} {
		folder := filepath.Join(dir, "content", "catalogs", catalog, environment.CatalogName)
		s.must(os.MkdirAll(folder, 0o755))
		s.must(os.WriteFile(filepath.Join(folder, "catalog.json"), content, 0o600))
	}
	s.writeImages(filepath.Join(dir, "content", "images"), content)
	return objects
}

// writeImages writes the images of a catalog's bundles into an OCI layout.
func (s *Story) writeImages(dir string, catalog []byte) {
	s.Helper()
	images, err := layout.Write(dir, empty.Index)
	s.must(err)
	for decoder := json.NewDecoder(bytes.NewReader(catalog)); ; {
		var blob struct{ Schema, Image string }
		err := decoder.Decode(&blob)
		if errors.Is(err, io.EOF) {
			return
		}
		s.must(err)
		if blob.Schema != "olm.bundle" {
			continue
		}
		ref, err := name.NewDigest(blob.Image)
		s.must(err)
		image, err := remote.Image(ref, remote.WithTransport(s.contentTransport()))
		s.must(err)
		s.must(images.AppendImage(image))
	}
}

// contentTransport returns a transport that reaches the catalog and the registry, and trusts the catalog's certificate.
func (s *Story) contentTransport() *http.Transport {
	s.Helper()
	content, err := os.ReadFile(s.catalog.CAFile())
	s.must(err)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(content)
	return &http.Transport{DialContext: s.network.DialContext, TLSClientConfig: &tls.Config{RootCAs: roots}, DisableKeepAlives: true}
}
