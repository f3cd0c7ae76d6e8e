import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { rolldown } from 'rolldown';
import { onTestFinished } from 'vitest';

import { startUpstream, type WorkersUpstream } from './start-upstream.ts';

const RUNTIME = new URL('node_modules/miniflare/dist/src/index.js', import.meta.url);
const ROOT = new URL('../../', import.meta.url);

/** Whether workerd is there; an install that could not be had is a reason to skip. */
export const isInstalled = existsSync(RUNTIME);

/** The part of Miniflare that tests use: it is no dependency of ours, and is installed beside these tests alone. */
interface Runtime {
  readonly ready: Promise<URL>;
  dispose(): Promise<void>;
}

export interface Worker {
  /** `http://127.0.0.1:41234`, without a trailing slash. */
  readonly url: string;
  readonly upstream: WorkersUpstream;
  /** What the worker and its runtime wrote. */
  readonly written: string;
}

/** Bundles a worker and all that it imports into one module. It must not need anything of Node. */
async function bundle(path: string): Promise<string> {
  const entry = await rolldown({
    input: fileURLToPath(new URL(path, ROOT)),
    platform: 'browser',
    external: [/^node:/],
    logLevel: 'silent',
  });
  const { output } = await entry.generate({ format: 'esm', codeSplitting: false });
  await entry.close();
  return output[0].code;
}

/** Runs a worker in workerd, without anything of Node, until the test ends; its path is relative to the repository. */
export async function startWorker(path: string, bindings: Readonly<Record<string, string>> = {}): Promise<Worker> {
  const { Miniflare } = (await import(RUNTIME.href)) as { Miniflare: new (options: object) => Runtime };
  const upstream = await startUpstream();
  let written = '';
  const runtime = new Miniflare({
    modules: [{ type: 'ESModule', path: 'worker.mjs', contents: await bundle(path) }],
    compatibilityDate: '2026-06-01',
    compatibilityFlags: ['enable_request_signal'],
    bindings,
    outboundService: { external: { address: upstream.address, http: {} } },
    cf: false,
    handleRuntimeStdio(...streams: NodeJS.ReadableStream[]) {
      for (const stream of streams) stream.on('data', (data: Buffer) => void (written += data.toString()));
    },
  });
  onTestFinished(async () => {
    await runtime.dispose();
    await upstream.close();
  });
  const { origin } = await runtime.ready;
  return {
    url: origin,
    upstream,
    get written() {
      return written;
    },
  };
}
