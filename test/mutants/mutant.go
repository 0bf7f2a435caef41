package mutants

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Mutant is the manager with one rule switched off.
type Mutant struct {
	// Spec names a test that must fail against the mutant: a spec for openshift-tests without its prefix, or a story as for the go
	// command's flag -run. Failure is a part of the expected failure message.
	Spec, Failure string
	// Package is a folder, as a path from the root of the checkout. Function is a function or method of that package, as Go names it:
	// "New", "Request.allows", "(*controller).check".
	Package, Function string
	// Begin is the statement that is inserted at the start of Function's body. The body stays after the statement, because otherwise
	// imports and variables could be unused and the package would not compile.
	Begin string
}

// Place returns the function that implements the rule, as "package.function".
func (m Mutant) Place() string { return m.Package + "." + m.Function }

// ID returns an identifier of the mutant: its Place with a checksum of Begin.
func (m Mutant) ID() string {
	return fmt.Sprintf("%s-%x", m.Place(), crc32.ChecksumIEEE([]byte(m.Begin)))
}

// Overlay writes copies of the mutants' files with the changed functions to dir, and an overlay file for the go command's flag -overlay.
// It returns the path of the overlay file, or an error if a package does not have the function exactly once. root is the folder of
// go.mod, and dir exists; both are absolute paths.
func Overlay(root, dir string, mutants ...Mutant) (string, error) {
	sources := map[string][]byte{} // keyed by path; a file may contain the functions of several mutants
	for _, each := range mutants {
		if err := each.apply(root, sources); err != nil {
			return "", fmt.Errorf("switching off the rule of %q: %w", each.Spec, err)
		}
	}
	return write(dir, sources)
}

// write writes the sources to dir, and an overlay file for them. It returns the path of the overlay file. sources maps paths to file
// contents.
func write(dir string, sources map[string][]byte) (string, error) {
	replace := map[string]string{}
	for path, source := range sources {
		replace[path] = filepath.Join(dir, fmt.Sprintf("%d.go", len(replace)))
		if err := os.WriteFile(replace[path], source, 0o600); err != nil {
			return "", err
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, overlay, 0o600)
}

// apply inserts Begin into the mutant's function. It takes the function's file from sources, which maps paths to file contents, or from
// disk if sources lacks it. It stores the result in sources. It returns an error unless the package has the function exactly once.
func (m Mutant) apply(root string, sources map[string][]byte) error {
	paths, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(m.Package), "*.go"))
	if err != nil {
		return err
	}
	paths = slices.DeleteFunc(paths, func(path string) bool { return strings.HasSuffix(path, "_test.go") })
	var found []string
	for _, path := range paths {
		source, ok := sources[path]
		if !ok {
			if source, err = os.ReadFile(path); err != nil {
				return err
			}
		}
		changed, times, err := m.changed(source)
		if err != nil {
			return fmt.Errorf("reading %s: %w", path, err)
		}
		if times > 0 {
			sources[path] = changed
		}
		found = append(found, slices.Repeat([]string{path}, times)...)
	}
	if len(found) != 1 {
		return fmt.Errorf("package %s has function %s %d times, not once %q: correct the table of mutants", m.Package, m.Function, len(found), found)
	}
	return nil
}

// changed returns source with Begin at the start of the mutant's function, and the number of functions with that name in source. If there
// is none, it returns source unchanged. If there are several, it changes the last one only.
func (m Mutant) changed(source []byte) (changed []byte, times int, err error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", source, parser.SkipObjectResolution)
	if err != nil {
		return nil, 0, err
	}
	changed = source
	for _, declaration := range file.Decls {
		function, ok := declaration.(*ast.FuncDecl)
		if !ok || nameOf(function) != m.Function || function.Body == nil {
			continue
		}
		times++
		after := files.Position(function.Body.Lbrace).Offset + 1
		changed = slices.Concat(source[:after], []byte("\n"+m.Begin+"\n"), bytes.TrimLeft(source[after:], "\n"))
	}
	return changed, times, nil
}

// nameOf returns the name of a function, such as "New", or of a method with its receiver's type, such as "(*controller).check". It omits
// type parameters.
func nameOf(function *ast.FuncDecl) string {
	if function.Recv == nil {
		return function.Name.Name
	}
	receiver, _, _ := strings.Cut(types.ExprString(function.Recv.List[0].Type), "[")
	if strings.HasPrefix(receiver, "*") {
		receiver = "(" + receiver + ")"
	}
	return receiver + "." + function.Name.Name
}
