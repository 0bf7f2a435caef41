// Package version tells which build this is. The linker stamps it; nothing else knows how.
package version

import "k8s.io/apimachinery/pkg/version"

// Set by the linker (-X); see the build target of the Makefile.
var (
	gitVersion = "v0.0.0-unknown"
	gitCommit  = ""
	buildDate  = ""
)

// Get returns the build's version, commit and date. A binary built without stamps says v0.0.0-unknown.
func Get() version.Info {
	return version.Info{Major: "0", Minor: "1", GitVersion: gitVersion, GitCommit: gitCommit, BuildDate: buildDate}
}
