package story

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/google/go-cmp/cmp"
)

// Golden compares a report with a golden file. It returns an error if the file does not exist, and an error with a line diff if the report
// differs from the file. If update is true, Golden writes the report to the file instead.
func Golden(file, report string, update bool) error {
	if update {
		return os.WriteFile(file, []byte(report), 0o644) // a file of the source tree
	}
	content, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w; write it with -update", err)
	}
	if err != nil {
		return err
	}
	if diff := cmp.Diff(strings.Split(string(content), "\n"), strings.Split(report, "\n")); diff != "" {
		return fmt.Errorf("the report differs from %s (-file +run); if the new report is right, run the test again with -update:\n%s", file, diff)
	}
	return nil
}
