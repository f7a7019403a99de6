package memorystore_test

import (
	"encoding/json"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// requirements are all that who imports the SDK gets. CONTRIBUTING.md says why each is there.
var requirements = map[string]bool{
	"github.com/go-json-experiment/json": true,
	"github.com/stretchr/testify":        true, // tests only
	"go.opentelemetry.io/otel":           true, // the API; its SDK belongs into a nested module's tests
	"go.opentelemetry.io/otel/metric":    true,
	"go.opentelemetry.io/otel/trace":     true,
	"golang.org/x/oauth2":                true,
	"google.golang.org/api":              true,
}

const (
	sdkPath  = "github.com/memorystore-go/memorystore"
	fakePath = sdkPath + "/fakeserver"
)

func TestRequirementsAreTheseOnly(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "mod", "edit", "-json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var mod struct {
		Require []struct {
			Path     string
			Indirect bool
		}
		Replace []struct{ Old struct{ Path string } }
	}
	if err := json.Unmarshal(out, &mod); err != nil {
		t.Fatal(err)
	}
	missing := map[string]bool{}
	for path := range requirements {
		missing[path] = true
	}
	for _, r := range mod.Require {
		if !r.Indirect && !requirements[r.Path] {
			t.Errorf("go.mod requires %s: who imports the SDK would get it too; has it a place in a nested module?", r.Path)
		}
		if !r.Indirect {
			delete(missing, r.Path)
		}
	}
	for path := range missing {
		t.Errorf("go.mod does not require %s any more: take it off this list and out of CONTRIBUTING.md", path)
	}
	for _, r := range mod.Replace {
		t.Errorf("go.mod replaces %s, which holds for no one who imports the SDK", r.Old.Path)
	}
}

func TestFakeserverIsAStranger(t *testing.T) {
	t.Parallel()
	for file, imports := range importsBelow(t, "fakeserver") {
		for _, path := range imports {
			switch host, _, _ := strings.Cut(path, "/"); {
			case path == sdkPath || strings.HasPrefix(path, sdkPath+"/") && !strings.HasPrefix(path, fakePath):
				t.Errorf("%s imports %s: a mistake in the SDK would cancel itself out", file, path)
			case strings.Contains(host, ".") && !strings.HasPrefix(path, fakePath) && !strings.HasSuffix(file, "_test.go"):
				t.Errorf("%s imports %s: the fake is the standard library alone", file, path)
			}
		}
	}
}

func TestSDKDoesNotImportTheFake(t *testing.T) {
	t.Parallel()
	for file, imports := range importsBelow(t, ".") {
		if filepath.Dir(file) != "." || strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, path := range imports {
			if strings.HasPrefix(path, fakePath) {
				t.Errorf("%s imports %s", file, path)
			}
		}
	}
}

// importsBelow returns what each Go file of this module below dir imports.
func importsBelow(t *testing.T, dir string) map[string][]string {
	t.Helper()
	imports := map[string][]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") || nested(path)):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".go":
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		imports[path] = []string{}
		for _, i := range f.Imports {
			name, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			imports[path] = append(imports[path], name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(imports) == 0 {
		t.Fatalf("no Go files below %s", dir)
	}
	return imports
}

// nested reports whether dir is another module.
func nested(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}
