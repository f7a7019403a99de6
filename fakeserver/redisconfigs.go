package fakeserver

import (
	"slices"
	"strconv"
	"strings"
)

// redisVersions are the supported ones, oldest first.
var redisVersions = []string{"REDIS_3_2", "REDIS_4_0", "REDIS_5_0", "REDIS_6_X", "REDIS_7_0", "REDIS_7_2"}

// defaultVersion is what the discovery document and every recording say; one page of the documentation says 7.2.
const defaultVersion = "REDIS_7_0"

// atLeast compares two supported versions.
func atLeast(version, least string) bool {
	return slices.Index(redisVersions, version) >= slices.Index(redisVersions, least)
}

// A parameter is one key of redisConfigs: since which version, and which values it takes.
type parameter struct {
	key, since string
	createOnly bool
	valid      func(value string, c *change) bool
	basis
}

// parameters are the supported ones. https://docs.cloud.google.com/memorystore/docs/redis/supported-redis-configurations
var parameters = []parameter{
	{"maxmemory-policy", "REDIS_3_2", false, evictionPolicy, documented("supported-redis-configurations")},
	{"notify-keyspace-events", "REDIS_3_2", false, func(v string, _ *change) bool { return strings.Trim(v, "KEg$lshzxeA") == "" }, documented("supported-redis-configurations")},
	{"timeout", "REDIS_3_2", false, func(v string, _ *change) bool { n, ok := whole(v); return ok && (n == 0 || n >= 120) }, documented("supported-redis-configurations")},
	{"databases", "REDIS_3_2", true, func(v string, _ *change) bool { n, ok := whole(v); return ok && n >= 1 && n <= 100 }, documented("supported-redis-configurations")},
	{"activedefrag", "REDIS_4_0", false, yesOrNo, documented("supported-redis-configurations")},
	{"lfu-decay-time", "REDIS_4_0", false, natural, documented("supported-redis-configurations")},
	{"lfu-log-factor", "REDIS_4_0", false, natural, documented("supported-redis-configurations")},
	{"maxmemory-gb", "REDIS_4_0", false, memoryShare, documented("supported-redis-configurations")},
	{"stream-node-max-bytes", "REDIS_5_0", false, natural, documented("supported-redis-configurations")},
	{"stream-node-max-entries", "REDIS_5_0", false, natural, documented("supported-redis-configurations")},
	{"maxmemory-clients", "REDIS_7_0", false, percentage, documented("supported-redis-configurations")},
	{"lazyfree-lazy-eviction", "REDIS_7_0", false, yesOrNo, documented("supported-redis-configurations")},
	{"lazyfree-lazy-expire", "REDIS_7_0", false, yesOrNo, documented("supported-redis-configurations")},
	{"lazyfree-lazy-user-del", "REDIS_7_0", false, yesOrNo, documented("supported-redis-configurations")},
	{"lazyfree-lazy-user-flush", "REDIS_7_0", false, yesOrNo, documented("supported-redis-configurations")},
}

var (
	textConfigKey = define(text{key: "redis-config-key", code: codeInvalidArgument, form: backend,
		message: "Invalid Redis configuration parameter: %[1]s is not supported for version %[2]s.", field: "instance.redis_configs", description: "Invalid value: %[1]s", basis: guessed(noSource)})
	textConfigValue = define(text{key: "redis-config-value", code: codeInvalidArgument, form: backend,
		message: "Invalid value for Redis configuration parameter %[1]s: %[2]s.", field: "instance.redis_configs", description: "Invalid value: %[2]s", basis: guessed(noSource)})
	textConfigFixed = define(text{key: "redis-config-create-only", code: codeInvalidArgument, form: backend,
		message: "Redis configuration parameter %[1]s can only be set when the instance is created.", field: "instance.redis_configs", description: "Invalid value: %[1]s", basis: guessed(noSource)})
)

// checkConfigs holds the instance's redisConfigs against the table.
func checkConfigs(c *change) *problem {
	for _, e := range c.after.mapping(fRedisConfigs) {
		i := slices.IndexFunc(parameters, func(p parameter) bool { return p.key == e.key })
		if i < 0 || !atLeast(c.version(), parameters[i].since) {
			return textConfigKey.because(e.key, c.version())
		}
		if !parameters[i].valid(e.value, c) {
			return textConfigValue.because(e.key, e.value)
		}
		if old, _ := c.before.mapping(fRedisConfigs).get(e.key); parameters[i].createOnly && c.before != nil && old != e.value {
			return textConfigFixed.because(e.key)
		}
	}
	for _, p := range parameters { // what is fixed cannot be taken out either: it would fall back to the default
		if _, was := c.before.mapping(fRedisConfigs).get(p.key); p.createOnly && was {
			if _, is := c.after.mapping(fRedisConfigs).get(p.key); !is {
				return textConfigFixed.because(p.key)
			}
		}
	}
	return nil
}

func evictionPolicy(v string, c *change) bool {
	switch v {
	case "noeviction", "allkeys-lru", "volatile-lru", "allkeys-random", "volatile-random", "volatile-ttl":
		return true
	case "allkeys-lfu", "volatile-lfu":
		return atLeast(c.version(), "REDIS_4_0")
	}
	return false
}

func yesOrNo(v string, _ *change) bool { return v == "yes" || v == "no" }

func natural(v string, _ *change) bool { _, ok := whole(v); return ok }

func whole(v string) (int, bool) {
	n, err := strconv.Atoi(v)
	return n, err == nil && n >= 0 && v[0] != '+'
}

func percentage(v string, _ *change) bool {
	digits, ok := strings.CutSuffix(v, "%")
	n, isNumber := whole(digits)
	return ok && isNumber && n <= 100
}

// memoryShare is maxmemory-gb: a decimal from a fifth of the capacity up to all of it.
func memoryShare(v string, c *change) bool {
	if strings.Trim(v, "0123456789.") != "" {
		return false
	}
	gb, err := strconv.ParseFloat(v, 64)
	size := float64(c.after.num(fMemorySizeGB))
	return err == nil && gb >= size/5 && gb <= size
}
