import { expect, test } from 'vitest';

import { VIRTUAL_EPOCH_MS, type VirtualPlatform } from '../../../../test/support/async/virtual-platform.ts';
import { createBroadcastOptions } from '../../../../test/support/broadcast/broadcast-options.ts';
import { type AdminGateway, createAdminGateway } from '../../../../test/support/gateways/admin-calls.ts';
import { createRecordingStore } from '../../../../test/support/stores/recording-store.ts';
import { createSharedMemoryStore } from '../../../../test/support/stores/shared-memory-store.ts';
import type { TransportRequest } from '../foundation/transport.ts';
import { verifyChain } from '../stores/kit/audit-chain.ts';

const PATH = '/observability/destinations';
const COLLECTOR = { type: 'otel-collector', name: 'n', config: { endpoint: 'https://example.com' }, audit_log: true };

interface Receiver {
  /** The records as they came, in order. */
  readonly bodies: string[];
  readonly urls: string[];
  status: number;
  readonly send: (
    request: TransportRequest,
  ) => Promise<{ status: number; headers: object; body: AsyncIterable<Uint8Array> }>;
}

function createReceiver(): Receiver {
  const receiver: Receiver = {
    bodies: [],
    urls: [],
    status: 200,
    async send({ url, body }) {
      receiver.urls.push(url);
      if (receiver.status === 200) {
        const { resourceLogs = [] } = JSON.parse(String(body)) as Logs;
        const records = resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords));
        receiver.bodies.push(...records.map((record) => record.body.stringValue));
      }
      return { status: receiver.status, headers: {}, body: (async function* () {})() };
    },
  };
  return receiver;
}

interface Logs {
  readonly resourceLogs?: readonly {
    readonly scopeLogs: readonly {
      readonly logRecords: readonly { readonly body: { readonly stringValue: string } }[];
    }[];
  }[];
}

const actionsAt = ({ bodies }: Receiver): string[] =>
  bodies.map((text) => {
    const { sequence, action } = JSON.parse(text) as { sequence: number; action: string };
    return `${sequence} ${action}`;
  });

function setUp(
  store = Object.assign(
    createRecordingStore(),
    createSharedMemoryStore(() => VIRTUAL_EPOCH_MS),
  ),
) {
  const receiver = createReceiver();
  const broadcast = { ...createBroadcastOptions(), transport: receiver as never };
  return { receiver, store, admin: createAdminGateway({ recordingStore: store, broadcast }) };
}

const makeKey = ({ dataOf }: AdminGateway, name: string) => dataOf('POST', '/keys', { name });

async function advanceAll(platforms: readonly VirtualPlatform[], ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 500) for (const each of platforms) await each.advance(500);
}

test('a destination gets the records from when it wants them on, and its copy can be verified', async () => {
  const { receiver, admin } = setUp();
  await admin.gateway.start();
  await makeKey(admin, 'before');
  const { id, audit_log: wants } = await admin.dataOf('POST', PATH, { ...COLLECTOR, audit_log: undefined });
  expect(wants).toBe(false);
  await makeKey(admin, 'not yet');
  await admin.dataOf('PATCH', `${PATH}/${id}`, { audit_log: true });
  await makeKey(admin, 'wanted');
  await admin.platform.advance(10_000);
  expect(actionsAt(receiver)).toEqual(['4 destination.update', '5 key.create']);
  expect(new Set(receiver.urls)).toEqual(new Set(['https://example.com/v1/logs']));
  const copy = (async function* () {
    for (const text of receiver.bodies) yield { text, place: 'copy', isDamaged: false };
  })();
  // It begins in the middle, so all but the beginning can be checked.
  expect(await verifyChain(copy, admin.platform.sha256)).toMatchObject({ count: 2, problem: { kind: 'beginning' } });
  await admin.dataOf('PATCH', `${PATH}/${id}`, { audit_log: false });
  await makeKey(admin, 'no longer');
  await admin.platform.advance(10_000);
  expect(actionsAt(receiver)).toHaveLength(2);
});

test('nothing is given up: what a receiver refuses comes later, in order and once', async () => {
  const { receiver, admin } = setUp();
  await admin.gateway.start();
  await admin.dataOf('POST', PATH, COLLECTOR);
  await admin.platform.advance(1000);
  receiver.status = 500;
  for (const name of ['a', 'b', 'c']) await makeKey(admin, name);
  await admin.platform.advance(20_000);
  const { body } = await admin.call('GET', '/admin/v1/destinations/deliveries');
  expect(body['destinations']).toMatchObject([{ audit: { queued: 3, last_failure: 'HTTP 500' } }]);
  receiver.status = 400;
  await admin.platform.advance(3 * 60 * 60_000);
  receiver.status = 200;
  await admin.platform.advance(10 * 60_000);
  expect(actionsAt(receiver)).toEqual(['1 destination.create', '2 key.create', '3 key.create', '4 key.create']);
});

test('of several processes one sends what all record, and another goes on after its end', async () => {
  const first = setUp();
  const { store } = first;
  const second = setUp(store);
  second.admin.platform.randomBytes(100);
  for (const { admin } of [first, second]) await admin.gateway.start();
  await first.admin.dataOf('POST', PATH, COLLECTOR);
  store.tell('destinations');
  const both = [first.admin.platform, second.admin.platform];
  for (const name of ['a', 'b']) await makeKey(second.admin, name);
  await advanceAll(both, 10_000);
  expect(actionsAt(first.receiver)).toEqual(['1 destination.create', '2 key.create', '3 key.create']);
  expect(actionsAt(second.receiver)).toEqual([]);
  await makeKey(first.admin, 'c');
  await first.admin.platform.advance(500);
  // It dies: its time stands still.
  await makeKey(second.admin, 'd');
  await advanceAll([second.admin.platform], 60_000);
  expect(actionsAt(first.receiver).at(-1)).toBe('4 key.create');
  expect(actionsAt(second.receiver)).toEqual(['5 key.create']);
});

const BUCKET = {
  type: 's3',
  name: 'n',
  config: { bucketName: 'logs', accessKeyId: 'a', secretAccessKey: 's', endpoint: 'https://s3.example' },
  audit_log: true,
};

/** Two processes, and what each has put into a bucket that takes a second for each object. */
async function setUpSlowBucket() {
  const first = setUp();
  const second = setUp(first.store);
  second.admin.platform.randomBytes(100);
  for (const { admin, receiver } of [first, second]) {
    const send: Receiver['send'] = async ({ url }) => {
      await new Promise<void>((resolve) => void admin.platform.setTimer(resolve, 1000));
      receiver.urls.push(url);
      return { status: receiver.status, headers: {}, body: (async function* () {})() };
    };
    Object.assign(receiver, { send });
  }
  await first.admin.gateway.start();
  await first.admin.dataOf('POST', PATH, BUCKET);
  // So that the first is the owner: it takes real time to find that out.
  while (first.receiver.urls.length === 0) await first.admin.platform.advance(500);
  await second.admin.gateway.start();
  first.store.tell('destinations');
  const namesAt = ({ receiver }: typeof first) => receiver.urls.map((url) => Number(/(\d+)\.json$/.exec(url)?.[1]));
  return { first, second, namesAt, both: [first.admin.platform, second.admin.platform] };
}

test('a batch that takes longer than an ownership lasts is sent once, by one process', async () => {
  const { first, second, namesAt, both } = await setUpSlowBucket();
  await advanceAll(both, 10_000);
  for (let count = 0; count < 60; count += 1) await makeKey(first.admin, `k${count}`);
  await advanceAll(both, 100_000);
  expect(namesAt(second)).toEqual([]);
  expect(namesAt(first)).toEqual(Array.from({ length: 61 }, (_, index) => index + 1));
});

test('who was away for longer than an ownership lasts sends nothing that another process has sent', async () => {
  const { first, second, namesAt, both } = await setUpSlowBucket();
  await advanceAll(both, 10_000);
  first.receiver.status = 500;
  for (const name of ['a', 'b']) await makeKey(first.admin, name);
  await advanceAll(both, 20 * 60_000);
  expect(namesAt(second)).toEqual([2, 3]);
  const tried = first.receiver.urls.length;
  first.receiver.status = 200;
  await makeKey(first.admin, 'c');
  await advanceAll(both, 10 * 60_000);
  // Whichever of the two is the owner by then.
  expect([...namesAt(first).slice(tried), ...namesAt(second)].toSorted((one, other) => one - other)).toEqual([2, 3, 4]);
});

test('a destination of a workspace gets what was done to that workspace alone', async () => {
  const { receiver, admin } = setUp();
  await admin.gateway.start();
  const { id } = await admin.dataOf('POST', '/workspaces', { name: 'Team', slug: 'team' });
  await admin.dataOf('POST', PATH, { ...COLLECTOR, workspace_id: id });
  await makeKey(admin, 'elsewhere');
  await admin.dataOf('POST', '/keys', { name: 'within', workspace_id: id });
  await admin.platform.advance(10_000);
  const targets = receiver.bodies.map((text) => (JSON.parse(text) as { target: { workspace: string } }).target);
  expect(targets.map(({ workspace }) => workspace)).toEqual([id, id]);
});

test('a type without a form for the audit log refuses it, and names those that have one', async () => {
  const { admin } = setUp();
  const langfuse = { type: 'langfuse', name: 'n', config: { publicKey: 'p', secretKey: 's' }, audit_log: true };
  const { status, body } = await admin.call('POST', PATH, langfuse);
  expect([status, JSON.stringify(body)]).toEqual([
    400,
    expect.stringContaining('audit_log: cannot be sent to langfuse; it can to: webhook, otel-collector, s3, grafana'),
  ]);
});
