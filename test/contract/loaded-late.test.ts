import { execFileSync } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

/** Imports a package in a process of its own, and prints what was loaded for it. */
const PROGRAM = `
import { registerHooks } from 'node:module';
const loaded = [];
registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
await import(process.argv[1]);
process.stdout.write(JSON.stringify(loaded));
`;

function loadedBy(entry: string): string[] {
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', PROGRAM, entry], {
    cwd: fileURLToPath(new URL('../../packages/server/', import.meta.url)),
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
