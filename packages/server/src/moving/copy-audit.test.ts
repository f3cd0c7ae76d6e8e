import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type AuditEntry, type AuditRepository, createMemoryAudit, verifyChain } from '@model-gateway/core';
import { createNodePlatform } from '@model-gateway/node';
import { expect, onTestFinished, test, vi } from 'vitest';

import { openJsonStore } from '../open/find-store.ts';
import { copyAudit } from './copy-audit.ts';

const { sha256 } = createNodePlatform();
const DAY_MS = 86_400_000;

const toEntry = (id: number): AuditEntry => ({
  id: `aud-${id}`,
  at: new Date(Date.UTC(2026, 0, 1) + id * (DAY_MS / 100)).toISOString(),
  action: 'key.update',
  actor: { kind: 'key', id: 'k', name: 'admin', member: null, key: 'k' },
  from: { address: null, user_agent: null },
  target: { kind: 'key', id: 'k', name: 'Key', workspace: 'default' },
  before: null,
  after: { name: `n${id}` },
  outcome: 'done',
  reason: null,
  count: 1,
});

async function openTarget(): Promise<AuditRepository> {
  const dir = mkdtempSync(join(tmpdir(), 'gateway-copy-audit-'));
  const store = await openJsonStore(dir);
  onTestFinished(async () => {
    await store.close();
    rmSync(dir, { recursive: true });
  });
  if (store.audit === undefined) throw new Error('no log');
  return store.audit;
}

const append = (log: AuditRepository, from: number, to: number) =>
  log.append(Array.from({ length: to - from }, (_, index) => toEntry(from + index)));

function listen(): string[] {
  const said: string[] = [];
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0);
  onTestFinished(() => spy.mockRestore());
  return said;
}

test('a log of 1,200 records is moved whole, goes on being moved, and can be verified at both ends', async () => {
  const [from, to] = [createMemoryAudit(), await openTarget()];
  await append(from, 0, 1200);
  await copyAudit(from, to);
  const { last } = await verifyChain(from.read(), sha256);
  expect(await verifyChain(to.read(), sha256)).toEqual({ count: 1200, first: expect.anything(), last, problem: null });
  await append(from, 1200, 1210);
  await copyAudit(from, to);
  await copyAudit(from, to);
  expect(await verifyChain(to.read(), sha256)).toMatchObject({ count: 1210, problem: null });
  // The target goes on by itself; what it came from has nothing new.
  await append(to, 1210, 1212);
  await copyAudit(from, to);
  expect(await verifyChain(to.read(), sha256)).toMatchObject({ count: 1212, problem: null });
});

test('what retention has dropped is missing at both ends, which the moved log explains', async () => {
  const [from, to] = [createMemoryAudit(), await openTarget()];
  await append(from, 0, 300);
  expect(await from.dropBefore(Date.UTC(2026, 0, 3))).toBe(200);
  await copyAudit(from, to);
  expect(await verifyChain(to.read(), sha256)).toMatchObject({ count: 101, first: { sequence: 201 }, problem: null });
});

test('a log beside another one stays where it is, and the command says so', async () => {
  const said = listen();
  const [from, to] = [createMemoryAudit(), await openTarget()];
  await append(from, 0, 3);
  await append(to, 10, 12);
  await copyAudit(from, to);
  expect(said).toEqual([expect.stringContaining('not moved, because there is another one')]);
  expect(await verifyChain(to.read(), sha256)).toMatchObject({ count: 2, problem: null });
});

test('a log that is not whole stays where it is, and the command names the place', async () => {
  const said = listen();
  const [from, to] = [createMemoryAudit(), await openTarget()];
  await append(from, 0, 3);
  const damaged: AuditRepository = {
    ...from,
    async *read() {
      for await (const each of from.read()) yield { ...each, text: each.text.replace('"n1"', '"n9"') };
    },
  };
  await copyAudit(damaged, to);
  expect(said).toEqual([expect.stringContaining('not whole (record 2 in memory)')]);
  expect(await verifyChain(to.read(), sha256)).toMatchObject({ count: 0 });
});
