package main

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/version"
)

// versionText returns the output of --version. It omits unknown values.
func versionText(info version.Info) string {
	var text strings.Builder
	fmt.Fprintf(&text, "platform-operators %s\n", info.GitVersion)
	for _, line := range [][2]string{
		{"commit", info.GitCommit},
		{"tree state", info.GitTreeState},
		{"build date", info.BuildDate},
		{"Go version", info.GoVersion},
		{"platform", info.Platform},
	} {
		if line[1] != "" {
			fmt.Fprintf(&text, "  %-11s %s\n", line[0]+":", line[1])
		}
	}
	return text.String()
}
