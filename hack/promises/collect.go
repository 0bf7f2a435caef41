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
	// idInName finds ids in names of functions, which have _ instead of -.
	idInName = regexp.MustCompile(strings.ReplaceAll(idPattern, "-[", "_["))
	testName = regexp.MustCompile(`^(Test|Fuzz|Benchmark)`)
	// attempt is what looks like the beginning of a promise; beginning is what a promise begins with.
	attempt   = regexp.MustCompile(`^Promise [A-Z]+-`)
	beginning = regexp.MustCompile(`^Promise (` + idPattern + `): (\S.*)$`)
)

// promise is the text of one comment.
type promise struct{ id, text, file string }

// collection is what the files of a checkout have.
type collection struct {
	promises []promise
	// carriers are the files whose tests carry an id, in order and each once.
	carriers map[string][]string
	// malformed are comments that look like a promise and cannot be read.
	malformed []error
}

func newCollection() *collection { return &collection{carriers: map[string][]string{}} }

// addFolder adds the tests in Go and the stories in YAML of a folder below root.
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

// addGo adds a file in Go. Its tests carry ids in the names of functions, and in texts: those of subtests, specs and table entries.
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

// addStory adds a story in YAML, which carries the id that its file name begins with.
func (c *collection) addStory(file, content string) {
	if id := idInText.FindString(strings.ToUpper(path.Base(file))); id != "" {
		c.carry(id, file)
	}
	var lines []string
	for line := range strings.Lines(content) {
		comment, isComment := strings.CutPrefix(strings.TrimSpace(line), "#")
		if !isComment {
			comment = "" // which ends a promise, too
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

// addComment adds the promises in the lines of a comment.
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
			c.malformed = append(c.malformed, fmt.Errorf("%s: %q is not read; write it like %q", file, lines[i-len(text)], "Promise ENG-A5: The …"))
			continue
		}
		c.promises = append(c.promises, promise{parts[1], strings.Join(append([]string{parts[2]}, text...), " "), file})
	}
}

// faults are the reasons for which there can be no page, in order.
func (c *collection) faults() []error {
	faults := slices.Clone(c.malformed)
	first := map[string]promise{}
	for _, each := range c.promises {
		if before, twice := first[each.id]; twice {
			faults = append(faults, fmt.Errorf("%s has two promises, in %s and in %s; keep one", each.id, before.file, each.file))
			continue
		}
		first[each.id] = each
		if !slices.Contains(c.carriers[each.id], each.file) {
			faults = append(faults, fmt.Errorf("%s has the promise %s, and no test of the file carries that id", each.file, each.id))
		}
		if !strings.HasSuffix(each.text, ".") {
			faults = append(faults, fmt.Errorf("%s: the promise %s does not end with a period", each.file, each.id))
		}
	}
	for id, files := range c.carriers {
		if _, promised := first[id]; !promised {
			faults = append(faults, fmt.Errorf("%s has a test that carries %s, which has no promise; write it as a comment beside the test", files[0], id))
		}
		if _, err := placeOf(id); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", files[0], err))
		}
	}
	slices.SortFunc(faults, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return faults
}
