package docs

import (
	"go/ast"
	"go/token"
	"io/fs"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var environmentVariable = regexp.MustCompile(`^[A-Z]+(_[A-Z]+)+$`)

// skippedFolders are the names of folders that contain no code of the project.
var skippedFolders = []string{"vendor", "_output", ".git"}

// addCode adds the declarations in Go files, the strings of the manager and the extension, and the base names of all files.
func (v *vocabulary) addCode(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if slices.Contains(skippedFolders, entry.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		v.files[entry.Name()] = true
		if filepath.Ext(path) == ".go" && !strings.HasPrefix(path, filepath.Join(root, "pkg", "client")) {
			v.addFile(t, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// source is a Go file whose names and strings are added to a vocabulary.
type source struct {
	*vocabulary
	name, folder                   string // of its package
	isInStories, inManager, isTest bool
}

func (v *vocabulary) addFile(t *testing.T, path string) {
	t.Helper()
	folder, err := filepath.Rel(root, filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	file := parseFile(t, path)
	isInStories := strings.Contains(path, "/scenario") || strings.Contains(path, "/parity/")
	s := source{v, file.Name.Name, folder, isInStories, strings.HasPrefix(folder, "pkg") && !isInStories, strings.HasSuffix(path, "_test.go")}
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.FuncDecl:
			s.declare(node.Name.Name)
			v.declared["."+node.Name.Name] = v.declared["."+node.Name.Name] || node.Recv != nil // a method
		case *ast.TypeSpec:
			s.declare(node.Name.Name)
		case *ast.ValueSpec:
			for _, name := range node.Names {
				s.declare(name.Name)
			}
		case *ast.StructType:
			s.addFields(node)
		case *ast.CallExpr:
			if strings.HasPrefix(selectorName(node.Fun), "flag.") && len(node.Args) > 1 {
				if name, isText := node.Args[0].(*ast.BasicLit); isText {
					v.declared["flag "+strings.Trim(name.Value, `"`)] = true
				}
			}
		case *ast.BasicLit:
			if text, err := strconv.Unquote(node.Value); err == nil && node.Kind == token.STRING {
				s.addText(text)
			}
		}
		return true
	})
}

func (s source) declare(name string) {
	s.declared[name], s.declared[s.name+"."+name], s.declared[s.folder+"."+name] = true, true, true
}

// addFields adds a struct's fields and their names in JSON and YAML.
func (s source) addFields(of *ast.StructType) {
	for _, field := range of.Fields.List {
		for _, name := range field.Names {
			s.declared[s.folder+"."+name.Name], s.declared["."+name.Name] = true, true
		}
		if field.Tag != nil {
			words := strings.Split(reflect.StructTag(strings.Trim(field.Tag.Value, "`")).Get("json"), ",")
			s.exact[words[0]] = s.exact[words[0]] || s.inManager && !s.isTest
			s.storyWords[words[0]] = s.storyWords[words[0]] || s.isInStories
		}
	}
}

func (s source) addText(text string) {
	if !s.isTest || s.inManager { // a test in pkg/ expects messages that the code composes
		s.literals = append(s.literals, text)
	}
	if !s.isTest {
		s.exact[text] = s.exact[text] || s.inManager
		s.storyWords[text] = s.storyWords[text] || s.isInStories
	}
	if environmentVariable.MatchString(text) {
		s.declared["$"+text] = true
	}
}
