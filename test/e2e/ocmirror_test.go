package e2e

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	configv1 "github.com/openshift/api/config/v1"
)

// ocMirror stands in for oc-mirror v2, which no Go module provides. It copies the bundles of the packages in an
// ImageSetConfiguration, with the tags of their signatures, to a folder and from there to a mirror registry, and writes the ImageDigestMirrorSet
// for it. The catalogs of the local cluster need no images, so it copies none.
type ocMirror struct {
	// Bundles are the references of all bundles in the catalog, by digest.
	Bundles []string
	// SourcePassword is that of the host's network to the source registry, and MirrorUser and MirrorPassword are credentials for the mirror.
	SourcePassword, MirrorUser, MirrorPassword string
	// Authority is the certificate authority of the mirror, in PEM.
	Authority string
}

// ocMirrorSettings is the environment variable with an ocMirror, in JSON, and ocMirrorArgs that with the arguments of the command, one in each
// line.
const ocMirrorSettings, ocMirrorArgs = "TEST_OC_MIRROR", "TEST_OC_MIRROR_ARGS"

// shell returns the function of a shell that runs the program as oc.
func (m ocMirror) shell() (string, error) {
	settings, err := json.Marshal(m)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("oc() { (IFS=$'\\n'; %s=\"$*\" %s=$(echo %s | base64 -d) %s -test.run='^TestOCMirror$'); }\n",
		ocMirrorArgs, ocMirrorSettings, base64.StdEncoding.EncodeToString(settings), os.Args[0]), nil
}

// TestOCMirror is the program.
func TestOCMirror(t *testing.T) {
	settings := os.Getenv(ocMirrorSettings)
	if settings == "" {
		return // the story of a disconnected cluster runs it
	}
	var m ocMirror
	if err := json.Unmarshal([]byte(settings), &m); err != nil {
		t.Fatal(err)
	}
	if err := m.run(t.Context(), strings.Split(os.Getenv(ocMirrorArgs), "\n")); err != nil {
		t.Fatal(err)
	}
}

// run runs the command "mirror --v2 --config FILE [--from file://FOLDER] DESTINATION".
func (m ocMirror) run(ctx context.Context, args []string) error {
	if len(args) < 5 || !slices.Equal(args[:3], []string{"mirror", "--v2", "--config"}) {
		return fmt.Errorf("unknown arguments %q", args)
	}
	switch rest := args[4:]; {
	case len(rest) == 1 && strings.HasPrefix(rest[0], "file://"):
		return m.toFolder(ctx, args[3], strings.TrimPrefix(rest[0], "file://"))
	case len(rest) == 3 && rest[0] == "--from":
		return m.toMirror(ctx, strings.TrimPrefix(rest[1], "file://"), strings.TrimPrefix(rest[2], "docker://"))
	}
	return fmt.Errorf("unknown arguments %q", args)
}

// refName is the annotation with the name of an image in a folder.
const refName = "org.opencontainers.image.ref.name"

// toFolder writes images to a folder.
func (m ocMirror) toFolder(ctx context.Context, config, folder string) error {
	text, err := os.ReadFile(config)
	if err != nil {
		return err
	}
	var set struct {
		Mirror struct {
			Operators []struct {
				Packages []struct{ Name string }
			}
		}
	}
	if err := yaml.Unmarshal(text, &set); err != nil {
		return err
	}
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	to, err := layout.Write(folder, empty.Index)
	if err != nil {
		return err
	}
	connected := remote.WithTransport(&authenticated{"connected", m.SourcePassword, http.DefaultTransport})
	for _, ref := range m.Bundles {
		bundle, err := name.NewDigest(ref)
		if err != nil {
			return err
		}
		if pkg := set.Mirror.Operators[0].Packages[0].Name; filepath.Base(bundle.RepositoryStr()) != pkg {
			continue
		}
		images := map[string]name.Reference{"": bundle}
		signatures := bundle.Context().Tag(strings.Replace(bundle.DigestStr(), ":", "-", 1) + ".sig")
		if _, err := remote.Head(signatures, connected, remote.WithContext(ctx)); err == nil {
			images[signatures.TagStr()] = signatures
		}
		for tag, from := range images {
			image, err := remote.Image(from, connected, remote.WithContext(ctx))
			if err != nil {
				return err
			}
			named := bundle.Context().Name()
			if tag != "" {
				named += ":" + tag
			}
			if err := to.AppendImage(image, layout.WithAnnotations(map[string]string{refName: named})); err != nil {
				return err
			}
		}
	}
	return nil
}

// toMirror pushes the images in a folder to a mirror, and writes the objects for the cluster.
func (m ocMirror) toMirror(ctx context.Context, folder, mirror string) error {
	from, err := layout.ImageIndexFromPath(folder)
	if err != nil {
		return err
	}
	index, err := from.IndexManifest()
	if err != nil {
		return err
	}
	authorities := x509.NewCertPool()
	authorities.AppendCertsFromPEM([]byte(m.Authority))
	transport := &authenticated{m.MirrorUser, m.MirrorPassword, &http.Transport{TLSClientConfig: &tls.Config{RootCAs: authorities, MinVersion: tls.VersionTLS12}}}
	set := configv1.ImageDigestMirrorSet{
		TypeMeta:   metav1.TypeMeta{APIVersion: configv1.GroupVersion.String(), Kind: "ImageDigestMirrorSet"},
		ObjectMeta: metav1.ObjectMeta{Name: "idms-operator-0"},
	}
	for _, descriptor := range index.Manifests {
		image, err := from.Image(descriptor.Digest)
		if err != nil {
			return err
		}
		source, err := m.push(ctx, image, descriptor, mirror, transport)
		if err != nil {
			return err
		}
		path, _, _ := strings.Cut(source, "/")
		namespace := strings.TrimPrefix(filepath.Dir(source), path)
		mirrors := configv1.ImageDigestMirrors{Source: filepath.Dir(source), Mirrors: []configv1.ImageMirror{configv1.ImageMirror(mirror + namespace)}}
		if !slices.ContainsFunc(set.Spec.ImageDigestMirrors, func(each configv1.ImageDigestMirrors) bool { return each.Source == mirrors.Source }) {
			set.Spec.ImageDigestMirrors = append(set.Spec.ImageDigestMirrors, mirrors)
		}
	}
	resources := filepath.Join(folder, "working-dir", "cluster-resources")
	if err := os.MkdirAll(resources, 0o755); err != nil {
		return err
	}
	text, err := yaml.Marshal(set)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(resources, "idms-oc-mirror.yaml"), text, 0o600)
}

// push pushes an image to a mirror, and returns its repository in the source registry.
func (m ocMirror) push(ctx context.Context, image v1.Image, descriptor v1.Descriptor, mirror string, transport http.RoundTripper) (string, error) {
	named := descriptor.Annotations[refName]
	repository, tag := named, ""
	if at := strings.LastIndex(named, ":sha256-"); at > 0 {
		repository, tag = named[:at], named[at:]
	}
	if tag == "" {
		tag = "@" + descriptor.Digest.String()
	}
	_, path, _ := strings.Cut(repository, "/")
	to, err := name.ParseReference(mirror + "/" + path + tag)
	if err != nil {
		return "", err
	}
	return repository, remote.Write(to, image, remote.WithTransport(transport), remote.WithContext(ctx))
}

// authenticated adds credentials to all requests.
type authenticated struct {
	user, password string
	next           http.RoundTripper
}

func (a *authenticated) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	request.SetBasicAuth(a.user, a.password)
	return a.next.RoundTrip(request)
}
