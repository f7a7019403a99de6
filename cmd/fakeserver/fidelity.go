package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/memorystore-go/memorystore/fakeserver"
)

// writeFidelity prints the facts as Markdown: what they come to, then a table for each kind.
func writeFidelity(out io.Writer, facts []fakeserver.Fact) error {
	w := bufio.NewWriter(out)
	count := map[fakeserver.Mark]int{}
	for _, f := range facts {
		count[f.Mark]++
	}
	fmt.Fprintf(w, "%d facts: %d recorded from the service, %d documented by Google, %d guessed.\n",
		len(facts), count[fakeserver.Recorded], count[fakeserver.Documented], count[fakeserver.Guessed])
	kind := ""
	for _, f := range facts {
		if f.Kind != kind {
			kind = f.Kind
			fmt.Fprintf(w, "\n## %s\n\n| what | how | mark | source |\n|---|---|---|---|\n", kind)
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s |\n", cell(f.Key), cell(f.About), f.Mark, cell(f.Source))
	}
	return w.Flush()
}

var escape = strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;", ">", "&gt;", "*", `\*`)

// cell makes text fit into one cell of a Markdown table.
func cell(s string) string { return escape.Replace(s) }
