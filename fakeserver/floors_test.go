package fakeserver_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// floors are the package's files, lowest first. A file uses names declared in the files before it, never after.
var floors = strings.Fields(`
	marks behaviours names schema enums schema_instance schema_requests schema_answers message
	jsontext selector timetext wireout codes texts wirein
	times regions network authority mask change
	labels addresses redisconfigs replicas maintenance rules defaults
	routes query access quota filter options records world
	call paging locations operations instances create update verbs seeds
	answer page envelope gzip faults spoil journal work exchange direct listen
	control fidelity server doc
`)

func TestFloors(t *testing.T) {
	paths, err := filepath.Glob("*.go")
	require.NoError(t, err)
	set := token.NewFileSet()
	var files []*ast.File
	for _, p := range paths {
		if strings.HasSuffix(p, "_test.go") {
			continue
		}
		assert.Contains(t, floors, strings.TrimSuffix(p, ".go"), "a file without a floor")
		f, err := parser.ParseFile(set, p, nil, 0)
		require.NoError(t, err)
		files = append(files, f)
	}
	require.Len(t, files, len(floors))
	floor := func(pos token.Pos) int {
		return slices.Index(floors, strings.TrimSuffix(filepath.Base(set.Position(pos).Filename), ".go"))
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	// Nothing is imported: what comes from other packages is of no interest here, and its types are left unknown.
	conf := types.Config{Importer: nothing{}, Error: func(error) {}}
	pkg, _ := conf.Check("fakeserver", set, files, info)
	count := 0
	for id, object := range info.Uses {
		if object.Pkg() != pkg || object.Parent() != pkg.Scope() && !isMember(object) {
			continue
		}
		count++
		from, to := floor(id.Pos()), floor(object.Pos())
		assert.LessOrEqual(t, to, from, "%s uses %s, which is declared above it in %s", set.Position(id.Pos()), id.Name, filepath.Base(set.Position(object.Pos()).Filename))
	}
	assert.Greater(t, count, 2000)
}

// isMember tells a method or a field of the package's own types.
func isMember(o types.Object) bool {
	switch o := o.(type) {
	case *types.Func:
		return true
	case *types.Var:
		return o.IsField()
	}
	return false
}

type nothing struct{}

func (nothing) Import(path string) (*types.Package, error) {
	p := types.NewPackage(path, filepath.Base(path))
	p.MarkComplete()
	return p, nil
}

// The package imports the standard library alone, so nothing of the SDK's can cancel itself out in a test.
func TestImports(t *testing.T) {
	paths, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, p := range paths {
		if strings.HasSuffix(p, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, i := range f.Imports {
			assert.NotContains(t, i.Path.Value, ".", "%s imports %s", p, i.Path.Value)
		}
	}
}
