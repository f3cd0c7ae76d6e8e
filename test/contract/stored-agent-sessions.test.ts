import { stat } from 'node:fs/promises';
import { join } from 'node:path';

import type { StoredContent } from '@model-gateway/core';
import { expect, test } from 'vitest';

import { RECORDED_PROGRAMS, readSession } from '../support/agent-sessions/read-sessions.ts';
import { playSession, type RecordedSession } from '../support/agent-sessions/recorded-session.ts';
import { createWireGateway, JSON_TYPE, scripts } from '../support/gateways/ask-wire.ts';
import { toRecord } from '../support/stores/generation-records.ts';
import { useJsonFilePlace } from '../support/stores/json-file-place.ts';
import { createReplayTransport } from '../support/upstreams/scripted-transport.ts';

const isFull = process.env['TEST_FULL'] === '1';
/** Sessions of each program. */
const SESSIONS = isFull ? 50 : 4;
const LIMIT_MS = isFull ? 900_000 : 180_000;
const WIRE = { claude: 'anthropic', codex: 'openai-responses' } as const;

const place = useJsonFilePlace();

/** What is stored of calls that a gateway of its own has served: those of one session, in their order. */
async function contentsOf(program: (typeof RECORDED_PROGRAMS)[number]): Promise<readonly StoredContent[]> {
  const script = scripts.find(([wire]) => wire === WIRE[program])?.[1];
  if (script === undefined) throw new Error(`There is no script for ${program}`);
  const { whole } = script.responses.text;
  const core = createWireGateway(
    script,
    createReplayTransport({ headers: JSON_TYPE, pieces: [JSON.stringify(whole)] }),
  );
  const session = readSession(program);
  for (const body of playSession(session)) {
    await core.platform.advance(1000);
    const response = await core.post(session.path, { ...body, model: 'test/model', stream: false });
    expect(response.status).toBe(200);
  }
  return core.store.appended.flatMap(({ content }) => content ?? []);
}

/** The long texts of a session, and those of the same session with another conversation. */
function toOtherTexts(session: RecordedSession, own: unknown, number: number): ReadonlyMap<string, string> {
  const other = playSession(session, number).at(-1);
  const texts = new Map<string, string>();
  const pair = (one: unknown, another: unknown): void => {
    if (typeof one === 'string' && typeof another === 'string') texts.set(one, another);
    if (typeof one !== 'object' || one === null || typeof another !== 'object' || another === null) return;
    for (const [name, member] of Object.entries(one)) pair(member, (another as Record<string, unknown>)[name]);
  };
  pair(own, other);
  return texts;
}

/** The contents with equal items of lists as one object, which then has to be changed only once. */
function withSharedItems(contents: readonly StoredContent[]): readonly StoredContent[] {
  const items = new Map<string, unknown>();
  const share = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (!Array.isArray(value)) return mapMembers(value, share);
    return value.map((item: unknown) => {
      const json = JSON.stringify(item);
      if (!items.has(json)) items.set(json, item);
      return items.get(json);
    });
  };
  return contents.map((content) => share(content) as StoredContent);
}

const mapMembers = (value: object, change: (member: unknown) => unknown): object =>
  Object.fromEntries(Object.entries(value).map(([name, member]) => [name, change(member)]));

/** Changes values to other texts, and the same object to the same one. */
function createTextChange(texts: ReadonlyMap<string, string>): (value: unknown) => unknown {
  const changed = new Map<object, unknown>();
  const change = (value: unknown): unknown => {
    if (typeof value === 'string') return texts.get(value) ?? value;
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(change);
    const known = changed.get(value) ?? mapMembers(value, change);
    changed.set(value, known);
    return known;
  };
  return change;
}

test(
  `${2 * SESSIONS} sessions of 40 requests, in the form of Claude Code and Codex, take at most 0.15 of what their messages alone took`,
  { timeout: LIMIT_MS },
  async () => {
    const store = await place.open();
    let before = 0;
    let whole = 0;
    for (const program of RECORDED_PROGRAMS) {
      const session = readSession(program);
      const own = playSession(session).at(-1);
      const contents = withSharedItems(await contentsOf(program));
      expect(contents).toHaveLength(40);
      // Other texts are as long.
      for (const { request, ...withoutRequest } of contents) {
        before += JSON.stringify(withoutRequest).length * SESSIONS;
        whole += JSON.stringify({ ...withoutRequest, request }).length * SESSIONS;
      }
      for (let number = 1; number <= SESSIONS; number += 1) {
        const change = createTextChange(toOtherTexts(session, own, number));
        for (const [step, content] of contents.entries()) {
          const record = toRecord(`gen-${program}-${number}-${step}`);
          await store.generations.append(record, change(content) as StoredContent);
        }
        const last = await store.generations.getContent(`gen-${program}-${number}-39`);
        expect(JSON.stringify(last)).toBe(JSON.stringify(change(contents[39])));
      }
    }
    const written = await sizeOfLogs();
    const toMb = (size: number): string => `${(size / 1e6).toFixed(1)} MB`;
    process.stdout.write(
      `${2 * SESSIONS} sessions: ${toMb(written)} on the disk, ${(written / before).toFixed(3)} of ${toMb(before)} for messages and completions alone, ` +
        `${(written / whole).toFixed(3)} of ${toMb(whole)} for the whole requests\n`,
    );
    expect(written / before).toBeLessThan(0.15);
  },
);

/** Of the records, too. */
async function sizeOfLogs(): Promise<number> {
  const logs = join(place.dir, 'logs');
  const sizes = await Promise.all((await place.logs()).map(async (name) => (await stat(join(logs, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
