package manifestserver

import (
	"fmt"
	"net/http"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"

	"github.com/openshift/platform-operators/pkg/manifestserver/discovery"
)

func (s *Server) versionAnswer() *answer {
	return jsonAnswer(http.StatusOK, version.Info{
		Major: fmt.Sprint(s.version.Major()), Minor: fmt.Sprint(s.version.Minor()), GitVersion: s.options.KubernetesVersion,
		Platform: "linux/amd64", Compiler: "gc",
	})
}

// discoveryAnswer answers /api, /apis, and the documents of a group and of a version. It returns nil for other paths.
func (s *Server) discoveryAnswer(c *call) *answer {
	root, depth := c.segments[0], len(c.segments)
	if c.method != http.MethodGet {
		return nil
	}
	switch {
	case depth == 1 && root == "api":
		return documentAnswer(discovery.Core(s.kinds, c.accept))
	case depth == 1 && root == "apis":
		return documentAnswer(discovery.Groups(s.kinds, c.accept))
	case depth == 2 && root == "api":
		return foundAnswer(discovery.Version(s.kinds, schema.GroupVersion{Version: c.segments[1]}))
	case depth == 2 && root == "apis" && c.segments[1] != "":
		return foundAnswer(discovery.Group(s.kinds, c.segments[1]))
	case depth == 3 && root == "apis":
		return foundAnswer(discovery.Version(s.kinds, schema.GroupVersion{Group: c.segments[1], Version: c.segments[2]}))
	}
	return nil
}

func documentAnswer(document any, contentType string) *answer {
	result := jsonAnswer(http.StatusOK, document)
	result.contentType = contentType
	return result
}

func foundAnswer[T any](document T, found bool) *answer {
	if !found {
		return notServedAnswer()
	}
	return jsonAnswer(http.StatusOK, document)
}
