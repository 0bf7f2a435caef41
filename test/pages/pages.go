// Package pages reads the commands on pages of docs/, so that tests can run them.
package pages

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

// consoleBlock matches a block of commands on a page, which may be part of a list. Its group has the lines of the block.
var consoleBlock = regexp.MustCompile("(?ms)^ *```console\n(.*?)^ *```")

// Commands returns the commands in a section of a page in order, those of one block as one script. A command begins with "$ ", and the lines
// after it belong to it. It returns an error if there are none.
func Commands(page, section string) ([]string, error) {
	content, err := os.ReadFile(page)
	if err != nil {
		return nil, err
	}
	_, text, found := strings.Cut(string(content), "\n## "+section+"\n")
	if !found {
		return nil, fmt.Errorf("%s has no section %q", page, section)
	}
	text, _, _ = strings.Cut(text, "\n## ")
	var scripts []string
	for _, block := range consoleBlock.FindAllStringSubmatch(text, -1) {
		lines := strings.Split(block[1], "\n")
		indent := strings.Index(lines[0], "$ ")
		for i, line := range lines {
			lines[i] = strings.TrimPrefix(line[min(indent, len(line)):], "$ ")
		}
		scripts = append(scripts, strings.Join(lines, "\n"))
	}
	if len(scripts) == 0 {
		return nil, fmt.Errorf("section %q of %s has no commands", section, page)
	}
	return scripts, nil
}

// Fill returns a script with values for placeholders, which are whole words.
func Fill(script string, values map[string]string) string {
	for placeholder, value := range values {
		script = regexp.MustCompile(`\b`+regexp.QuoteMeta(placeholder)+`\b`).ReplaceAllLiteralString(script, value)
	}
	return script
}
