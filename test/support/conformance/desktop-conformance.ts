import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { getStage } from '../../desktop/get-stage.ts';
import { toScriptedConfig } from '../gateways/scripted-config.ts';
import { TEST_MANAGEMENT_KEY } from '../gateways/test-gateway.ts';
import { freePort } from '../test-run/free-port.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../upstreams/scripted-upstream.ts';
import { createCheckedFetch } from './checked-fetch.ts';
import type { Conformance } from './start-conformance.ts';

interface RunningDesktop {
  readonly origin: string;
  readonly upstream: ScriptedUpstream;
  stop(): Promise<void>;
}

let running: Promise<RunningDesktop> | undefined;

/** Target of the clients in the packaged desktop app: the same app for all, until `stopDesktop`. */
export async function joinDesktop(): Promise<Conformance> {
  running ??= startDesktop();
  const { origin, upstream } = await running;
  return {
    ...createCheckedFetch(),
    apiUrl: `${origin}/api/v1`,
    upstream,
    nextRecord: () => readNextRecord(origin),
    close: () => Promise.resolve(),
  };
}

export async function stopDesktop(): Promise<void> {
  await (await running)?.stop();
}

/** Starts the app as a login does, without a window and without anything attached to it. */
async function startDesktop(): Promise<RunningDesktop> {
  const stage = await getStage();
  if ('skipped' in stage) throw new Error(stage.skipped);
  const upstream = await startScriptedUpstream();
  const port = await freePort();
  const userDir = mkdtempSync(join(tmpdir(), 'gateway-desktop-host-'));
  writeFileSync(join(userDir, 'config.json'), JSON.stringify(toScriptedConfig(upstream)));
  writeFileSync(join(userDir, 'settings.json'), JSON.stringify({ settings: { port } }));
  const { PATH = '', HOME = '' } = process.env;
  // Chromium cannot use its own sandbox when it runs as root.
  const flags = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const child = spawn(stage.executable, [...flags, `--user-data-dir=${userDir}`, '--hidden'], {
    env: { PATH, HOME, XDG_CONFIG_HOME: join(userDir, 'xdg'), ...stage.env },
    stdio: 'ignore',
  });
  const exited = once(child, 'exit');
  const origin = `http://127.0.0.1:${port}`;
  const isUp = (): Promise<boolean> =>
    fetch(`${origin}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isUp())) if (child.exitCode !== null) throw new Error(`The app ended with ${child.exitCode}`);
  return {
    origin,
    upstream,
    async stop() {
      child.kill();
      await exited;
      await upstream.close();
      rmSync(userDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}

/** Follows the feed of generations for one, and reads it. */
async function readNextRecord(origin: string): ReturnType<Conformance['nextRecord']> {
  const headers = { authorization: `Bearer ${TEST_MANAGEMENT_KEY}` };
  const feed = await fetch(`${origin}/admin/v1/generations/feed`, { headers });
  let text = '';
  for await (const piece of (feed.body ?? []) as AsyncIterable<Uint8Array>) {
    text += new TextDecoder().decode(piece);
    const id = /^event: generation\ndata: \{.*?"id":"([^"]+)".*\}$/m.exec(text)?.[1];
    if (id === undefined) continue;
    const read = await fetch(`${origin}/api/v1/generation?id=${id}`, { headers });
    const { data } = (await read.json()) as { data: Awaited<ReturnType<Conformance['nextRecord']>>['generation'] };
    return { generation: data };
  }
  throw new Error('The feed ended');
}
