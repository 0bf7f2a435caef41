package version

import (
	"runtime"
	"testing"
)

func TestMajorAndMinorFollowFromTheVersion(t *testing.T) {
	for of, want := range map[string][2]string{
		"4.23.0-202611250830.p0.g0123456.assembly.stream.el9": {"4", "23"},
		"v4.23.1-12-gd12de71e-dirty":                          {"4", "23"},
		"v0.0.0-unknown":                                      {"0", "0"},
		"d12de71e":                                            {"", ""}, // git describe --always, without tags
	} {
		if major, minor := majorMinor(of); [2]string{major, minor} != want {
			t.Errorf("%s: got %q and %q, want %q", of, major, minor, want)
		}
	}
}

func TestABuildWithoutStampsSaysSo(t *testing.T) {
	info := Get()
	if info.GitVersion != "v0.0.0-unknown" || info.GitCommit != "" || info.GitTreeState != "" {
		t.Errorf("got %+v", info)
	}
	if info.GoVersion != runtime.Version() || info.Compiler == "" || info.Platform != runtime.GOOS+"/"+runtime.GOARCH {
		t.Errorf("got %+v", info)
	}
}
