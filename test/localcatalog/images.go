package localcatalog

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"golang.org/x/sync/errgroup"
	"sigs.k8s.io/yaml"
)

// bundleID identifies a bundle in the catalog, and the bundle directory that belongs to it.
type bundleID struct{ pkg, version string }

// imageRegistry serves the images of bundle directories. For a repository for which a test has set a failure, it responds with that
// failure.
type imageRegistry struct {
	host    string
	network Network
	next    http.Handler

	lock      sync.RWMutex
	published map[bundleID]string
	faults    map[string]int // HTTP status, keyed by repository path
	// password is required of clients if it is not empty. It stands for access to the registry's network. refused is the number of requests
	// without it.
	password string
	refused  int
}

func newImageRegistry(host string, network Network) *imageRegistry {
	return &imageRegistry{
		host:      host,
		network:   network,
		next:      registry.New(registry.Logger(log.New(io.Discard, "", 0))),
		published: map[bundleID]string{},
		faults:    map[string]int{},
	}
}

func (r *imageRegistry) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	if status := r.fault(request.URL.Path); status != 0 && (request.Method == http.MethodGet || request.Method == http.MethodHead) {
		http.Error(w, http.StatusText(status), status)
		return
	}
	if !r.isConnected(request) {
		http.Error(w, "this client is not connected to the network of this registry", http.StatusServiceUnavailable)
		return
	}
	r.next.ServeHTTP(w, request)
}

// isConnected reports whether a request is from a connected client, and counts it otherwise.
func (r *imageRegistry) isConnected(request *http.Request) bool {
	r.lock.Lock()
	defer r.lock.Unlock()
	if _, password, _ := request.BasicAuth(); r.password == "" || password == r.password {
		return true
	}
	r.refused++
	return false
}

// connectedTransport adds the password of connected clients to requests.
type connectedTransport struct{ registry *imageRegistry }

func (t connectedTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	t.registry.lock.RLock()
	password := t.registry.password
	t.registry.lock.RUnlock()
	if password != "" {
		request = request.Clone(request.Context())
		request.SetBasicAuth("connected", password)
	}
	return directTransport(t.registry.network).RoundTrip(request)
}

// fault returns the status that Server.Fail set for the repository of a path such as /v2/bundles/example/manifests/sha256:…, or 0.
func (r *imageRegistry) fault(path string) int {
	r.lock.RLock()
	defer r.lock.RUnlock()
	for repository, status := range r.faults {
		if strings.HasPrefix(path, "/v2/"+repository+"/") {
			return status
		}
	}
	return 0
}

func (r *imageRegistry) fail(ref string, status int) error {
	parsed, err := name.ParseReference(ref)
	if err != nil {
		return fmt.Errorf("making image %q fail: %w", ref, err)
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	if status == 0 {
		delete(r.faults, parsed.Context().RepositoryStr())
	} else {
		r.faults[parsed.Context().RepositoryStr()] = status
	}
	return nil
}

func (r *imageRegistry) bundle(id bundleID) (string, bool) {
	r.lock.RLock()
	defer r.lock.RUnlock()
	ref, ok := r.published[id]
	return ref, ok
}

// publish builds and pushes an image of every bundle directory of the packages, or of all packages if packages is empty. It returns image
// references with digests. Images that were published earlier stay, because a cluster may still run them.
func (r *imageRegistry) publish(ctx context.Context, roots, packages []string) (map[bundleID]string, error) {
	folders, err := bundleFolders(roots, packages)
	if err != nil {
		return nil, err
	}
	var lock sync.Mutex
	published := make(map[bundleID]string, len(folders))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0)) // compressing takes most of the time
	for id, folder := range folders {
		group.Go(func() error {
			ref, err := r.push(ctx, id, folder)
			if err != nil {
				return fmt.Errorf("publishing bundle directory %q: %w", folder, err)
			}
			lock.Lock()
			defer lock.Unlock()
			published[id] = ref
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	for id, ref := range published {
		r.published[id] = ref
	}
	return published, nil
}

// bundleFolders returns the <root>/<package>/<version> folders that contain manifests. If several roots contain the same bundle, the first
// root is used. It returns an error if a root does not exist.
func bundleFolders(roots, packages []string) (map[bundleID]string, error) {
	folders := map[bundleID]string{}
	for _, root := range slices.Backward(roots) {
		if _, err := os.Stat(root); err != nil {
			return nil, err
		}
		found, err := filepath.Glob(filepath.Join(escapeGlob(root), "*", "*", "manifests"))
		if err != nil {
			return nil, err
		}
		for _, manifests := range found {
			folder := filepath.Dir(manifests)
			id := bundleID{pkg: filepath.Base(filepath.Dir(folder)), version: filepath.Base(folder)}
			if len(packages) == 0 || slices.Contains(packages, id.pkg) {
				folders[id] = folder
			}
		}
	}
	return folders, nil
}

// escapeGlob escapes the special characters of filepath.Glob in a path.
func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// push pushes the image of a bundle directory and returns its reference by digest. All versions of a package are in one repository, tagged
// with the version.
func (r *imageRegistry) push(ctx context.Context, id bundleID, folder string) (string, error) {
	image, err := bundleImage(os.DirFS(folder))
	if err != nil {
		return "", err
	}
	repository, err := name.NewRepository(r.host+"/bundles/"+strings.ToLower(id.pkg), name.Insecure)
	if err != nil {
		return "", err
	}
	// A tag cannot contain the "+" of build metadata.
	tag := repository.Tag(strings.ReplaceAll(id.version, "+", "_"))
	if err := remote.Write(tag, image, remote.WithContext(ctx), remote.WithTransport(connectedTransport{r})); err != nil {
		return "", err
	}
	digest, err := image.Digest()
	if err != nil {
		return "", err
	}
	return repository.Digest(digest.String()).String(), nil
}

// directTransport returns a transport that connects over network. It uses no proxy, because the registry is on loopback.
func directTransport(network Network) http.RoundTripper {
	transport := remote.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil
	transport.DialContext = network.DialContext
	transport.DisableKeepAlives = true // a transport is used for one push and has nothing to close
	return transport
}

// bundleImage builds the same image as a bundle's Dockerfile: a layer for manifests, one for metadata, and the annotations as labels. The
// same files always give the same digest. The metadata may be missing.
func bundleImage(bundle fs.FS) (v1.Image, error) {
	image := empty.Image
	for _, folder := range []string{"manifests", "metadata"} {
		content, err := layerTar(bundle, folder)
		if errors.Is(err, fs.ErrNotExist) && folder == "metadata" {
			continue // not a valid bundle, but a registry may contain such an image
		}
		if err != nil {
			return nil, err
		}
		open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }
		layer, err := tarball.LayerFromOpener(open, tarball.WithCompressedCaching)
		if err != nil {
			return nil, err
		}
		if image, err = mutate.AppendLayers(image, layer); err != nil {
			return nil, err
		}
	}
	labels, err := bundleLabels(bundle)
	if err != nil {
		return nil, err
	}
	return mutate.Config(image, v1.Config{Labels: labels, WorkingDir: "/"})
}

// bundleLabels returns the annotations in metadata/annotations.yaml, or nil if there is no such file.
func bundleLabels(bundle fs.FS) (map[string]string, error) {
	content, err := fs.ReadFile(bundle, "metadata/annotations.yaml")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var file struct {
		Annotations map[string]string `json:"annotations"`
	}
	if err := yaml.Unmarshal(content, &file); err != nil {
		return nil, fmt.Errorf("reading metadata/annotations.yaml: %w", err)
	}
	return file.Annotations, nil
}

// layerTar returns a folder as a reproducible tar archive: owner, mode, times and order are fixed.
func layerTar(bundle fs.FS, folder string) ([]byte, error) {
	var out bytes.Buffer
	writer := tar.NewWriter(&out)
	err := fs.WalkDir(bundle, folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return writer.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: path + "/", Mode: 0o755})
		}
		content, err := fs.ReadFile(bundle, path)
		if err != nil {
			return err
		}
		header := &tar.Header{Typeflag: tar.TypeReg, Name: path, Mode: 0o644, Size: int64(len(content))}
		if err := writer.WriteHeader(header); err != nil {
			return err
		}
		_, err = writer.Write(content)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out.Bytes(), writer.Close()
}
