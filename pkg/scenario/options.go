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

// patches are the words for the media types of patches other than apply.
var patches = map[string]string{
	"application/json-patch+json":            "json",
	"application/merge-patch+json":           "merge",
	"application/strategic-merge-patch+json": "strategic",
}

// optionsWithValue are the query's options of which the value matters to how a server answers; of all others only their presence does.
var optionsWithValue = []string{"force", "fieldValidation", "propagationPolicy", "resourceVersionMatch"}

// ignoredOptions are without effect on the answer, or are told by the verb.
var ignoredOptions = []string{"fieldManager", "pretty", "timeout", "timeoutSeconds", "watch"}

// options returns what a request asks for besides its verb and object, as sorted words: the type of a patch, the query's options, the
// options in the body of a deletion, and whether only metadata is wanted.
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

// deleteOptions are those in the body of a deletion: JSON, or the protobuf in which typed clients send them.
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

// content returns a copy of a request's body.
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
