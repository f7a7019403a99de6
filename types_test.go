package memorystore

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"log/slog"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// read decodes an instance as a GetInstance does.
func read(t *testing.T, members string) (*Instance, error) {
	t.Helper()
	if members != "" {
		members = "," + members
	}
	return newScript(t, ok(`{"name":"`+testInstance+`"`+members+`}`)).client().GetInstance(t.Context(), testInstance)
}

func TestDecoding(t *testing.T) {
	day := func(s string) time.Time {
		d, err := time.Parse(time.RFC3339Nano, s)
		require.NoError(t, err)
		return d.UTC()
	}
	for _, row := range []struct {
		about, members string
		got            func(*Instance) any
		want           any
	}{
		{"an enum value newer than the SDK", `"state":"HIBERNATING"`, func(i *Instance) any { return i.State }, State("HIBERNATING")},
		{"an enum as its number", `"state":2`, func(i *Instance) any { return i.State }, StateReady},
		{"the highest number", `"state":9`, func(i *Instance) any { return i.State }, StateFailingOver},
		{"a number that stands for nothing", `"state":7`, func(i *Instance) any { return i.State }, State("7")},
		{"a number newer than the SDK", `"state":77`, func(i *Instance) any { return i.State }, State("77")},
		{"a negative number", `"state":-1`, func(i *Instance) any { return i.State }, State("-1")},
		{"an enum that is null", `"state":null`, func(i *Instance) any { return i.State }, State("")},
		{"tier", `"tier":3`, func(i *Instance) any { return i.Tier }, TierStandardHA},
		{"connect mode", `"connectMode":2`, func(i *Instance) any { return i.ConnectMode }, ConnectModePrivateServiceAccess},
		{"TLS", `"transitEncryptionMode":1`, func(i *Instance) any { return i.TransitEncryptionMode }, TransitEncryptionModeServerAuthentication},
		{"read replicas", `"readReplicasMode":2`, func(i *Instance) any { return i.ReadReplicasMode }, ReadReplicasEnabled},
		{"suspension", `"suspensionReasons":[1,"NEW",5]`, func(i *Instance) any { return i.SuspensionReasons },
			[]SuspensionReason{SuspensionReasonCustomerManagedKeyIssue, "NEW", "5"}},
		{"persistence", `"persistenceConfig":{"persistenceMode":2,"rdbSnapshotPeriod":6}`, func(i *Instance) any { return *i.PersistenceConfig },
			PersistenceConfig{PersistenceMode: PersistenceModeRDB, RDBSnapshotPeriod: SnapshotPeriodTwentyFourHours}},
		{"a day of the week in a window", `"maintenancePolicy":{"weeklyMaintenanceWindow":[{"day":7,"startTime":{"hours":"23"},"duration":"3600.5s"}]}`,
			func(i *Instance) any { return i.MaintenancePolicy.WeeklyMaintenanceWindow[0] },
			WeeklyMaintenanceWindow{Day: DayOfWeekSunday, StartTime: &TimeOfDay{Hours: 23}, Duration: 3600500 * time.Millisecond}},
		{"a window without a time", `"maintenancePolicy":{"weeklyMaintenanceWindow":[{}]}`, func(i *Instance) any { return i.MaintenancePolicy.WeeklyMaintenanceWindow[0] }, WeeklyMaintenanceWindow{}},
		{"a field newer than the SDK", `"color":{"deep":[1,{"x":null}]},"port":1`, func(i *Instance) any { return i.Port }, 1},
		{"a number as a text", `"memorySizeGb":"300"`, func(i *Instance) any { return i.MemorySizeGB }, 300},
		{"a whole number with a point", `"memorySizeGb":5.0`, func(i *Instance) any { return i.MemorySizeGB }, 5},
		{"a whole number with an exponent", `"memorySizeGb":3e2`, func(i *Instance) any { return i.MemorySizeGB }, 300},
		{"a number that is null", `"memorySizeGb":null`, func(i *Instance) any { return i.MemorySizeGB }, 0},
		{"a member twice", `"port":1,"port":2`, func(i *Instance) any { return i.Port }, 2},
		{"bytes that are no text", "\"displayName\":\"a\xffb\"", func(i *Instance) any { return i.DisplayName }, "a\ufffdb"},
		{"no fraction of a second", `"createTime":"2026-03-01T10:00:00Z"`, func(i *Instance) any { return i.CreateTime }, day("2026-03-01T10:00:00Z")},
		{"milliseconds", `"createTime":"2026-03-01T10:00:00.123Z"`, func(i *Instance) any { return i.CreateTime }, day("2026-03-01T10:00:00.123Z")},
		{"nanoseconds", `"createTime":"2026-03-01T10:00:00.123456789Z"`, func(i *Instance) any { return i.CreateTime }, day("2026-03-01T10:00:00.123456789Z")},
		{"more digits than that", `"createTime":"2026-03-01T10:00:00.1234567891Z"`, func(i *Instance) any { return i.CreateTime }, day("2026-03-01T10:00:00.123456789Z")},
		{"another zone", `"createTime":"2026-03-01T12:00:00+02:00"`, func(i *Instance) any { return i.CreateTime.UTC() }, day("2026-03-01T10:00:00Z")},
		{"a time that is none", `"createTime":"soon","port":1`, func(i *Instance) any { return []any{i.CreateTime, i.Port} }, []any{time.Time{}, 1}},
		{"a time that is no text", `"createTime":{"seconds":1},"port":1`, func(i *Instance) any { return []any{i.CreateTime, i.Port} }, []any{time.Time{}, 1}},
		{"an empty time", `"createTime":""`, func(i *Instance) any { return i.CreateTime }, time.Time{}},
		{"messages that are null", `"maintenancePolicy":null,"persistenceConfig":null,"nodes":null`,
			func(i *Instance) any {
				return i.MaintenancePolicy == nil && i.PersistenceConfig == nil && i.Nodes == nil
			}, true},
	} {
		t.Run(row.about, func(t *testing.T) {
			got, err := read(t, row.members)
			require.NoError(t, err)
			assert.Equal(t, row.want, row.got(got))
		})
	}
	for about, members := range map[string]string{
		"a number with a fraction": `"memorySizeGb":1.5`, "a number out of range": `"memorySizeGb":1e99`, "no number": `"memorySizeGb":"many"`, "a list for a number": `"port":[1]`,
		"a text for a list": `"nodes":"x"`, "an object for an enum": `"state":{}`, "cut": `"port":1,"no`,
	} {
		t.Run("refused: "+about, func(t *testing.T) {
			_, err := read(t, members)
			e := failure(t, err)
			assert.Contains(t, e.Message, "the answer cannot be read: ")
			assert.NotContains(t, e.Message, "many")
		})
	}
	t.Run("an empty answer is an empty message", func(t *testing.T) {
		for _, body := range []string{"", " \n", "{}"} {
			s := newScript(t, ok(body), ok(body), ok(body), ok(body))
			c := s.client()
			assert.NoError(t, c.CancelOperation(t.Context(), testOperation))
			assert.NoError(t, c.DeleteOperation(t.Context(), testOperation))
			secret, err := c.GetInstanceAuthString(t.Context(), testInstance)
			require.NoError(t, err)
			assert.Empty(t, secret.Reveal(), "AUTH is off")
			all, err := collect(c.ListInstances(t.Context(), testLocation))
			require.NoError(t, err)
			assert.Empty(t, all)
		}
	})
}

// What is written is read again as the same.
func TestInstanceRoundTrip(t *testing.T) {
	var in Instance
	fill(reflect.ValueOf(&in).Elem())
	b, err := jsonv2.Marshal(&in, jsonv2.Deterministic(true))
	require.NoError(t, err)
	var out Instance
	require.NoError(t, jsonv2.Unmarshal(b, &out, wireOptions))
	assert.Equal(t, in, out)
	var old Instance // encoding/json of today reads it too
	require.NoError(t, json.Unmarshal(b, &old))
	assert.Equal(t, in, old)
	zero, err := jsonv2.Marshal(&Instance{})
	require.NoError(t, err)
	assert.Equal(t, "{}", string(zero))
}

// fill sets every field to something.
func fill(v reflect.Value) {
	switch {
	case v.Type() == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(time.Date(2026, 3, 1, 10, 0, 0, 123456789, time.UTC)))
		return
	case v.Type() == reflect.TypeFor[time.Duration]():
		v.SetInt(int64(time.Hour))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("value")
	case reflect.Int:
		v.SetInt(7)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Map:
		v.Set(reflect.ValueOf(map[string]string{"key": "value"}))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0))
		fill(v.Index(1))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	default:
		panic("fill what of " + v.Type().String())
	}
}

func TestParseSeconds(t *testing.T) {
	for in, want := range map[string]time.Duration{
		"0s": 0, "45s": 45 * time.Second, "0.5s": 500 * time.Millisecond, "45.837906927s": 45837906927, "3600s": time.Hour, ".5s": 500 * time.Millisecond, "1.s": time.Second,
		"9223372036s": 9223372036 * time.Second, "9223372037s": math.MaxInt64, strings.Repeat("9", 400) + "s": math.MaxInt64,
	} {
		got, good := parseSeconds(in)
		assert.True(t, good, in)
		assert.Equal(t, want, got, in)
	}
	for _, in := range []string{"", "s", "45", "-1s", "+1s", "1e3s", "1m", "x", "0x1s", "1 s", "NaNs", "Infs", "1_000s", ".s", "1.2.3s"} {
		_, good := parseSeconds(in)
		assert.False(t, good, in)
	}
}

func TestSecret(t *testing.T) {
	const value = "auth-string-that-must-not-be-seen"
	s := NewSecret(value)
	holder := struct {
		Name   string
		Secret Secret
		Again  *Secret
		Map    map[string]Secret
		Any    any
	}{"x", s, &s, map[string]Secret{"k": s}, s}
	t.Run("it tells who asks", func(t *testing.T) {
		assert.Equal(t, value, s.Reveal())
		assert.Empty(t, Secret{}.Reveal())
		assert.True(t, s.Equal(NewSecret(value)))
		assert.False(t, s.Equal(NewSecret("x")))
		assert.True(t, Secret{}.Equal(NewSecret("")))
	})
	t.Run("no printer shows it", func(t *testing.T) {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%T", "%p", "%t", "%10s", "%-10v", "%e", "%c", "%U", "%w"} {
			for _, v := range []any{s, &s, holder, &holder, []Secret{s}, map[string]any{"k": s}, [1]Secret{s}} {
				text := fmt.Sprintf(verb, v)
				assert.NotContains(t, text, value, verb)
				assert.NotContains(t, text, fmt.Sprintf("%x", value), verb)
			}
		}
		assert.Equal(t, "REDACTED", fmt.Sprint(s))
		assert.Equal(t, "REDACTED", s.String())
		assert.Equal(t, "REDACTED", fmt.Sprintf("%#v", s))
	})
	t.Run("no encoder writes it", func(t *testing.T) {
		b, err := json.Marshal(holder)
		require.NoError(t, err)
		assert.NotContains(t, string(b), value)
		assert.Contains(t, string(b), `"Secret":"REDACTED"`)
		b, err = jsonv2.Marshal(holder)
		require.NoError(t, err)
		assert.NotContains(t, string(b), value)
		b, err = xml.Marshal(s)
		require.NoError(t, err)
		assert.NotContains(t, string(b), value)
	})
	t.Run("no log shows it", func(t *testing.T) {
		var b strings.Builder
		for _, h := range []slog.Handler{slog.NewTextHandler(&b, nil), slog.NewJSONHandler(&b, nil)} {
			slog.New(h).Info("here it is", "secret", s, "pointer", &s, "holder", holder, slog.Group("g", "s", s))
		}
		assert.NotContains(t, b.String(), value)
		assert.Contains(t, b.String(), "REDACTED")
	})
	t.Run("nothing that reflects reaches it", func(t *testing.T) {
		var walk func(v reflect.Value, depth int)
		walk = func(v reflect.Value, depth int) {
			if depth > 10 {
				return
			}
			switch v.Kind() {
			case reflect.String:
				assert.NotEqual(t, value, v.String())
			case reflect.Struct:
				for i := range v.NumField() {
					walk(v.Field(i), depth+1)
				}
			case reflect.Pointer, reflect.Interface:
				walk(v.Elem(), depth+1)
			}
		}
		walk(reflect.ValueOf(holder), 0)
	})
	t.Run("an AUTH string never shows in a log", func(t *testing.T) {
		script := newScript(t, busy(), ok(`{"authString":"`+value+`"}`))
		got, err := script.client(WithRetry(RetryPolicy{Backoff: atOnce})).GetInstanceAuthString(t.Context(), testInstance)
		require.NoError(t, err)
		assert.Equal(t, value, got.Reveal())
		assertNone(t, []string{value}, map[string]string{"the log": script.log.String()})
	})
}

func TestZones(t *testing.T) {
	assert.Nil(t, (&Location{}).Zones())
	assert.Equal(t, []string{"a", "b", "c"}, (&Location{Metadata: &LocationMetadata{AvailableZones: map[string]ZoneMetadata{"c": {}, "a": {}, "b": {}}}}).Zones())
}
