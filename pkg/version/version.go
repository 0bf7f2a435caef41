// Package version identifies this build. The linker sets its variables.
package version

import (
	"runtime"
	"strconv"

	utilversion "k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apimachinery/pkg/version"
)

// gitVersion and the other variables are set by the linker (-X); see the build target of the Makefile.
var (
	gitVersion   = "v0.0.0-unknown"
	gitCommit    = ""
	gitTreeState = ""
	buildDate    = ""
)

// Get returns the source, time, Go version and platform of this build. A build without linker variables has v0.0.0-unknown. Major and minor
// version are empty if the version does not begin with numbers, as in a checkout without tags.
func Get() version.Info {
	major, minor := majorMinor(gitVersion)
	return version.Info{
		Major: major, Minor: minor,
		GitVersion: gitVersion, GitCommit: gitCommit, GitTreeState: gitTreeState, BuildDate: buildDate,
		GoVersion: runtime.Version(), Compiler: runtime.Compiler, Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
}

func majorMinor(of string) (major, minor string) {
	parsed, err := utilversion.ParseGeneric(of)
	if err != nil {
		return "", ""
	}
	return strconv.FormatUint(uint64(parsed.Major()), 10), strconv.FormatUint(uint64(parsed.Minor()), 10)
}
