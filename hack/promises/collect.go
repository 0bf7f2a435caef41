package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const idPattern = `(?:CLI|CLU|ENG|HRD|OM|UPG)-[A-Z]?[0-9]+`

var (
	idInText = regexp.MustCompile(`\b` + idPattern + `\b`)
	// idInName matches ids in function names, which have _ instead of -.
	idInName = regexp.MustCompile(strings.ReplaceAll(idPattern, "-[", "_["))
	testName = regexp.MustCompile(`^(Test|Fuzz|Benchmark)`)
	// attempt matches a line that is probably meant as a promise. beginning matches the first line of a promise.
	attempt   = regexp.MustCompile(`^Promise [A-Z]+-`)
	beginning = regexp.MustCompile(`^Promise (` + idPattern + `): (\S.*)$`)
)

// promise is a documented guarantee, with its id and the file whose comment contains it.
type promise struct{ id, text, file string }

// collection holds the promises and the tests of a checkout.
type collection struct {
	promises []promise
	// carriers maps each id to the files with tests for it, in the order in which they were added and without duplicates.
	carriers map[string][]string
	// malformed holds an error for each comment that begins like a promise but has an invalid id or no text.
	malformed []error
}

func newCollection() *collection { return &collection{carriers: map[string][]string{}} }

// addFolder adds the Go tests and the YAML scenarios in a folder below root. It skips own, the folder of this program.
func (c *collection) addFolder(root, folder string) error {
	return filepath.WalkDir(filepath.Join(root, folder), func(full string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, full)
		if err != nil {
			return err
		}
		if relative = filepath.ToSlash(relative); entry.IsDir() {
			if relative == own {
				return filepath.SkipDir
			}
			return nil
		}
		isGo := strings.HasSuffix(full, "_test.go")
		if !isGo && !isStory(full) {
			return nil
		}
		content, err := os.ReadFile(full)
		if err != nil {
			return err
		}
		if isGo {
			return c.addGo(relative, content)
		}
		c.addStory(relative, string(content))
		return nil
	})
}

func isStory(file string) bool {
	return path.Base(path.Dir(filepath.ToSlash(file))) == "scenarios" && strings.HasSuffix(file, ".yaml")
}

// addGo adds a Go file. It reads ids from the names of test functions and from string literals, such as the names of subtests. It reads
// promises from comments.
func (c *collection) addGo(file string, content []byte) error {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, content, parser.ParseComments)
	if err != nil {
		return err
	}
	ast.Inspect(parsed, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.FuncDecl:
			if testName.MatchString(node.Name.Name) {
				for _, id := range idInName.FindAllString(node.Name.Name, -1) {
					c.carry(strings.ReplaceAll(id, "_", "-"), file)
				}
			}
		case *ast.BasicLit:
			if node.Kind == token.STRING {
				for _, id := range idInText.FindAllString(node.Value, -1) {
					c.carry(id, file)
				}
			}
		}
		return true
	})
	for _, group := range parsed.Comments {
		var lines []string
		for _, comment := range group.List {
			lines = append(lines, strings.TrimSpace(strings.TrimPrefix(comment.Text, "//")))
		}
		c.addComment(file, lines)
	}
	return nil
}

// addStory adds a YAML scenario. It reads the id from the file name, and promises from comments.
func (c *collection) addStory(file, content string) {
	if id := idInText.FindString(strings.ToUpper(path.Base(file))); id != "" {
		c.carry(id, file)
	}
	var lines []string
	for line := range strings.Lines(content) {
		comment, isComment := strings.CutPrefix(strings.TrimSpace(line), "#")
		if !isComment {
			comment = "" // an empty line, which ends a promise
		}
		lines = append(lines, strings.TrimSpace(comment))
	}
	c.addComment(file, lines)
}

func (c *collection) carry(id, file string) {
	if !slices.Contains(c.carriers[id], file) {
		c.carriers[id] = append(c.carriers[id], file)
	}
}

// addComment adds the promises in a comment, and errors for malformed ones.
func (c *collection) addComment(file string, lines []string) {
	for i := 0; i < len(lines); i++ {
		if !attempt.MatchString(lines[i]) {
			continue
		}
		parts := beginning.FindStringSubmatch(lines[i])
		text := []string{}
		for i++; i < len(lines) && lines[i] != "" && !attempt.MatchString(lines[i]); i++ {
			text = append(text, lines[i])
		}
		i--
		if parts == nil {
			c.malformed = append(c.malformed, fmt.Errorf("%s: %q is no valid promise; write it as in %q", file, lines[i-len(text)], "Promise ENG-A5: The …"))
			continue
		}
		c.promises = append(c.promises, promise{parts[1], strings.Join(append([]string{parts[2]}, text...), " "), file})
	}
}

// problems returns the errors that prevent the page from being written, sorted by message.
func (c *collection) problems() []error {
	problems := slices.Clone(c.malformed)
	first := map[string]promise{}
	for _, each := range c.promises {
		if before, twice := first[each.id]; twice {
			problems = append(problems, fmt.Errorf("%s has two promises, in %s and in %s; keep one", each.id, before.file, each.file))
			continue
		}
		first[each.id] = each
		if !slices.Contains(c.carriers[each.id], each.file) {
			problems = append(problems, fmt.Errorf("%s has promise %s, and no test in the file has the id", each.file, each.id))
		}
		if !strings.HasSuffix(each.text, ".") {
			problems = append(problems, fmt.Errorf("%s: the promise %s does not end with a period", each.file, each.id))
		}
	}
	for id, files := range c.carriers {
		if _, promised := first[id]; !promised {
			problems = append(problems, fmt.Errorf("%s has a test with id %s, which has no promise; add it as a comment beside the test", files[0], id))
		}
		if _, err := placeOf(id); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", files[0], err))
		}
	}
	slices.SortFunc(problems, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return problems
}
