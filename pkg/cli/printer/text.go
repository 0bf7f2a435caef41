package printer

import (
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/duration"
)

// minWrap is the minimum width of wrapped text. Text wrapped more narrowly is harder to read than lines that the terminal breaks.
const minWrap = 20

// OneLine returns text in one line, with spaces instead of hidden characters. Otherwise, text from catalogs and API objects could control
// the terminal.
func OneLine(text string) string {
	return strings.Join(strings.Fields(clean(text)), " ")
}

// clean replaces all hidden characters except line breaks with spaces.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && isHidden(r) {
			return ' '
		}
		return r
	}, text)
}

// Wrap breaks a line between words, so that each part has at most width columns; 0 means that it does not break the line. A longer word
// stays whole, because a broken command or name could not be copied.
func Wrap(line string, width int) []string {
	if width <= 0 || utf8.RuneCountInString(line) <= width {
		return []string{line}
	}
	width = max(width, minWrap)
	var lines []string
	current := ""
	for _, word := range strings.Fields(line) {
		switch {
		case current == "":
			current = word
		case utf8.RuneCountInString(current)+1+utf8.RuneCountInString(word) <= width:
			current += " " + word
		default:
			lines = append(lines, current)
			current = word
		}
	}
	return append(lines, current)
}

// command matches the beginning of a command in a sentence.
var command = regexp.MustCompile(`(?:^|[ (])(?:oc|kubectl) [a-z]`)

// Indented returns text, which may have several lines, wrapped within width and with an indent before each line. If a line that contains a
// command is too long, the command goes on a line of its own, which is not broken. Then a user can copy the command as one line, even if
// the terminal wraps it. The result ends with a line break, unless text is empty.
func Indented(text, indent string, width int) string {
	var out strings.Builder
	if width > 0 {
		width = max(width-len(indent), minWrap)
	}
	for line := range strings.Lines(clean(strings.TrimSpace(text))) {
		for _, part := range wrapProse(strings.TrimRight(line, "\n"), width) {
			out.WriteString(strings.TrimRight(indent+part, " ") + "\n")
		}
	}
	return out.String()
}

// wrapProse wraps a line, but not the command in it.
func wrapProse(line string, width int) []string {
	found := command.FindStringIndex(line)
	if found == nil || width <= 0 || utf8.RuneCountInString(line) <= width {
		return Wrap(line, width)
	}
	start := found[0]
	if start > 0 || line[start] == ' ' {
		start++
	}
	prose := strings.TrimRight(line[:start], " ")
	if prose == "" {
		return []string{line}
	}
	return append(Wrap(prose, width), line[start:])
}

// Age returns the time since an object was created, in the format that kubectl uses. It returns 0s for a time in the future, because the
// clock of the API server may be ahead of the user's.
func Age(created, now time.Time) string {
	if created.IsZero() {
		return "<unknown>"
	}
	return duration.HumanDuration(max(0, now.Sub(created)))
}

// Count returns a number and its noun, such as "1 operator" or "2 operators".
func Count(number int, noun string) string {
	if number == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", number, noun)
}
