package capture

import (
	"fmt"
	"time"
)

// StoryFile is the name of the story in the directory of a capture. A story is a test in YAML, which starts with the captured objects;
// docs/scenarios.md describes it.
const StoryFile = "story.yaml"

const storyMode = 0o600

// story returns the story of a capture that was made at the given time: the manager starts, and nobody changes anything for an hour.
func story(at time.Time) []byte {
	return fmt.Appendf(nil, `# A story that starts with the objects in this directory. Add the steps that show the problem; see docs/scenarios.md.
title: The cluster that was captured at %s
steps:
- title: The manager runs for an hour
  wait: 1h
`, at.UTC().Format(time.RFC3339))
}
