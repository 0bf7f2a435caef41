package localcatalog

import (
	"maps"
	"net/http"
	"path"
	"strconv"
	"sync"
)

// seen counts what was asked, by what it was.
type seen struct {
	lock   sync.Mutex
	counts map[string]int
}

func (s *seen) add(what string) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.counts == nil {
		s.counts = map[string]int{}
	}
	s.counts[what]++
}

// Seen says how often what was asked so far, for tests: a gRPC call by its method, such as "ListBundles", an HTTPS request by
// its endpoint, its answer's status and, if that was compressed, "gzip", such as "all 200 gzip" and "metas 304".
func (s *Server) Seen() map[string]int {
	s.seen.lock.Lock()
	defer s.seen.lock.Unlock()
	return maps.Clone(s.seen.counts)
}

// WithoutMetas makes HTTPS answer 404 to /api/v1/metas, as catalogd does unless a feature gate is on, until it is called
// with false.
func (s *Server) WithoutMetas(on bool) { s.withoutMetas.Store(on) }

// HandleCatalog serves another catalog over HTTPS, under the same certificate, by a handler of the test's: one that is
// broken, slow or endless. It returns what its ClusterCatalog's status.urls.base would be.
func (s *Server) HandleCatalog(name string, handler http.Handler) (base string) {
	s.others.Store(name, handler)
	return "https://" + s.httpsListener.Addr().String() + "/catalogs/" + name
}

// serveOther serves what HandleCatalog was given.
func (s *Server) serveOther(w http.ResponseWriter, r *http.Request) {
	if handler, found := s.others.Load(r.PathValue("catalog")); found {
		handler.(http.Handler).ServeHTTP(w, r)
		return
	}
	http.NotFound(w, r)
}

// counted counts answers once they are complete.
func (s *Server) counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := &answered{ResponseWriter: w, what: "200"}
		next.ServeHTTP(answer, r)
		what := path.Base(r.URL.Path) + " " + answer.what
		if answer.compressed {
			what += " gzip"
		}
		s.seen.add(what)
	})
}

// answered remembers how a request was answered.
type answered struct {
	http.ResponseWriter
	what       string
	compressed bool
}

func (a *answered) WriteHeader(status int) {
	a.what = strconv.Itoa(status)
	a.compressed = a.Header().Get("Content-Encoding") == "gzip"
	a.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach what is beneath.
func (a *answered) Unwrap() http.ResponseWriter { return a.ResponseWriter }
