// Package provenance describes how the measurements in a document were made: the commit, the machine, the Go version, the command and the
// date. The description contains neither the host name of the machine nor the path of the checkout.
package provenance

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// Fact is a name and its value: a row of a document's first table.
type Fact [2]string

// Describe returns the facts about a run of command that starts at now. It reads /proc, and therefore needs Linux. The working
// directory must be in the checkout. document is the path, relative to the working directory, of the file that the run writes.
func Describe(document, command string, now time.Time) ([]Fact, error) {
	commit, err := describeCommit(document)
	if err != nil {
		return nil, err
	}
	cpu, err := ProcValue("/proc/cpuinfo", "model name")
	if err != nil {
		cpu = "unnamed processor" // as on arm64
	}
	memory, err := ProcValue("/proc/meminfo", "MemTotal")
	if err != nil {
		return nil, err
	}
	bytes, err := ParseKiB(memory)
	if err != nil {
		return nil, fmt.Errorf("reading the machine's memory: %w", err)
	}
	load, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return nil, fmt.Errorf("reading the machine's load: %w", err)
	}
	return []Fact{
		{"commit", commit},
		{"machine", fmt.Sprintf("%s, %d cores, %.1f GiB, %s/%s", cpu, runtime.NumCPU(), bytes/(1<<30), runtime.GOOS, runtime.GOARCH)},
		{"load before the run", strings.Join(strings.Fields(string(load))[:1], "")},
		{"Go", runtime.Version()},
		{"command", "`" + command + "`"},
		{"date", now.UTC().Format("2006-01-02 15:04 UTC")},
	}, nil
}

// describeCommit returns the hash of the checked-out commit, with a remark if the working directory has uncommitted changes. It ignores
// changes to the document, because each run changes it. It returns "none yet" if git finds no commit.
func describeCommit(document string) (string, error) {
	commit, err := exec.Command("git", "rev-parse", "--verify", "--quiet", "HEAD").Output()
	if err != nil {
		return "none yet", nil // a checkout without commits, or a copy without git
	}
	status, err := exec.Command("git", "status", "--porcelain", "--", ".", ":(exclude)"+document).Output()
	if err != nil {
		return "", fmt.Errorf("asking git whether the checkout is clean: %w", err)
	}
	text := strings.TrimSpace(string(commit))
	if len(bytes.TrimSpace(status)) > 0 {
		text += ", with uncommitted changes"
	}
	return text, nil
}

// ProcValue returns the value of the first "name: value" line with this name in a file below /proc. It returns an error if there is no
// such line.
func ProcValue(path, name string) (string, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("reading %q of %s: %w", name, path, err)
	}
	value, ok := field(content, name)
	if !ok {
		return "", fmt.Errorf("reading %q of %s: there is no such line", name, path)
	}
	return value, nil
}

func field(content []byte, name string) (string, bool) {
	for lines := bufio.NewScanner(bytes.NewReader(content)); lines.Scan(); {
		key, value, found := strings.Cut(lines.Text(), ":")
		if found && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value), true
		}
	}
	return "", false
}

// ParseKiB returns the number of bytes in a size that the kernel prints as "12345 kB", where kB means KiB. It returns an error for other
// units.
func ParseKiB(text string) (float64, error) {
	number, unit, _ := strings.Cut(text, " ")
	kib, err := strconv.ParseUint(number, 10, 64)
	if err != nil || unit != "kB" {
		return 0, fmt.Errorf("%q is no number of kB", text)
	}
	return float64(kib) * 1024, nil
}
