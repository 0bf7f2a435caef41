package capture

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"sigs.k8s.io/yaml"
)

const (
	// StoryFile is the name of the story in the directory of a capture. A story is a test in YAML, which starts with the captured objects;
	// docs/scenarios.md describes it.
	StoryFile = "story.yaml"
	// TimeFile is the name of the file with the time of the capture: a Time. The capture of a must-gather has none, because a must-gather does not say
	// when it was made.
	TimeFile = "captured.yaml"

	fileMode = 0o600
)

// Time is the content of TimeFile.
type Time struct {
	Time time.Time `json:"time"`
}

// writeStory writes the story of a capture of a cluster or a must-gather, and the time of the former: the manager starts, and nobody changes
// anything for an hour.
func writeStory(dir string, at time.Time, isMustGather bool) error {
	at = at.UTC().Truncate(time.Second)
	title := "The cluster that was captured at " + at.Format(time.RFC3339)
	if isMustGather {
		title = "The cluster of a must-gather"
	}
	story := fmt.Appendf(nil, `# A story that starts with the objects in this directory. Add the steps that show the problem; see docs/scenarios.md.
title: %s
steps:
- title: The manager runs for an hour
  wait: 1h
`, title)
	if err := os.WriteFile(filepath.Join(dir, StoryFile), story, fileMode); err != nil || isMustGather {
		return err
	}
	content, err := yaml.Marshal(Time{at})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, TimeFile), content, fileMode)
}
