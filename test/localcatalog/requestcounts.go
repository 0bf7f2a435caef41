package localcatalog

import (
	"maps"
	"net/http"
	"path"
	"strconv"
	"sync"
)

// requestCounter counts requests by name; see RequestCounts.
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

// RequestCounts returns the numbers of requests that the server has received, keyed by the name of the request. The name of a gRPC call is
// its method, as in "ListBundles". The name of an HTTPS request consists of its endpoint, its status and, if the response was compressed,
// "gzip", as in "all 200 gzip".
func (s *Server) RequestCounts() map[string]int {
	s.requestCounter.lock.Lock()
	defer s.requestCounter.lock.Unlock()
	return maps.Clone(s.requestCounter.counts)
}

// WithoutMetas makes HTTPS respond with 404 to /api/v1/metas if on is true, as catalogd does without its feature gate. A call with false
// ends that.
func (s *Server) WithoutMetas(on bool) { s.withoutMetas.Store(on) }

// HandleCatalog makes a handler serve another catalog over HTTPS with the same certificate. The handler can, for example, be slow or send
// endless responses. HandleCatalog returns the catalog's URL, for the status.urls.base of a ClusterCatalog.
func (s *Server) HandleCatalog(name string, handler http.Handler) (base string) {
	s.otherCatalogs.Store(name, handler)
	return "https://" + s.httpsListener.Addr().String() + "/catalogs/" + name
}

// serveOther calls the handler that was passed to HandleCatalog for the catalog in the path, or responds with 404 if there is none.
func (s *Server) serveOther(w http.ResponseWriter, r *http.Request) {
	if handler, found := s.otherCatalogs.Load(r.PathValue("catalog")); found {
		handler.(http.Handler).ServeHTTP(w, r)
		return
	}
	http.NotFound(w, r)
}

// countRequests returns a handler that calls next and counts each request when its response is complete.
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

// statusRecorder is a ResponseWriter that records the status of a response and whether the response is compressed.
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

// Unwrap returns the underlying writer, which http.ResponseController uses.
func (a *statusRecorder) Unwrap() http.ResponseWriter { return a.ResponseWriter }
