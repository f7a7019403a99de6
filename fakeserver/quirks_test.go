package fakeserver_test

import (
	"crypto/tls"
	"crypto/x509"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/memorystore-go/memorystore/fakeserver"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The quirks of the service that a server can show, by their number in the list of 38
// that was gathered from public issues, recordings and documentation. Those
// that TestRefusals shows: 1, 2, 3, 4, 9, 11, 12, 13, 15, 17, 32. Those that only a client can show: 19 (a gRPC
// client's), 37 (Terraform's own check). 24 (concurrent creates on a new network fail) is not played: it is a race
// inside the service whose rule is not known. 34 and 22, 23 are what OperationControl.Fail is for.
var quirks = map[string]func(t *testing.T, s *fakeserver.Server){
	"5 secondaryIpRange is dropped at create and set while enabling read replicas": func(t *testing.T, s *fakeserver.Server) {
		in := create(t, s, "ha", `{"tier":"STANDARD_HA","memorySizeGb":5,"secondaryIpRange":"10.20.30.0/28"}`)
		assert.NotContains(t, in, "secondaryIpRange")
		assert.EqualValues(t, 1, in["replicaCount"])
		in = finish(t, s, must(t, s, "PATCH", "/v1/"+parent+"/instances/ha?updateMask=readReplicasMode,secondaryIpRange", `{"readReplicasMode":2,"secondaryIpRange":"10.20.30.0/28"}`))["response"].(object)
		assert.Equal(t, "10.20.30.0/28", in["secondaryIpRange"])
		assert.Equal(t, "10.20.30.4", in["readEndpoint"])
		assert.EqualValues(t, 2, in["replicaCount"])
		assert.Len(t, in["nodes"], 3)
	},
	"6 readReplicasMode unspecified is disabled": func(t *testing.T, s *fakeserver.Server) {
		in := create(t, s, "a", `{"tier":"BASIC","memorySizeGb":1,"readReplicasMode":"READ_REPLICAS_MODE_UNSPECIFIED"}`)
		assert.Equal(t, "READ_REPLICAS_DISABLED", in["readReplicasMode"])
	},
	"7 read replicas are for ever, disabling disabled ones is nothing": func(t *testing.T, s *fakeserver.Server) {
		create(t, s, "ha", `{"tier":"STANDARD_HA","memorySizeGb":5}`)
		finish(t, s, must(t, s, "PATCH", "/v1/"+parent+"/instances/ha?updateMask=readReplicasMode", `{"readReplicasMode":"READ_REPLICAS_DISABLED"}`))
		finish(t, s, must(t, s, "PATCH", "/v1/"+parent+"/instances/ha?updateMask=readReplicasMode,secondaryIpRange,replicaCount", `{"readReplicasMode":2,"secondaryIpRange":"auto","replicaCount":3}`))
		refused(t, s, "PATCH", "/v1/"+parent+"/instances/ha?updateMask=read_replicas_mode", `{"readReplicasMode":1}`, 400)
		in := finish(t, s, must(t, s, "PATCH", "/v1/"+parent+"/instances/ha?updateMask=replicaCount", `{"replicaCount":1}`))["response"].(object)
		assert.Len(t, in["nodes"], 2)
	},
	"8 persistence that was switched off still shows its period": func(t *testing.T, s *fakeserver.Server) {
		in := create(t, s, "a", `{"tier":"BASIC","memorySizeGb":1,"persistenceConfig":{"persistenceMode":"RDB"}}`)
		p := in["persistenceConfig"].(object)
		assert.ElementsMatch(t, []string{"persistenceMode", "rdbSnapshotPeriod", "rdbNextSnapshotTime", "rdbSnapshotStartTime"}, slices.Collect(maps.Keys(p)))
		assert.Equal(t, "TWENTY_FOUR_HOURS", p["rdbSnapshotPeriod"])
		in = finish(t, s, must(t, s, "PATCH", "/v1/"+parent+"/instances/a?updateMask=persistenceConfig", `{"persistenceConfig":{"persistenceMode":"DISABLED"}}`))["response"].(object)
		assert.Equal(t, object{"persistenceMode": "DISABLED", "rdbSnapshotPeriod": "TWENTY_FOUR_HOURS"}, in["persistenceConfig"])
	},
	"10 the name of a range goes in, its block comes out": func(t *testing.T, s *fakeserver.Server) {
		in := create(t, s, "a", `{"tier":"BASIC","memorySizeGb":1,"connectMode":"PRIVATE_SERVICE_ACCESS","authorizedNetwork":"projects/host/global/networks/n","reservedIpRange":"range-one,range-two"}`)
		assert.Regexp(t, `^10\.\d+\.\d+\.\d+/29$`, in["reservedIpRange"])
	},
	"14 a zone or an unknown region as location is forbidden": func(t *testing.T, s *fakeserver.Server) {
		for _, location := range []string{"us-central1-f", "nowhere1"} {
			for _, path := range []string{"", "/instances", "/instances/a", "/operations", "/operations/o"} {
				e := refused(t, s, "GET", "/v1/projects/p/locations/"+location+path, "", 403)
				assert.Equal(t, "Location "+location+" is not found or access is unauthorized.", e["message"])
				assert.NotContains(t, e, "details")
			}
			refused(t, s, "POST", "/v1/projects/p/locations/"+location+"/instances?instanceId=a", basic, 403)
		}
	},
	"16 a create whose answer was lost is there": func(t *testing.T, s *fakeserver.Server) {
		s.Inject("instances.create", fakeserver.Fault{Status: 503, AfterWork: true})
		refused(t, s, "POST", "/v1/"+parent+"/instances?instanceId=a", basic, 503)
		refused(t, s, "POST", "/v1/"+parent+"/instances?instanceId=a", basic, 409)
	},
	"18 an operation may be done at once": func(t *testing.T, _ *fakeserver.Server) {
		s := fakeserver.New(fakeserver.WithOperationTimes(fakeserver.Immediate()))
		assert.Equal(t, true, must(t, s, "POST", "/v1/"+parent+"/instances?instanceId=a", basic)["done"])
	},
	"20 an older maintenance version cannot be pinned": func(t *testing.T, s *fakeserver.Server) {
		in := create(t, s, "a", `{"tier":"BASIC","memorySizeGb":1,"maintenanceVersion":"20200101_00_00"}`)
		assert.Equal(t, "20251007_00_00", in["maintenanceVersion"])
		in = finish(t, s, must(t, s, "PATCH", "/v1/"+parent+"/instances/a?updateMask=maintenance_version", `{"maintenanceVersion":"20260220_00_01"}`))["response"].(object)
		assert.Equal(t, "20260220_00_01", in["maintenanceVersion"])
		assert.NotContains(t, in, "availableMaintenanceVersions")
		refused(t, s, "PATCH", "/v1/"+parent+"/instances/a?updateMask=maintenance_version", `{"maintenanceVersion":"20251007_00_00"}`, 400)
	},
	"21 the default version is 7.0": func(t *testing.T, s *fakeserver.Server) {
		assert.Equal(t, "REDIS_7_0", create(t, s, "a", basic)["redisVersion"])
	},
	"22, 23, 34 trouble shows at the end of the operation": func(t *testing.T, s *fakeserver.Server) {
		s.Operations().Fail(parent+"/instances/a", 8, "Unable to create instance. System limit for internal resources has been reached.")
		op := finish(t, s, must(t, s, "POST", "/v1/"+parent+"/instances?instanceId=a", basic))
		assert.EqualValues(t, 8, op["error"].(object)["code"])
		refused(t, s, "GET", "/v1/"+parent+"/instances/a", "", 404)
	},
	"25 AUTH strings are the service's, and new each time": func(t *testing.T, s *fakeserver.Server) {
		path := "/v1/" + parent + "/instances/a"
		create(t, s, "a", `{"tier":"BASIC","memorySizeGb":1,"authEnabled":true}`)
		first := must(t, s, "GET", path+"/authString", "")["authString"]
		assert.Regexp(t, `^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`, first)
		finish(t, s, must(t, s, "PATCH", path+"?updateMask=authEnabled", "{}"))
		assert.Empty(t, must(t, s, "GET", path+"/authString", ""))
		assert.NotContains(t, must(t, s, "GET", path, ""), "authEnabled")
		finish(t, s, must(t, s, "PATCH", path+"?updateMask=auth_enabled", `{"auth_enabled":true}`))
		second := must(t, s, "GET", path+"/authString", "")["authString"]
		assert.Len(t, second, 36)
		assert.NotEqual(t, first, second)
		finish(t, s, must(t, s, "PATCH", path+"?updateMask=labels,authEnabled", `{"authEnabled":true}`))
		assert.Equal(t, second, must(t, s, "GET", path+"/authString", "")["authString"])
	},
	"26 TLS moves the port and shows an authority": func(t *testing.T, s *fakeserver.Server) {
		in := create(t, s, "a", `{"tier":"STANDARD_HA","memorySizeGb":5,"transitEncryptionMode":"SERVER_AUTHENTICATION","readReplicasMode":"READ_REPLICAS_ENABLED"}`)
		assert.EqualValues(t, 6378, in["port"])
		assert.EqualValues(t, 6378, in["readEndpointPort"])
		shown := in["serverCaCerts"].([]any)[0].(object)
		pool := x509.NewCertPool()
		require.True(t, pool.AppendCertsFromPEM([]byte(shown["cert"].(string))))
		cert, err := s.Certificate(parent+"/instances/a", in["host"].(string), "localhost")
		require.NoError(t, err)
		for _, name := range []string{in["host"].(string), "localhost"} {
			_, err = cert.Leaf.Verify(x509.VerifyOptions{Roots: pool, DNSName: name})
			require.NoError(t, err)
		}
		ca, err := x509.ParseCertificate(cert.Certificate[1])
		require.NoError(t, err)
		assert.Equal(t, "Google Cloud Memorystore Redis Server CA", ca.Subject.CommonName)
		assert.Equal(t, []string{"Google, Inc"}, ca.Subject.Organization)
		assert.Equal(t, 3650*24*time.Hour, ca.NotAfter.Sub(ca.NotBefore))
		assert.Equal(t, tls.Certificate{}.SignedCertificateTimestamps, cert.SignedCertificateTimestamps)
		_, err = s.Certificate(parent+"/instances/none", "localhost")
		assert.Error(t, err)
	},
	"27 the service account has the consumer's number": func(t *testing.T, s *fakeserver.Server) {
		a, b := create(t, s, "a", basic), create(t, s, "b", basic)
		assert.Regexp(t, `^serviceAccount:service-\d{12}@cloud-redis\.iam\.gserviceaccount\.com$`, a["persistenceIamIdentity"])
		assert.Equal(t, a["persistenceIamIdentity"], b["persistenceIamIdentity"])
	},
	"28 what is printed at its default and what is not": func(t *testing.T, s *fakeserver.Server) {
		op := must(t, s, "POST", "/v1/"+parent+"/instances?instanceId=a", `{"tier":"BASIC","memorySizeGb":1,"authEnabled":false,"labels":{},"redisConfigs":{},"displayName":"","replicaCount":0}`)
		assert.Equal(t, false, op["done"])
		assert.Equal(t, false, op["metadata"].(object)["cancelRequested"])
		assert.NotContains(t, op["metadata"], "endTime")
		in := finish(t, s, op)["response"].(object)
		delete(in, "@type")
		keys := []string{"name", "locationId", "redisVersion", "reservedIpRange", "host", "port", "currentLocationId", "createTime", "state", "tier", "memorySizeGb", "authorizedNetwork",
			"persistenceIamIdentity", "connectMode", "transitEncryptionMode", "nodes", "readReplicasMode", "persistenceConfig", "maintenanceVersion", "availableMaintenanceVersions"}
		assert.ElementsMatch(t, keys, slices.Collect(maps.Keys(in)))
	},
	"29 a wrong path or verb gets HTML": func(t *testing.T, s *fakeserver.Server) {
		for _, r := range [][2]string{{"GET", "/"}, {"GET", "/v1"}, {"GET", "/v2/" + parent}, {"GET", "/v1/" + parent + "/instances/"}, {"GET", "/v1/" + parent + "//instances"}, {"GET", "/v1//" + parent},
			{"GET", "/v1/projects/p/instances/a"}, {"PUT", "/v1/" + parent + "/instances/a"}, {"POST", "/v1/" + parent + "/instances/a:grow"}, {"GET", "/v1/" + parent + "/instances/a:export"},
			{"POST", "/v1/" + parent + "/operations/o:wait"}, {"GET", "/v1/" + parent + "/clusters"}, {"POST", "/batch"}, {"GET", "/v1/" + parent + "/instances/a/b"}, {"GET", "/v1/" + parent + "/operations/o/authString"}, {"HEAD", "/v1/" + parent + "/instances"},
			{"GET", "/v1/projects/p/locations/us%2Fcentral1/instances"}} {
			resp, body := fetch(t, s, r[0], r[1], "")
			assert.Equal(t, 404, resp.StatusCode, r)
			assert.Equal(t, "text/html; charset=UTF-8", resp.Header.Get("Content-Type"), r)
			assert.Equal(t, "no-referrer", resp.Header.Get("Referrer-Policy"))
			if r[0] != "HEAD" {
				assert.Contains(t, body, "<title>Error 404 (Not Found)!!1</title>")
				assert.InDelta(t, 1500, len(body), 500)
			}
		}
	},
	"30 a finished delete says Empty and nothing more": func(t *testing.T, s *fakeserver.Server) {
		create(t, s, "a", basic)
		op := finish(t, s, must(t, s, "DELETE", "/v1/"+parent+"/instances/a", ""))
		assert.Equal(t, object{"@type": "type.googleapis.com/google.protobuf.Empty"}, op["response"])
	},
	"31 the maintenance window is a list of one; midnight is {}": func(t *testing.T, s *fakeserver.Server) {
		in := create(t, s, "a", `{"tier":"BASIC","memorySizeGb":1,"maintenancePolicy":{"weeklyMaintenanceWindow":[{"day":"TUESDAY","startTime":{"hours":0}}]}}`)
		p := in["maintenancePolicy"].(object)
		assert.Equal(t, []any{object{"day": "TUESDAY", "startTime": object{}, "duration": "3600s"}}, p["weeklyMaintenanceWindow"])
		assert.Regexp(t, `\.\d{6}Z$`, p["createTime"])
		in = finish(t, s, must(t, s, "PATCH", "/v1/"+parent+"/instances/a?updateMask=maintenance_policy", "{}"))["response"].(object)
		assert.NotContains(t, in, "maintenancePolicy")
	},
	"33 after a failover the current zone is the other one": func(t *testing.T, s *fakeserver.Server) {
		in := create(t, s, "ha", `{"tier":"STANDARD_HA","memorySizeGb":5,"locationId":"us-central1-a","alternativeLocationId":"us-central1-f"}`)
		for _, zone := range []string{"us-central1-f", "us-central1-a"} {
			in = finish(t, s, must(t, s, "POST", "/v1/"+parent+"/instances/ha:failover", `{"dataProtectionMode":"FORCE_DATA_LOSS"}`))["response"].(object)
			assert.Equal(t, zone, in["currentLocationId"])
		}
		assert.Equal(t, "us-central1-a", in["locationId"])
	},
	"35 the service's own operations are listed": func(t *testing.T, _ *fakeserver.Server) {
		s := fakeserver.New(fakeserver.WithOperations(`{"name":"` + parent + `/operations/operation-1-2-3-4","metadata":{"verb":"maintenance","target":"` + parent + `/instances/a","apiVersion":"v1internal1","createTime":"2026-01-02T03:04:05Z"}}`))
		ops := must(t, s, "GET", "/v1/"+parent+"/operations", "")["operations"].([]any)
		meta := ops[0].(object)["metadata"].(object)
		assert.Equal(t, "v1internal1", meta["apiVersion"])
		assert.Equal(t, "2026-01-02T03:04:05.000000000Z", meta["createTime"])
	},
	"36 the order of labels changes": func(t *testing.T, s *fakeserver.Server) {
		create(t, s, "a", `{"tier":"BASIC","memorySizeGb":1,"labels":{"a":"1","b":"2","c":"3"}}`)
		orders := map[string]bool{}
		for range 6 {
			orders[text(t, s, "GET", "/v1/"+parent+"/instances/a?fields=labels", "")] = true
		}
		assert.Len(t, orders, 3)
	},
	"38 a region that does not answer has a placeholder": func(t *testing.T, _ *fakeserver.Server) {
		s := fakeserver.New(fakeserver.WithUnreachable("europe-west1"), fakeserver.WithInstances(
			`{"name":"`+parent+`/instances/a","tier":"BASIC","memorySizeGb":1}`,
			`{"name":"projects/p/locations/europe-west1/instances/b","tier":"BASIC","memorySizeGb":1}`))
		list := must(t, s, "GET", "/v1/projects/p/locations/-/instances", "")
		assert.Equal(t, []any{"projects/p/locations/europe-west1"}, list["unreachable"])
		require.Len(t, list["instances"], 2)
		assert.Equal(t, object{"name": "projects/p/locations/europe-west1/instances/-", "statusMessage": "location not available for ListInstances"}, list["instances"].([]any)[0])
		assert.Len(t, must(t, s, "GET", "/v1/projects/p/locations/europe-west1/instances", "")["instances"], 1)
	},
}

func TestQuirks(t *testing.T) {
	for name, quirk := range quirks {
		t.Run(name, func(t *testing.T) { quirk(t, fakeserver.New()) })
	}
}

func TestRetention(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := fakeserver.New()
		op := finish(t, s, must(t, s, "POST", "/v1/"+parent+"/instances?instanceId=a", basic))
		time.Sleep(4 * time.Hour)
		must(t, s, "GET", "/v1/"+op["name"].(string), "")
		time.Sleep(time.Nanosecond)
		assert.Empty(t, must(t, s, "GET", "/v1/"+parent+"/operations", ""))
		refused(t, s, "GET", "/v1/"+op["name"].(string), "", 404)
		refused(t, s, "DELETE", "/v1/"+op["name"].(string), "", 404)
		must(t, s, "GET", "/v1/"+parent+"/instances/a", "")
	})
}

func TestCancelAndDelete(t *testing.T) {
	s := fakeserver.New()
	create(t, s, "a", basic)
	op := must(t, s, "POST", "/v1/"+parent+"/instances/a:import", `{"inputConfig":{"gcsSource":{"uri":"gs://bucket/a.rdb"}}}`)
	path := "/v1/" + op["name"].(string)
	refused(t, s, "DELETE", path, "", 400)
	assert.Empty(t, must(t, s, "POST", path+":cancel", ""))
	op = must(t, s, "GET", path, "")
	assert.Equal(t, true, op["metadata"].(object)["cancelRequested"])
	assert.EqualValues(t, 1, op["error"].(object)["code"])
	assert.Equal(t, "READY", must(t, s, "GET", "/v1/"+parent+"/instances/a", "")["state"])
	assert.Empty(t, must(t, s, "POST", path+":cancel", "{}"))
	assert.Empty(t, must(t, s, "DELETE", path, ""))
	refused(t, s, "GET", path, "", 404)

	op = must(t, s, "PATCH", "/v1/"+parent+"/instances/a?updateMask=labels", "{}")
	assert.Equal(t, precondition, refused(t, s, "POST", "/v1/"+op["name"].(string)+":cancel", "", 400)["status"])
	finish(t, s, op)

	s.Operations().Hold(parent + "/instances/a")
	op = must(t, s, "POST", "/v1/"+parent+"/instances/a:export", `{"outputConfig":{"gcsDestination":{"uri":"gs://bucket/a.rdb"}}}`)
	must(t, s, "POST", "/v1/"+op["name"].(string)+":cancel", "")
	op = must(t, s, "GET", "/v1/"+op["name"].(string), "")
	assert.Equal(t, true, op["metadata"].(object)["cancelRequested"], "a held operation is still being cancelled")
	assert.Equal(t, false, op["done"])
	s.Operations().Release(parent + "/instances/a")
	assert.EqualValues(t, 1, must(t, s, "GET", "/v1/"+op["name"].(string), "")["error"].(object)["code"])
}

func TestReschedule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now().Add(8 * 24 * time.Hour).UTC()
		stamp := func(d time.Duration) string { return start.Add(d).Format(time.RFC3339) }
		day := 24 * time.Hour
		seed := func() *fakeserver.Server {
			return fakeserver.New(fakeserver.WithInstances(`{"name":"` + parent + `/instances/a","tier":"BASIC","memorySizeGb":1,
				"maintenanceSchedule":{"startTime":"` + stamp(0) + `","endTime":"` + stamp(time.Hour) + `","scheduleDeadlineTime":"` + stamp(7*day) + `"}}`))
		}
		path := "/v1/" + parent + "/instances/a:rescheduleMaintenance"
		at := func(d time.Duration) string {
			return `{"rescheduleType":"SPECIFIC_TIME","scheduleTime":"` + stamp(d) + `"}`
		}
		s := seed()
		for _, body := range []string{"", `{"rescheduleType":"SPECIFIC_TIME"}`, at(7*day + time.Second), at(-9 * day)} {
			assert.Equal(t, invalid, refused(t, s, "POST", path, body, 400)["status"], body)
		}
		in := finish(t, s, must(t, s, "POST", path, at(day)))["response"].(object)
		assert.Equal(t, stamp(day), in["maintenanceSchedule"].(object)["startTime"])
		assert.Equal(t, stamp(day+time.Hour), in["maintenanceSchedule"].(object)["endTime"])
		finish(t, s, must(t, s, "POST", path, at(2*day)))
		assert.Equal(t, precondition, refused(t, s, "POST", path, at(3*day), 400)["status"], "a third time")
		in = finish(t, s, must(t, s, "POST", path, `{"rescheduleType":"IMMEDIATE"}`))["response"].(object)
		assert.NotContains(t, in, "maintenanceSchedule", "it was done")

		s = seed()
		for range 3 { // a try that fails has put nothing off
			s.Operations().Fail(parent+"/instances/a", 13, "an internal error has occurred")
			op := must(t, s, "POST", path, at(day))["name"].(string)
			assert.Contains(t, must(t, s, "GET", "/v1/"+op, ""), "error")
		}
		finish(t, s, must(t, s, "POST", path, at(day)))

		s = seed()
		in = finish(t, s, must(t, s, "POST", path, `{"rescheduleType":"NEXT_AVAILABLE_WINDOW"}`))["response"].(object)
		assert.Equal(t, stamp(7*day), in["maintenanceSchedule"].(object)["startTime"])

		s = seed()
		time.Sleep(8*day - 59*time.Minute)
		assert.Contains(t, refused(t, s, "POST", path, at(day), 400)["message"], "within one hour")
	})
}

func TestAddresses(t *testing.T) {
	s := fakeserver.New()
	used := map[string]string{}
	for id, body := range map[string]string{
		"a": basic, "b": basic, "c": `{"tier":"STANDARD_HA","memorySizeGb":5}`, "d": `{"tier":"STANDARD_HA","memorySizeGb":5,"readReplicasMode":2}`,
		"e": `{"tier":"BASIC","memorySizeGb":1,"reservedIpRange":"192.168.1.0/24"}`, "f": basic,
	} {
		in := create(t, s, id, body)
		assert.Empty(t, used[in["reservedIpRange"].(string)])
		used[in["reservedIpRange"].(string)] = id
		if id == "c" {
			assert.True(t, strings.HasSuffix(in["reservedIpRange"].(string), "/29"))
		}
		if id == "d" {
			assert.True(t, strings.HasSuffix(in["reservedIpRange"].(string), "/28"))
			assert.NotEqual(t, in["host"], in["readEndpoint"])
			assert.Len(t, in["nodes"], 3)
		}
		if id == "e" {
			assert.Equal(t, "192.168.1.3", in["host"])
		}
	}
	refused(t, s, "POST", "/v1/"+parent+"/instances?instanceId=g", `{"tier":"BASIC","memorySizeGb":1,"reservedIpRange":"192.168.1.8/29"}`, 400)
	finish(t, s, must(t, s, "DELETE", "/v1/"+parent+"/instances/e", ""))
	create(t, s, "g", `{"tier":"BASIC","memorySizeGb":1,"reservedIpRange":"192.168.1.8/29"}`)
	made(t, s, "projects/other/locations/us-central1", "g", `{"tier":"BASIC","memorySizeGb":1,"reservedIpRange":"192.168.1.8/29"}`)
}
