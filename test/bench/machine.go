package main

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

// describeRun tells what was measured, where, when and how. It never names the machine or a folder of it.
func describeRun(outFile string, args []string, now time.Time) ([][2]string, error) {
	commit, err := describeCommit(outFile)
	if err != nil {
		return nil, err
	}
	cpu, err := procField("/proc/cpuinfo", "model name")
	if err != nil {
		return nil, err
	}
	memory, err := procField("/proc/meminfo", "MemTotal")
	if err != nil {
		return nil, err
	}
	bytes, err := parseKiB(memory)
	if err != nil {
		return nil, fmt.Errorf("reading the machine's memory: %w", err)
	}
	load, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return nil, fmt.Errorf("reading the machine's load: %w", err)
	}
	command := "go run -C test/bench ."
	if len(args) > 0 {
		command += " " + strings.Join(args, " ")
	}
	return [][2]string{
		{"commit", commit},
		{"machine", fmt.Sprintf("%s, %d cores, %s, %s/%s", cpu, runtime.NumCPU(), size.format(bytes), runtime.GOOS, runtime.GOARCH)},
		{"load before the run", strings.Join(strings.Fields(string(load))[:1], "")},
		{"Go", runtime.Version()},
		{"command", "`" + command + "`"},
		{"date", now.UTC().Format("2006-01-02 15:04 UTC")},
	}, nil
}

// describeCommit names the commit that was measured and says whether the checkout differs from it. The document itself does
// not count: it is always older or newer than the commit it is in.
func describeCommit(outFile string) (string, error) {
	commit, err := exec.Command("git", "rev-parse", "--verify", "--quiet", "HEAD").Output()
	if err != nil {
		return "none yet", nil // a checkout without commits, or a copy without git
	}
	status, err := exec.Command("git", "status", "--porcelain", "--", ".", ":(exclude)"+outFile).Output()
	if err != nil {
		return "", fmt.Errorf("asking git whether the checkout is clean: %w", err)
	}
	text := strings.TrimSpace(string(commit))
	if len(bytes.TrimSpace(status)) > 0 {
		text += ", with uncommitted changes"
	}
	return text, nil
}

// procField returns the first value of a "name: value" line of a file below /proc.
func procField(path, name string) (string, error) {
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

// parseKiB reads the kernel's "12345 kB", which are KiB, as bytes.
func parseKiB(text string) (float64, error) {
	number, unit, _ := strings.Cut(text, " ")
	kib, err := strconv.ParseUint(number, 10, 64)
	if err != nil || unit != "kB" {
		return 0, fmt.Errorf("%q is no number of kB", text)
	}
	return float64(kib) * 1024, nil
}
