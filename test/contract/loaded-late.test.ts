import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { expect, onTestFinished, test } from 'vitest';

/** Imports a package in a process of its own, and prints what was loaded for it. */
const PROGRAM = `
import { registerHooks } from 'node:module';
const loaded = [];
registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
await import(process.argv[1]);
process.stdout.write(JSON.stringify(loaded));
`;

const PLACE = fileURLToPath(new URL('../../packages/server/', import.meta.url));

function loadedBy(entry: string): string[] {
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', PROGRAM, entry], {
    cwd: PLACE,
    encoding: 'utf8',
  });
  return JSON.parse(output) as string[];
}

test.each(['@model-gateway/core', '@model-gateway/node', '@model-gateway/express', '@model-gateway/fixtures'])(
  'importing %s loads nothing that only some calls need',
  (entry) => {
    const loaded = loadedBy(import.meta.resolve(entry));
    expect(loaded.some((url) => url.includes('/zod/'))).toBe(true);
    const late =
      /\/(re2js|undici|aws4fetch|unpdf|html-to-text|nodemailer|@opentelemetry|http-proxy-middleware|openid-client|jose)\//;
    expect(loaded.filter((url) => late.test(url))).toEqual([]);
  },
);

/** Counts the schemas that are built while a package is imported. */
const COUNTING = `
let built = 0;
globalThis.__zod_globalConfig = { postProcessor() { built += 1; } };
await import(process.argv[1]);
process.stdout.write(String(built));
`;

test.each([
  ['@model-gateway/core', 300],
  ['@model-gateway/fixtures', 600],
])('importing %s builds fewer than %i schemas', (entry, most) => {
  const words = ['--input-type=module', '--eval', COUNTING, import.meta.resolve(entry)];
  const built = Number(execFileSync(process.execPath, words, { cwd: PLACE, encoding: 'utf8' }));
  // Zod counts, and each costs 5 to 20 microseconds (docs/decisions/0121-schemas-where-they-are-used.md).
  expect(built).toBeGreaterThan(10);
  expect(built).toBeLessThan(most);
});

test('connections to providers load those files of undici that they need', () => {
  const files = loadedBy(import.meta.resolve('@model-gateway/node/undici')).filter((url) => url.includes('/undici/'));
  expect(files.some((url) => url.endsWith('/lib/dispatcher/pool.js'))).toBe(true);
  expect(
    files.filter((url) => /\/undici\/(index\.js|lib\/(api|cache|handler|interceptor|mock|web)\/)/.test(url)),
  ).toEqual([]);
});

test('a command line is read before anything of the gateway is loaded', () => {
  const built = new URL('../../packages/server/dist/commands/parse-command.js', import.meta.url);
  const ofCore = loadedBy(built.href).filter((url) => url.includes('/packages/core/'));
  expect(ofCore.map((url) => url.replace(/.*\/dist\//, ''))).toEqual(['foundation/nearest-name.js']);
});

/** Tells of each file of the bundle that is loaded, where the start tells of its address, so that the order stays. */
const TELLING = `
import { writeSync } from 'node:fs';
import { registerHooks } from 'node:module';
registerHooks({ load(url, context, next) {
  if (url.includes('/bundle/')) writeSync(1, 'loaded ' + url + '\\n');
  return next(url, context);
} });
`;

test('a start reads few files of the bundle until it listens', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'few-chunks-'));
  const command = fileURLToPath(new URL('../../packages/server/bin/model-gateway.js', import.meta.url));
  const hook = `data:text/javascript,${encodeURIComponent(TELLING)}`;
  const flags = ['--demo', '--port', '0', '--data-dir', dir, '--log-level', 'error'];
  const child = spawn(process.execPath, ['--import', hook, command, 'serve', ...flags], { cwd: dir, env: {} });
  onTestFinished(async () => {
    const ended = once(child, 'close');
    child.kill();
    await ended;
    rmSync(dir, { recursive: true, force: true });
  });
  const loaded: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith('loaded ')) break;
    loaded.push(line);
  }
  expect(loaded.some((line) => line.includes('/main.js'))).toBe(true);
  // Each costs a resolution, a read and a link (docs/decisions/0120-few-chunks-for-a-start.md).
  expect(loaded.length).toBeLessThan(20);
});
