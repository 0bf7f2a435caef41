// Package shell quotes the words of commands that messages and the plugin print, so that a reader can run a command as it is printed. It
// runs nothing.
package shell

import "strings"

// Quote returns a text as one word for a POSIX shell, so that the shell interprets no part of a name from a catalog, an API object or an
// argument. If the text contains only letters, digits and characters that no shell interprets, it is returned unchanged.
func Quote(word string) string {
	if word != "" && !strings.ContainsFunc(word, isSpecial) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// isSpecial reports whether a shell may interpret a character. A word without such characters needs no quotes.
func isSpecial(r rune) bool {
	isAlphanumeric := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	return !isAlphanumeric && !strings.ContainsRune("_@%+:,./-", r)
}
