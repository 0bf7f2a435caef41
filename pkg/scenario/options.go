package scenario

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
)

// patches maps the media types of patches, except server-side apply, to the words in Request.Options.
var patches = map[string]string{
	"application/json-patch+json":            "json",
	"application/merge-patch+json":           "merge",
	"application/strategic-merge-patch+json": "strategic",
}

// optionsWithValue are the query parameters that Request.Options lists with their values. Request.Options lists other parameters by name
// only, except resourceVersion=0.
var optionsWithValue = []string{"force", "fieldValidation", "propagationPolicy", "resourceVersionMatch"}

// ignoredOptions are the query parameters that Request.Options leaves out: they do not affect the response, or the verb implies them.
var ignoredOptions = []string{"fieldManager", "pretty", "timeout", "timeoutSeconds", "watch"}

// options returns the words of Request.Options, sorted: the type of a patch, PartialObjectMetadata or Table if the client accepts it, the
// query parameters, and the DeleteOptions in the body.
func options(r *http.Request) (words []string) {
	mediaType, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	if word := patches[mediaType]; word != "" && r.Method == http.MethodPatch {
		words = append(words, word)
	}
	accept := r.Header.Get("Accept")
	for _, form := range []string{"PartialObjectMetadata", "Table"} {
		if strings.Contains(accept, "as="+form) {
			words = append(words, form)
		}
	}
	words = append(words, queryOptions(r.URL.Query())...)
	if r.Method == http.MethodDelete {
		words = append(words, deleteOptions(content(r))...)
	}
	slices.Sort(words)
	return slices.Compact(words)
}

func queryOptions(query url.Values) (words []string) {
	for name, values := range query {
		switch {
		case slices.Contains(ignoredOptions, name) || values[0] == "":
		case slices.Contains(optionsWithValue, name):
			words = append(words, name+"="+values[0])
		case name == "resourceVersion" && values[0] == "0":
			words = append(words, "resourceVersion=0")
		default:
			words = append(words, name)
		}
	}
	return words
}

// deleteOptions returns the words for the DeleteOptions in a request's body, or nil if the body has none. The body is JSON, or protobuf
// from a typed client.
func deleteOptions(body []byte) (words []string) {
	var given metav1.DeleteOptions
	if json.Unmarshal(body, &given) != nil {
		decoded, _, err := scheme.Codecs.UniversalDeserializer().Decode(body, nil, nil)
		options, ok := decoded.(*metav1.DeleteOptions)
		if err != nil || !ok {
			return nil
		}
		given = *options
	}
	if given.PropagationPolicy != nil {
		words = append(words, "propagationPolicy="+string(*given.PropagationPolicy))
	}
	if given.GracePeriodSeconds != nil {
		words = append(words, "gracePeriodSeconds")
	}
	if given.Preconditions != nil && given.Preconditions.UID != nil {
		words = append(words, "preconditions.uid")
	}
	if given.Preconditions != nil && given.Preconditions.ResourceVersion != nil {
		words = append(words, "preconditions.resourceVersion")
	}
	if len(given.DryRun) > 0 {
		words = append(words, dryRun)
	}
	return words
}

// content returns a request's body without consuming it. It returns nil if the request has no GetBody, or if reading fails.
func content(r *http.Request) []byte {
	if r.GetBody == nil {
		return nil
	}
	body, err := r.GetBody()
	if err != nil {
		return nil
	}
	defer body.Close()
	content, err := io.ReadAll(body)
	if err != nil {
		return nil
	}
	return content
}
