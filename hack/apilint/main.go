package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	root := flag.String("root", "../..", "folder of the main module")
	path := flag.String("settings", "settings.yaml", "file with the settings of the linters, and the exceptions")
	flag.Parse()
	findings, err := run(*root, *path, "./pkg/apis/...")
	if err != nil {
		fmt.Fprintln(os.Stderr, "linting the API:", err)
		os.Exit(2)
	}
	for _, each := range findings {
		fmt.Fprintln(os.Stderr, each)
	}
	if len(findings) > 0 {
		os.Exit(1)
	}
}

// run lints packages of the module at root with the settings file at path. It returns one line for each finding that no exception covers,
// and one for each unused exception.
func run(root, path string, packages ...string) ([]string, error) {
	settings, err := readSettings(path)
	if err != nil {
		return nil, err
	}
	found, err := lint(root, settings, packages...)
	if err != nil {
		return nil, err
	}
	return except(found, settings.Exceptions), nil
}
