package memorystore_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// floors are the files of this package, from the roof to the cellar. A file uses names declared on floors below its
// own, or beside it on its own floor as long as no circle comes of it. A new file is added here, where its question
// belongs: CONTRIBUTING.md says which file answers which.
var floors = []string{
	"doc.go",
	"instances.go locations.go",
	"report.go",
	"reconcile.go",
	"operations.go",
	"pages.go",
	"client.go transport.go",
	"options.go",
	"retry.go budget.go",
	"observe.go",
	"errors.go",
	"call.go",
	"names.go",
	"types.go",
}

// maxRooms is how many files a GetInstance that succeeds may pass through.
const maxRooms = 6

func TestFilesUseOnlyFloorsBelow(t *testing.T) {
	t.Parallel()
	floor := map[string]int{}
	for i, files := range floors {
		for _, file := range strings.Fields(files) {
			floor[file] = i
		}
	}
	uses := fileUses(t, ".")
	for file := range uses {
		if _, ok := floor[file]; !ok {
			t.Errorf("%s has no floor: add it to floors, where its question belongs", file)
		}
	}
	for _, u := range uses.sorted() {
		from, known := floor[u.from]
		if to, ok := floor[u.to]; ok && known && to < from {
			t.Errorf("%s uses %s, which is above it: %s", u.from, u.to, u.why)
		}
	}
	for _, circle := range uses.circles() {
		t.Errorf("files use each other in a circle: %s", circle)
	}
}

func TestFakeserverHasNoFileCircle(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("fakeserver"); errors.Is(err, fs.ErrNotExist) {
		t.Skip("there is no fakeserver here")
	}
	for _, circle := range fileUses(t, "fakeserver").circles() {
		t.Errorf("files of fakeserver use each other in a circle: %s", circle)
	}
}

func TestGetInstancePassesThroughFewFiles(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds the package again, with counters")
	}
	dir := t.TempDir()
	run := func(name string, args ...string) {
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Env = append(os.Environ(), "GOCOVERDIR="+t.TempDir()) // what it writes at its end counts more than the call
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", cmd, err, out)
		}
	}
	program, profile := filepath.Join(dir, "rooms"), filepath.Join(dir, "profile")
	run("go", "build", "-covermode=atomic", "-coverpkg=.,./testdata/rooms", "-o", program, "./testdata/rooms")
	run(program, dir)
	run("go", "tool", "covdata", "textfmt", "-i="+dir, "-o="+profile)
	text, err := os.ReadFile(profile)
	if err != nil {
		t.Fatal(err)
	}
	rooms := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		// github.com/memorystore-go/memorystore/retry.go:173.2,174.3 1 0
		place, count, ok := strings.Cut(strings.TrimSpace(line), ".go:")
		if ok && !strings.HasSuffix(count, " 0") && !strings.Contains(place, "/testdata/") {
			rooms[place[strings.LastIndexByte(place, '/')+1:]+".go"] = true
		}
	}
	names := strings.Join(slices.Sorted(maps.Keys(rooms)), " ")
	t.Logf("%d files: %s", len(rooms), names)
	if len(rooms) == 0 || len(rooms) > maxRooms {
		t.Errorf("a GetInstance passes through %d files, more than %d: %s", len(rooms), maxRooms, names)
	}
}

// A use is that a file names what another file of its package declares.
type use struct{ from, to, why string }

// A usage holds, for each file, the files it uses, and one reason for each.
type usage map[string]map[string]string

func (u usage) sorted() []use {
	var all []use
	for from, tos := range u {
		for to, why := range tos {
			all = append(all, use{from, to, why})
		}
	}
	slices.SortFunc(all, func(a, b use) int { return cmp.Or(strings.Compare(a.from, b.from), strings.Compare(a.to, b.to)) })
	return all
}

// circles returns the groups of files of which each uses, by way of others, each other.
func (u usage) circles() []string {
	reach := map[string]map[string]bool{}
	var visit func(from, at string)
	visit = func(from, at string) {
		for to := range u[at] {
			if !reach[from][to] {
				reach[from][to] = true
				visit(from, to)
			}
		}
	}
	for file := range u {
		reach[file] = map[string]bool{}
		visit(file, file)
	}
	var circles []string
	seen := map[string]bool{}
	for _, file := range slices.Sorted(maps.Keys(u)) {
		if seen[file] || !reach[file][file] {
			continue
		}
		var text []string
		for _, u := range u.sorted() {
			if reach[file][u.from] && reach[u.from][file] && reach[file][u.to] && reach[u.to][file] {
				seen[u.from] = true
				text = append(text, fmt.Sprintf("\n\t%s -> %s: %s", u.from, u.to, u.why))
			}
		}
		circles = append(circles, strings.Join(text, ""))
	}
	return circles
}

// fileUses type-checks the package in dir, without its tests, and returns which of its files use which.
func fileUses(t *testing.T, dir string) usage {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-export", "-deps", "-json=ImportPath,Export,GoFiles,DepOnly", ".")
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v", cmd, err)
	}
	type listed struct {
		ImportPath, Export string
		GoFiles            []string
		DepOnly            bool
	}
	exports := map[string]string{}
	var self listed
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
		if !p.DepOnly {
			self = p
		}
	}
	fset := token.NewFileSet()
	var files []*ast.File
	uses := usage{}
	for _, name := range self.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
		uses[name] = map[string]string{}
	}
	config := types.Config{Importer: importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	pkg, err := config.Check(self.ImportPath, fset, files, &info)
	if err != nil {
		t.Fatal(err)
	}
	for ident, object := range info.Uses {
		if object.Pkg() != pkg || !object.Pos().IsValid() {
			continue
		}
		at := fset.Position(ident.Pos())
		from, to := filepath.Base(at.Filename), filepath.Base(fset.Position(object.Pos()).Filename)
		why := fmt.Sprintf("%s at line %d", object.Name(), at.Line)
		if old, ok := uses[from][to]; from != to && (!ok || why < old) {
			uses[from][to] = why
		}
	}
	return uses
}
