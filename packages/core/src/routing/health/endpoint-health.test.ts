import { expect, test } from 'vitest';

import { createEndpointHealth, type EndpointHealth } from './endpoint-health.ts';

interface Setup {
  readonly health: EndpointHealth;
  /** Moves the clock. */
  wait(ms: number): void;
  succeed(times?: number, latencyMs?: number, durationMs?: number): void;
  fail(times?: number): void;
  limit(retryAfterSeconds?: number): void;
}

function setUp(): Setup {
  let now = 5_000_000;
  const health = createEndpointHealth(() => now);
  return {
    health,
    wait: (ms) => void (now += ms),
    succeed(times = 1, latencyMs = 100, durationMs = 1000) {
      for (let i = 0; i < times; i += 1) {
        health.noteStarted();
        health.noteBegun(latencyMs);
        health.noteCompleted(100, durationMs);
      }
    },
    fail(times = 1) {
      for (let i = 0; i < times; i += 1) {
        health.noteStarted();
        health.noteFailed({ code: 'timeout' }, false);
      }
    },
    limit(retryAfterSeconds) {
      health.noteStarted();
      health.noteFailed({ code: 'rate_limit_exceeded', retryAfterSeconds }, false);
    },
  };
}

test('is steady until something fails, and again 30 seconds after', () => {
  const { health, wait, succeed, fail } = setUp();
  expect(health.circuitState()).toBe('steady');
  succeed();
  fail();
  expect(health.circuitState()).toBe('unstable');
  wait(29_000);
  expect(health.circuitState()).toBe('unstable');
  wait(2000);
  expect(health.circuitState()).toBe('steady');
});

test('is unstable for one failure in ten calls, and not for one in eleven', () => {
  const { health, succeed, fail } = setUp();
  fail();
  succeed(9);
  expect(health.circuitState()).toBe('unstable');
  succeed();
  expect(health.circuitState()).toBe('steady');
  fail();
  expect(health.circuitState()).toBe('unstable');
});

test('breaks its circuit after five failures in a row, and lets one probe through after five seconds', () => {
  const { health, wait, succeed, fail } = setUp();
  fail(4);
  expect(health.circuitState()).toBe('unstable');
  fail();
  expect(health.circuitState()).toBe('open');
  wait(4999);
  expect(health.circuitState()).toBe('open');
  wait(1);
  expect(health.circuitState()).toBe('half-open');
  health.noteStarted();
  expect(health.circuitState()).toBe('open');
  health.noteBegun(10);
  expect(health.circuitState()).toBe('unstable');
  succeed();
  wait(31_000);
  expect(health.circuitState()).toBe('steady');
});

test('breaks its circuit when half of many calls fail, in whatever order', () => {
  const { health, succeed, fail } = setUp();
  for (let i = 0; i < 9; i += 1) {
    succeed();
    fail();
  }
  expect(health.circuitState()).toBe('unstable');
  fail();
  expect(health.circuitState()).toBe('open');
});

test('waits twice as long after each probe that fails, up to 20 seconds, and starts over after a success', () => {
  const { health, wait, succeed, fail } = setUp();
  fail(5);
  for (const ms of [5000, 10_000, 20_000, 20_000, 20_000]) {
    wait(ms - 1);
    expect(health.circuitState()).toBe('open');
    wait(1);
    expect(health.circuitState()).toBe('half-open');
    fail();
  }
  wait(20_000);
  succeed();
  fail(5);
  wait(5000);
  expect(health.circuitState()).toBe('half-open');
});

test('lets another probe through when the first was given up by its caller, or is not heard of for 20 seconds', () => {
  const { health, wait, fail } = setUp();
  fail(5);
  wait(5000);
  health.noteStarted();
  health.noteAbandoned();
  expect(health.circuitState()).toBe('half-open');
  health.noteStarted();
  wait(19_999);
  expect(health.circuitState()).toBe('open');
  wait(1);
  expect(health.circuitState()).toBe('half-open');
});

test.each([
  [undefined, 5000],
  [7, 7000],
  [3600, 60_000],
])('rests for the required time (%j s), but a minute at most', (retryAfterSeconds, restMs) => {
  const { health, wait, limit } = setUp();
  limit(retryAfterSeconds);
  wait(restMs - 1);
  expect(health.circuitState()).toBe('resting');
  wait(1);
  expect(health.circuitState()).toBe('steady');
});

test('rests and counts a failure when it is overloaded and says for how long', () => {
  const { health, wait } = setUp();
  health.noteStarted();
  health.noteFailed({ code: 'provider_overloaded', retryAfterSeconds: 3 }, false);
  expect(health.circuitState()).toBe('resting');
  wait(3000);
  expect(health.circuitState()).toBe('unstable');
});

test('takes a mistake of the caller for a sign of life', () => {
  const { health, wait, fail } = setUp();
  fail(5);
  wait(5000);
  health.noteStarted();
  health.noteFailed({ code: 'invalid_request' }, false);
  expect(health.circuitState()).toBe('unstable');
  expect(health.report().uptime30m).toBe(0);
});

test('counts a completion that broke off as a failure, once', () => {
  const { health } = setUp();
  health.noteStarted();
  health.noteBegun(10);
  health.noteFailed({ code: 'provider_unavailable' }, true);
  expect(health.circuitState()).toBe('unstable');
  expect(health.report()).toMatchObject({ state: 'failing', uptime5m: 0 });
});

test('is failing, not steady, while the last call failed and none of the last half hour succeeded', () => {
  const { health, wait, fail, succeed } = setUp();
  fail();
  expect(health.state()).toBe('failing');
  wait(60_000);
  expect([health.circuitState(), health.state()]).toEqual(['steady', 'failing']);
  wait(86_400_000);
  expect(health.state()).toBe('failing');
  succeed();
  wait(60_000);
  expect(health.state()).toBe('steady');
});

test('is not failing for one failure among calls that succeed, nor while its circuit says more', () => {
  const { health, wait, fail, succeed } = setUp();
  succeed(3);
  fail();
  expect(health.state()).toBe('unstable');
  wait(60_000);
  expect(health.state()).toBe('steady');
  fail(5);
  expect(health.state()).toBe('open');
});

test('reports uptime over its windows, without refusals for the rate', () => {
  const { health, wait, succeed, fail, limit } = setUp();
  expect(health.report()).toMatchObject({ uptime5m: null, uptime30m: null, uptime1d: null, latency30m: null });
  fail();
  wait(10 * 60_000);
  succeed(2);
  limit();
  expect(health.report()).toMatchObject({ uptime5m: 100, uptime30m: 66.67, uptime1d: 66.67 });
  wait(40 * 60_000);
  expect(health.report()).toMatchObject({ uptime5m: null, uptime30m: null, uptime1d: 66.67 });
  wait(25 * 3_600_000);
  expect(health.report()).toMatchObject({ uptime1d: null });
});

test('reports percentiles as what so many calls reached at least', () => {
  const { health, succeed } = setUp();
  for (let i = 1; i <= 100; i += 1) succeed(1, i, i * 1000);
  const { latency30m, throughput30m } = health.report();
  expect(latency30m).toEqual({ p50: 50, p75: 75, p90: 90, p99: 99 });
  expect(throughput30m).toEqual({ p50: 2, p75: 100 / 75, p90: 100 / 90, p99: 100 / 99 });
});

test('prefers by the last five minutes, evaluated each second', () => {
  const { health, wait, succeed } = setUp();
  succeed(1, 100);
  expect(health.latency()?.p50).toBe(100);
  succeed(2, 900);
  expect(health.latency()?.p50).toBe(100);
  wait(1000);
  expect(health.latency()?.p50).toBe(900);
  wait(5 * 60_000);
  expect(health.latency()).toBeNull();
  expect(health.report().latency30m?.p50).toBe(900);
});

test('keeps the latest measurements when there are many', () => {
  const { health, succeed } = setUp();
  succeed(300, 1);
  succeed(256, 2);
  expect(health.report().latency30m).toEqual({ p50: 2, p75: 2, p90: 2, p99: 2 });
});

test('measures no throughput where the count of tokens is not known', () => {
  const { health } = setUp();
  health.noteStarted();
  health.noteBegun(10);
  health.noteCompleted(undefined, 1000);
  expect(health.report()).toMatchObject({ uptime5m: 100, throughput30m: null });
});

test('proves the first response of the calls under way, or the failure of the last, and nothing by an abandoned one', async () => {
  const { health } = setUp();
  expect(health.isIdle()).toBe(true);
  health.noteStarted();
  health.noteStarted();
  expect(health.isIdle()).toBe(false);
  const first = health.awaitProof();
  health.noteFailed({ code: 'timeout' }, false);
  health.noteBegun(10);
  await expect(first).resolves.toBe('responded');
  health.noteStarted();
  health.noteStarted();
  const second = health.awaitProof();
  health.noteAbandoned();
  health.noteFailed({ code: 'timeout' }, false);
  await expect(second).resolves.toBe('failed');
  health.noteStarted();
  const third = health.awaitProof();
  health.noteAbandoned();
  await expect(third).resolves.toBe('none');
});
