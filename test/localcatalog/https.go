package localcatalog

import (
	"bytes"
	"crypto/tls"
	"io"
	"net/http"
	"time"

	"github.com/klauspost/compress/gzhttp"
	"github.com/operator-framework/operator-registry/alpha/declcfg"
)

// gzipMinSize is the minimum size, in bytes, of a response that catalogd compresses.
const gzipMinSize = 1400

// serveHTTPS starts a server with catalogd's API, for the local catalog and for those of HandleCatalog.
func (s *Server) serveHTTPS() error {
	compress, err := gzhttp.NewWrapper(gzhttp.MinSize(gzipMinSize))
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /catalogs/"+catalogName+"/api/v1/all", s.serveAll)
	mux.HandleFunc("GET /catalogs/"+catalogName+"/api/v1/metas", s.serveMetas)
	mux.HandleFunc("GET /catalogs/{catalog}/", s.serveOther)
	server := &http.Server{
		Handler:           s.countRequests(s.admitRequest(compress(mux))),
		ReadHeaderTimeout: 10 * time.Second,
		ErrorLog:          discardLog(), // tests provoke TLS errors
	}
	tlsListener := tls.NewListener(s.httpsListener, &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: s.identity.certificate,
		NextProtos:     []string{"http/1.1"},
	})
	s.serveHTTP(server, tlsListener)
	return nil
}

func (s *Server) admitRequest(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		if s.down.Load() {
			http.Error(w, "the local catalog was made unavailable", http.StatusServiceUnavailable)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// serveAll serves the whole catalog. Like catalogd, it ignores query parameters and sets no ETag.
func (s *Server) serveAll(w http.ResponseWriter, r *http.Request) {
	current, release := s.currentGeneration.acquire()
	defer release()
	serveLines(w, r, current.modified, bytes.NewReader(current.all))
}

// serveMetas serves the blobs that match schema, package and name, and responds with 400 to other query parameters. As in catalogd, a query
// by package alone does not return the olm.package blob, which has a name and no package.
func (s *Server) serveMetas(w http.ResponseWriter, r *http.Request) {
	if s.withoutMetas.Load() {
		http.NotFound(w, r)
		return
	}
	values := r.URL.Query()
	for parameter := range values {
		switch parameter {
		case "schema", "package", "name":
		default:
			http.Error(w, "400 Bad Request", http.StatusBadRequest)
			return
		}
	}
	current, release := s.currentGeneration.acquire()
	defer release()
	var lines bytes.Buffer
	for _, meta := range current.metas {
		if matches(meta, values.Get("schema"), values.Get("package"), values.Get("name")) {
			lines.Write(meta.Blob)
		}
	}
	serveLines(w, r, current.modified, bytes.NewReader(lines.Bytes()))
}

func matches(meta *declcfg.Meta, schema, pkg, name string) bool {
	return (schema == "" || meta.Schema == schema) && (pkg == "" || meta.Package == pkg) && (name == "" || meta.Name == name)
}

// serveLines serves JSON lines. The standard library handles Last-Modified, If-Modified-Since and HEAD.
func serveLines(w http.ResponseWriter, r *http.Request, modified time.Time, lines io.ReadSeeker) {
	w.Header().Set("Content-Type", "application/jsonl")
	http.ServeContent(w, r, "", modified, lines)
}
