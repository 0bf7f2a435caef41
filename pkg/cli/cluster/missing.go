package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/platform-operators/pkg/cli/similar"
	"github.com/openshift/platform-operators/pkg/pager"
)

const (
	// maxSuggested is the maximum number of PlatformOperators in which similar names are searched.
	maxSuggested = 500
	// onlyMetadata is the media type of a list of objects without spec and status.
	onlyMetadata = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
)

// NoOperatorError means that a PlatformOperator does not exist.
type NoOperatorError struct {
	Name string
	// Similar are the names of similar PlatformOperators, the most similar first.
	Similar []string

	plugin string
}

// Error returns a sentence with the similar names, and with the command that lists all PlatformOperators.
func (e *NoOperatorError) Error() string {
	text := fmt.Sprintf("there is no PlatformOperator %q", e.Name)
	if len(e.Similar) > 0 {
		text += "; did you mean " + strings.Join(e.Similar, " or ") + "?"
	}
	return fmt.Sprintf("%s; list them with: %s list", text, e.plugin)
}

// similarOperators returns the names of PlatformOperators that are similar to name. It sends one list request. It returns nil for any
// error, because the names are only suggestions.
func (c *Connection) similarOperators(ctx context.Context, name string) []string {
	request := c.platform.RESTClient().Get().Resource("platformoperators").SetHeader("Accept", onlyMetadata).
		Param("limit", strconv.Itoa(maxSuggested)).MaxRetries(0)
	body, err := request.Stream(ctx)
	if err != nil {
		return nil
	}
	defer body.Close()
	var list metav1.PartialObjectMetadataList
	if err := json.NewDecoder(io.LimitReader(body, pager.MaxBytes)).Decode(&list); err != nil {
		return nil
	}
	finder := similar.NewFinder(name)
	for i := range list.Items {
		finder.Add(list.Items[i].Name)
	}
	return finder.Names()
}
