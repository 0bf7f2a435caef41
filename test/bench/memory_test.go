package main

import (
	"os"
	"testing"
)

func TestResidentMemoryOfThisProcess(t *testing.T) {
	memory, err := readResidentMemory(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if memory.anonymous <= 0 || memory.total <= memory.anonymous {
		t.Errorf("got %+v; want some anonymous memory, and a total above it", memory)
	}
}
