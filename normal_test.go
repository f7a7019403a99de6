package memorystore

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestHoldsAll holds what the service makes of a create against what was asked for.
func TestHoldsAll(t *testing.T) {
	window := func(hours int) *MaintenancePolicy {
		return &MaintenancePolicy{WeeklyMaintenanceWindow: []WeeklyMaintenanceWindow{{Day: DayOfWeekMonday, StartTime: &TimeOfDay{Hours: hours}}}}
	}
	for name, row := range map[string]struct {
		want, got Instance
		same      bool
	}{
		"nothing set, anything made":           {Instance{}, Instance{DisplayName: "x", MemorySizeGB: 5}, true},
		"another size":                         {Instance{MemorySizeGB: 1}, Instance{MemorySizeGB: 2}, false},
		"another tier":                         {Instance{Tier: TierBasic}, Instance{Tier: TierStandardHA}, false},
		"another display name":                 {Instance{DisplayName: "a"}, Instance{DisplayName: "b"}, false},
		"a label more":                         {Instance{Labels: map[string]string{"a": "1"}}, Instance{Labels: map[string]string{"a": "1", "b": "2"}}, false},
		"another config":                       {Instance{RedisConfigs: map[string]string{"a": "1"}}, Instance{RedisConfigs: map[string]string{"a": "2"}}, false},
		"AUTH missing":                         {Instance{AuthEnabled: true}, Instance{}, false},
		"another zone":                         {Instance{LocationID: "a"}, Instance{LocationID: "b"}, false},
		"another alternative zone":             {Instance{AlternativeLocationID: "a"}, Instance{AlternativeLocationID: "b"}, false},
		"another version":                      {Instance{RedisVersion: "REDIS_7_0"}, Instance{RedisVersion: "REDIS_7_2"}, false},
		"another key":                          {Instance{CustomerManagedKey: "a"}, Instance{}, false},
		"the network by the project's number":  {Instance{AuthorizedNetwork: "projects/p/global/networks/n"}, Instance{AuthorizedNetwork: "projects/12/global/networks/n"}, true},
		"another network":                      {Instance{AuthorizedNetwork: "projects/p/global/networks/n"}, Instance{AuthorizedNetwork: "projects/p/global/networks/m"}, false},
		"unspecified is direct peering":        {Instance{ConnectMode: ConnectModeUnspecified}, Instance{ConnectMode: ConnectModeDirectPeering}, true},
		"unset is not private access":          {Instance{}, Instance{ConnectMode: ConnectModePrivateServiceAccess}, false},
		"unset is without TLS":                 {Instance{}, Instance{TransitEncryptionMode: TransitEncryptionModeServerAuthentication}, false},
		"TLS":                                  {Instance{TransitEncryptionMode: TransitEncryptionModeServerAuthentication}, Instance{TransitEncryptionMode: TransitEncryptionModeServerAuthentication}, true},
		"a range with host bits":               {Instance{ReservedIPRange: "10.0.0.1/29"}, Instance{ReservedIPRange: "10.0.0.0/29"}, true},
		"another range":                        {Instance{ReservedIPRange: "10.0.0.8/29"}, Instance{ReservedIPRange: "10.0.0.0/29"}, false},
		"another length":                       {Instance{ReservedIPRange: "10.0.0.0/28"}, Instance{ReservedIPRange: "10.0.0.0/29"}, false},
		"a named range is answered as a CIDR":  {Instance{ReservedIPRange: "my-range"}, Instance{ReservedIPRange: "10.0.0.0/29"}, true},
		"a secondary range is dropped":         {Instance{SecondaryIPRange: "10.1.0.0/28"}, Instance{}, true},
		"tags are never answered":              {Instance{Tags: map[string]string{"1/a": "b"}}, Instance{}, true},
		"born at a newer maintenance version":  {Instance{MaintenanceVersion: "20250101_00_00"}, Instance{MaintenanceVersion: "20260101_00_00"}, true},
		"born at an older maintenance version": {Instance{MaintenanceVersion: "20260101_00_00"}, Instance{MaintenanceVersion: "20250101_00_00"}, false},
		"another window":                       {Instance{MaintenancePolicy: window(1)}, Instance{MaintenancePolicy: window(2)}, false},
		"midnight may be missing":              {Instance{MaintenancePolicy: window(0)}, Instance{MaintenancePolicy: &MaintenancePolicy{WeeklyMaintenanceWindow: []WeeklyMaintenanceWindow{{Day: DayOfWeekMonday, Duration: time.Hour}}}}, true},
		"no policy":                            {Instance{MaintenancePolicy: window(1)}, Instance{}, false},
		"persistence disabled may be missing":  {Instance{PersistenceConfig: &PersistenceConfig{PersistenceMode: PersistenceModeDisabled}}, Instance{}, true},
		"RDB has a period by default":          {Instance{PersistenceConfig: &PersistenceConfig{PersistenceMode: PersistenceModeRDB}}, Instance{PersistenceConfig: &PersistenceConfig{PersistenceMode: PersistenceModeRDB, RDBSnapshotPeriod: SnapshotPeriodTwentyFourHours, RDBSnapshotStartTime: time.Unix(1, 0)}}, true},
		"another period":                       {Instance{PersistenceConfig: &PersistenceConfig{PersistenceMode: PersistenceModeRDB, RDBSnapshotPeriod: SnapshotPeriodOneHour}}, Instance{PersistenceConfig: &PersistenceConfig{PersistenceMode: PersistenceModeRDB, RDBSnapshotPeriod: SnapshotPeriodTwentyFourHours}}, false},
		"another start":                        {Instance{PersistenceConfig: &PersistenceConfig{PersistenceMode: PersistenceModeRDB, RDBSnapshotStartTime: time.Unix(1, 0)}}, Instance{PersistenceConfig: &PersistenceConfig{PersistenceMode: PersistenceModeRDB, RDBSnapshotPeriod: SnapshotPeriodTwentyFourHours, RDBSnapshotStartTime: time.Unix(2, 0)}}, false},
		"RDB missing":                          {Instance{PersistenceConfig: &PersistenceConfig{PersistenceMode: PersistenceModeRDB}}, Instance{}, false},
		"read replicas missing":                {Instance{ReadReplicasMode: ReadReplicasEnabled}, Instance{ReadReplicasMode: ReadReplicasDisabled}, false},
		"another number of replicas":           {Instance{ReplicaCount: 2}, Instance{ReplicaCount: 3}, false},
	} {
		assert.Equal(t, row.same, holdsAll(&row.want, &row.got), name)
	}
}

// TestInputSharesNothing: what a caller does to an instance after a call must not reach what the call sends later.
func TestInputSharesNothing(t *testing.T) {
	build := func() *Instance {
		return &Instance{Name: "n", Host: "h", Labels: map[string]string{"a": "1"}, RedisConfigs: map[string]string{"b": "2"}, Tags: map[string]string{"c": "3"},
			PersistenceConfig: &PersistenceConfig{PersistenceMode: PersistenceModeRDB, RDBNextSnapshotTime: time.Unix(1, 0)},
			MaintenancePolicy: &MaintenancePolicy{CreateTime: time.Unix(1, 0), UpdateTime: time.Unix(2, 0), Description: "d",
				WeeklyMaintenanceWindow: []WeeklyMaintenanceWindow{{Day: DayOfWeekMonday, StartTime: &TimeOfDay{Hours: 4}, Duration: time.Hour}}}}
	}
	in := build()
	out := in.input()
	assert.Empty(t, out.Host)
	assert.Equal(t, &PersistenceConfig{PersistenceMode: PersistenceModeRDB}, out.PersistenceConfig)
	assert.Equal(t, &MaintenancePolicy{Description: "d", WeeklyMaintenanceWindow: []WeeklyMaintenanceWindow{{Day: DayOfWeekMonday, StartTime: &TimeOfDay{Hours: 4}}}}, out.MaintenancePolicy)
	out.Labels["a"], out.RedisConfigs["b"], out.Tags["c"] = "x", "x", "x"
	out.PersistenceConfig.PersistenceMode = ""
	out.MaintenancePolicy.WeeklyMaintenanceWindow[0].StartTime.Hours = 5
	assert.Equal(t, build(), in)
}
