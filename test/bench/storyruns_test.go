package main

import (
	"testing"
	"time"
)

func TestParseStoryRun(t *testing.T) {
	const twice = `=== RUN   TestStories
--- PASS: TestStories (0.01s)
    --- PASS: TestStories/install-upgrade-remove (1.95s)
=== RUN   TestStories
--- PASS: TestStories (0.00s)
    --- PASS: TestStories/install-upgrade-remove (0.44s)
PASS
`
	got, err := parseStoryRun([]byte(twice))
	if want := (storyRun{story: 440 * time.Millisecond, all: 1950 * time.Millisecond}); err != nil || got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	if _, err := parseStoryRun([]byte("testing: warning: no tests to run\nPASS\n")); err == nil {
		t.Error("got no error of a story that did not run")
	}
}
