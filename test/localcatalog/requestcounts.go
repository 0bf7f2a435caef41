package localcatalog

import (
	"maps"
	"net/http"
	"path"
	"strconv"
	"sync"
)

// requestCounter counts requests by description.
type requestCounter struct {
	lock   sync.Mutex
	counts map[string]int
}

func (s *requestCounter) add(what string) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.counts == nil {
		s.counts = map[string]int{}
	}
	s.counts[what]++
}

// RequestCounts returns how often each request was received. A gRPC call is named by its method, as in "ListBundles". An HTTPS
// request is named by its endpoint, its status and "gzip" if the response was compressed, as in "all 200 gzip".
func (s *Server) RequestCounts() map[string]int {
	s.requestCounter.lock.Lock()
	defer s.requestCounter.lock.Unlock()
	return maps.Clone(s.requestCounter.counts)
}

// WithoutMetas makes HTTPS respond with 404 to /api/v1/metas, as catalogd does without its feature gate, until it is called
// with false.
func (s *Server) WithoutMetas(on bool) { s.withoutMetas.Store(on) }

// HandleCatalog serves another catalog over HTTPS with the same certificate, by the test's handler, which can be broken, slow
// or endless. It returns the value for the ClusterCatalog's status.urls.base.
func (s *Server) HandleCatalog(name string, handler http.Handler) (base string) {
	s.otherCatalogs.Store(name, handler)
	return "https://" + s.httpsListener.Addr().String() + "/catalogs/" + name
}

// serveOther calls the handler that was passed to HandleCatalog.
func (s *Server) serveOther(w http.ResponseWriter, r *http.Request) {
	if handler, found := s.otherCatalogs.Load(r.PathValue("catalog")); found {
		handler.(http.Handler).ServeHTTP(w, r)
		return
	}
	http.NotFound(w, r)
}

// countRequests counts requests when their responses are complete.
func (s *Server) countRequests(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := &statusRecorder{ResponseWriter: w, what: "200"}
		next.ServeHTTP(answer, r)
		what := path.Base(r.URL.Path) + " " + answer.what
		if answer.compressed {
			what += " gzip"
		}
		s.requestCounter.add(what)
	})
}

// statusRecorder records the status of a response and whether it is compressed.
type statusRecorder struct {
	http.ResponseWriter
	what       string
	compressed bool
}

func (a *statusRecorder) WriteHeader(status int) {
	a.what = strconv.Itoa(status)
	a.compressed = a.Header().Get("Content-Encoding") == "gzip"
	a.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController use the underlying writer.
func (a *statusRecorder) Unwrap() http.ResponseWriter { return a.ResponseWriter }
