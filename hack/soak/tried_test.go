package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const logOfRun = "known\tlife, restart\t1.0\nknown\tlife, restart\t1.1\nknown\tlife, restart\t2.0\nknown\tWidget, valid\tspec.size\n" +
	"tried\tlife, restart\t2.0\ntried\tWidget, valid\tspec.size\n"

func TestMergeKeepsTriedItemsThatStillExist(t *testing.T) {
	known, now, err := parseRun(logOfRun)
	if err != nil {
		t.Fatal(err)
	}
	before, err := parseTried(triedPreamble + "life, restart: 1.1 9.9\nanother story, restart: 1.0\n")
	if err != nil {
		t.Fatal(err)
	}
	tried := merge(known, before, now)
	var document, table strings.Builder
	writeTried(&document, tried)
	if diff := cmp.Diff(triedPreamble+"Widget, valid: spec.size\nanother story, restart: 1.0\nlife, restart: 1.1 2.0\n", document.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	again, err := parseTried(document.String())
	if err != nil || !cmp.Equal(tried, again) {
		t.Errorf("the written document is parsed as %v (error %v), want %v", again, err, tried)
	}
	writeTriedTable(&table, known, tried)
	for _, row := range []string{"| fields of Widget with valid values | 1 | 1 |", "| restart | 3 | 4 |"} {
		if !strings.Contains(table.String(), row) {
			t.Errorf("the table has no row %q:\n%s", row, table.String())
		}
	}
}

func TestParseRejectsIncompleteLines(t *testing.T) {
	if _, _, err := parseRun("tried\tlife\n"); err == nil {
		t.Error("no error for a line without an item")
	}
	if _, err := parseTried("<<<<<<< ours\n"); err == nil {
		t.Error("no error for a line without a group")
	}
}
