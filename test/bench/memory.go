package main

import (
	"fmt"

	"github.com/openshift/platform-operators/test/provenance"
)

// residentMemory is the resident memory of a process, in bytes. anonymous is its heap and stacks; total includes the pages of
// its binary.
type residentMemory struct {
	anonymous, total float64
}

func readResidentMemory(pid int) (residentMemory, error) {
	var memory residentMemory
	path := fmt.Sprintf("/proc/%d/status", pid)
	for name, into := range map[string]*float64{"RssAnon": &memory.anonymous, "VmRSS": &memory.total} {
		text, err := provenance.ProcValue(path, name)
		if err != nil {
			return residentMemory{}, err
		}
		if *into, err = provenance.ParseKiB(text); err != nil {
			return residentMemory{}, fmt.Errorf("reading %q of %s: %w", name, path, err)
		}
	}
	return memory, nil
}
