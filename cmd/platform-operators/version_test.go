package main

import (
	"testing"

	"k8s.io/apimachinery/pkg/version"
)

func TestVersionTextLeavesOutWhatABuildDoesNotKnow(t *testing.T) {
	info := version.Info{GitVersion: "4.23.0", GitCommit: "0123456789abcdef", GitTreeState: "clean", BuildDate: "2026-11-25T08:30:00Z", GoVersion: "go1.26.8", Platform: "linux/arm64"}
	want := `platform-operators 4.23.0
  commit:     0123456789abcdef
  tree state: clean
  build date: 2026-11-25T08:30:00Z
  Go version: go1.26.8
  platform:   linux/arm64
`
	if got := versionText(info); got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
	want = "platform-operators v0.0.0-unknown\n  Go version: go1.26.8\n  platform:   linux/arm64\n"
	if got := versionText(version.Info{GitVersion: "v0.0.0-unknown", GoVersion: "go1.26.8", Platform: "linux/arm64"}); got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
}
