import { beforeEach, expect, test } from 'vitest';

import { createVirtualPlatform, type VirtualPlatform } from '../../../../../test/support/async/virtual-platform.ts';
import { createLocalChannels } from '../../../../../test/support/shared/local-channels.ts';
import type { Endpoint } from '../../catalog/catalog.ts';
import type { EndpointHealth, HealthBoard } from './endpoint-health.ts';
import { createSharedHealthBoard } from './shared-health-board.ts';

const ENDPOINT = { modelId: 'acme/chat', tag: 'acme', providerModel: 'chat-1' } as Endpoint;

let platform: VirtualPlatform;
let channels: ReturnType<typeof createLocalChannels>;
let end: AbortController;
beforeEach(() => {
  platform = createVirtualPlatform();
  channels = createLocalChannels();
  end = new AbortController();
});

const openBoard = (): HealthBoard => createSharedHealthBoard(channels.open('health'), platform, end.signal);
/** The endpoint on the board of one process. */
const healthOn = (board: HealthBoard): EndpointHealth => board.of(ENDPOINT);
const openTwo = (): [EndpointHealth, EndpointHealth] => [healthOn(openBoard()), healthOn(openBoard())];

function fail(health: EndpointHealth, times = 1): void {
  for (let i = 0; i < times; i += 1) {
    health.noteStarted();
    health.noteFailed({ code: 'provider_unavailable' }, false);
  }
}

function succeed(health: EndpointHealth, times = 1): void {
  for (let i = 0; i < times; i += 1) {
    health.noteStarted();
    health.noteBegun(100);
    health.noteCompleted(10, 1000);
  }
}

test('a circuit that opens in one process opens at once in the others, for the same time', async () => {
  const [one, other] = openTwo();
  fail(one, 5);
  expect([one.circuitState(), other.circuitState()]).toEqual(['open', 'open']);
  await platform.advance(4999);
  expect([one.circuitState(), other.circuitState()]).toEqual(['open', 'open']);
  await platform.advance(1);
  expect([one.circuitState(), other.circuitState()]).toEqual(['half-open', 'half-open']);
});

test('is known of an endpoint that a process has not called yet, too', () => {
  const [board, other] = [openBoard(), openBoard()];
  fail(healthOn(board), 5);
  expect(healthOn(other).circuitState()).toBe('open');
});

test('one failed probe of its own opens what was advised once more, and the others hear of that', async () => {
  const [one, other] = openTwo();
  fail(one, 5);
  await platform.advance(5000);
  fail(other);
  expect(other.circuitState()).toBe('open');
  expect(one.circuitState()).toBe('open');
});

test('a response of its own overrules the advice, and the next ones for a minute', async () => {
  const [one, other] = openTwo();
  fail(one, 5);
  succeed(other);
  expect(other.circuitState()).toBe('steady');
  // The other process has told so, which is worth a probe.
  expect(one.circuitState()).toBe('half-open');
  fail(one);
  expect([one.circuitState(), other.circuitState()]).toEqual(['open', 'steady']);
  await platform.advance(10_000);
  fail(one);
  await platform.advance(100);
  expect(other.circuitState()).toBe('steady');
  // What fails here as well is believed again.
  fail(other);
  await platform.advance(2000);
  expect(other.circuitState()).toBe('open');
});

test('a call that was under way before the advice is no probe of it', async () => {
  const [one, other] = openTwo();
  other.noteStarted();
  fail(one, 5);
  await platform.advance(5000);
  expect(other.circuitState()).toBe('half-open');
});

test('advice neither shortens nor lengthens what a process has found out by itself', async () => {
  const [one, other] = openTwo();
  channels.isCut = true;
  fail(other, 5);
  await platform.advance(2500);
  channels.isCut = false;
  fail(one, 5);
  expect(other.circuitState()).toBe('open');
  await platform.advance(2500);
  expect([one.circuitState(), other.circuitState()]).toEqual(['open', 'half-open']);
});

test('advice that comes while a process probes leaves the probe to decide', async () => {
  const [one, other] = openTwo();
  fail(one, 5);
  await platform.advance(5000);
  other.noteStarted();
  fail(one);
  // The other process has one call out, which shows more than what another has seen.
  await platform.advance(100);
  other.noteFailed({ code: 'provider_unavailable' }, false);
  expect(other.ownOpenMs()).toBe(10_000);
});

test('a circuit that closes in one process closes what it has advised', async () => {
  const [one, other] = openTwo();
  fail(one, 5);
  await platform.advance(5000);
  succeed(one);
  await platform.advance(100);
  expect(other.circuitState()).toBe('steady');
});

test('a process that has opened a circuit by itself tries again when another one gets responses', async () => {
  const [one, other] = openTwo();
  channels.isCut = true;
  fail(one, 5);
  fail(other, 5);
  channels.isCut = false;
  await platform.advance(100);
  succeed(one);
  await platform.advance(100);
  expect(other.circuitState()).toBe('half-open');
});

test('a lost message is made up for within two seconds, and a process that comes later learns of it then', async () => {
  const [one, other] = openTwo();
  channels.isCut = true;
  fail(one, 5);
  channels.isCut = false;
  const late = healthOn(openBoard());
  expect(other.circuitState()).toBe('steady');
  await platform.advance(2000);
  expect([other.circuitState(), late.circuitState()]).toEqual(['open', 'open']);
  // For the rest of the time, no longer.
  await platform.advance(3000);
  expect([other.circuitState(), late.circuitState()]).toEqual(['half-open', 'half-open']);
});

test('the calls of all processes count for the uptime that each shows, once, and not for its circuit', async () => {
  const [one, other] = openTwo();
  succeed(one, 6);
  fail(one, 4);
  succeed(other, 10);
  await platform.advance(2000);
  await platform.advance(2000);
  for (const health of [one, other]) {
    expect(health.report()).toMatchObject({ uptime5m: 80, uptime30m: 80, uptime1d: 80 });
    expect(health.hasResults()).toBe(true);
  }
  expect([one.circuitState(), other.circuitState()]).toEqual(['unstable', 'steady']);
});

test('tells of many circuits in few messages', async () => {
  const board = openBoard();
  const endpoints = Array.from({ length: 300 }, (_, index) => ({ ...ENDPOINT, tag: `acme/${index}` }));
  for (const endpoint of endpoints) fail(board.of(endpoint), 5);
  expect(channels.published).toHaveLength(1);
  await platform.advance(100);
  expect(channels.published).toHaveLength(3);
  const other = openBoard();
  await platform.advance(2000);
  expect(endpoints.every((endpoint) => other.of(endpoint).circuitState() === 'open')).toBe(true);
});

test('says nothing where nothing happens, and ends with the gateway', async () => {
  const [one, other] = openTwo();
  await platform.advance(60_000);
  expect(channels.published).toEqual([]);
  end.abort();
  expect(platform.pendingTimers).toBe(0);
  fail(one, 5);
  expect(other.circuitState()).toBe('steady');
});

test.each([
  'null',
  '[]',
  '{"circuits":{"a":"x","b":-1},"counts":{"a":[1],"b":[1,-1],"c":"x"}}',
  '{"circuits":7,"other":{}}',
])('leaves out what it cannot use of a message: %s', (text) => {
  const board = openBoard();
  channels.open('health').publish(text);
  expect([...board.entries()]).toEqual([]);
});
