import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

import { build as esbuild } from 'esbuild';
import OpenAI from 'openai';
import { build as rolldown } from 'rolldown';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { packAll, type PackedPackage } from '../../scripts/pack-all.ts';
import { readEntryPoints } from '../../scripts/read-entry-points.ts';
import { findPrintedLink, openInBrowser } from '../e2e/printed-link.ts';
import { takeFirstMinute } from '../e2e/take-first-minute.ts';
import { checkExample, EXAMPLES } from '../support/conformance/examples.ts';
import { makeApp, ownEnv, ROOT } from './make-app.ts';

/** Most megabytes unpacked, and files; what a package needs beside that is counted where it is installed. */
const LIMITS: Readonly<Record<string, { readonly megabytes: number; readonly files: number }>> = {
  '@model-gateway/ai-sdk': { megabytes: 0.1, files: 15 },
  '@model-gateway/clients': { megabytes: 0.1, files: 30 },
  '@model-gateway/core': { megabytes: 4.5, files: 270 },
  '@model-gateway/express': { megabytes: 0.1, files: 15 },
  '@model-gateway/fixtures': { megabytes: 0.5, files: 40 },
  '@model-gateway/node': { megabytes: 0.8, files: 50 },
  '@model-gateway/postgres': { megabytes: 0.5, files: 15 },
  '@model-gateway/redis': { megabytes: 0.1, files: 15 },
  '@model-gateway/ui': { megabytes: 2.6, files: 160 },
  'model-gateway': { megabytes: 10, files: 1000 },
};
const INSTALL_TIME = 240_000;

let packed: readonly PackedPackage[];
beforeAll(async () => {
  packed = await packAll();
}, INSTALL_TIME);

const tarballsOf = (...names: readonly string[]): string[] =>
  names.map((name) => packed.find((each) => each.name === name)?.tarball ?? name);
const EXPRESS = ['@model-gateway/core', '@model-gateway/node', '@model-gateway/express'];

describe.each(Object.entries(LIMITS))('The tarball of %s', (name, { megabytes, files }) => {
  test('has a page, the licence and no sources, tests or source maps, and keeps to its size', () => {
    const tarball = packed.find((each) => each.name === name);
    const paths = tarball?.files.map(({ path }) => path) ?? [];
    expect(paths).toEqual(expect.arrayContaining(['README.md', 'LICENSE', 'package.json']));
    expect(paths.filter((path) => /^src\/|\.map$|\.test\./.test(path))).toEqual([]);
    expect((tarball?.unpackedSize ?? 0) / 1e6).toBeLessThan(megabytes);
    expect(paths.length).toBeLessThan(files);
    const words = ['-xOzf', tarball?.tarball ?? '', 'package/package.json'];
    const manifest = JSON.parse(execFileSync('tar', words, { encoding: 'utf8' })) as { engines: object };
    expect(manifest.engines).toEqual({ node: '>=22.19' });
  });
});

test(
  'packed again, every tarball has the same bytes',
  async () => {
    const hashesOf = (all: readonly PackedPackage[]): string[] =>
      all.map(({ tarball }) => createHash('sha256').update(readFileSync(tarball)).digest('hex'));
    const first = hashesOf(packed);
    packed = await packAll();
    expect(hashesOf(packed)).toEqual(first);
  },
  INSTALL_TIME,
);

test('every package has a limit', () => {
  expect(packed.map(({ name }) => name).toSorted()).toEqual(Object.keys(LIMITS).toSorted());
});

test(
  'an Express 4 application in CommonJS serves the API, with at most 30 packages and 18 MB more',
  async () => {
    const app = makeApp('commonjs');
    app.install('express-4');
    const before = app.measure();
    app.install(...tarballsOf(...EXPRESS));
    const after = app.measure();
    const packages = after.packages - before.packages;
    const megabytes = after.megabytes - before.megabytes;
    console.error(`beside Express: ${packages} packages, ${megabytes.toFixed(1)} MB`);
    expect(packages).toBeLessThanOrEqual(30);
    expect(megabytes).toBeLessThanOrEqual(18);
    await checkExample(app.write('server.cjs', readFileSync(`${EXAMPLES}express-app/server.cjs`, 'utf8')));
  },
  INSTALL_TIME,
);

test(
  'what a feature needs beside is named with its command where it is not installed',
  () => {
    const app = makeApp('module');
    app.install(...tarballsOf(...EXPRESS));
    app.write(
      'read.mjs',
      `import { createWebAccess } from '@model-gateway/node/web';
       const { readHtml, readPdf } = createWebAccess();
       for (const read of [() => readHtml('<p>x'), () => readPdf(new Uint8Array(9))])
         await read().catch((error) => console.log(error.code + ': ' + error.message));`,
    );
    expect(app.run('node', 'read.mjs').trim().split('\n')).toEqual([
      'invalid_request: Reading web pages needs a package that is not installed: npm install html-to-text',
      'invalid_request: Reading PDFs needs a package that is not installed: npm install unpdf',
    ]);
  },
  INSTALL_TIME,
);

test(
  'a package of the AI SDK is installed beside the tarballs and called, and one that is missing is named with its command',
  () => {
    const app = makeApp('module');
    app.install('@ai-sdk/groq', ...tarballsOf('@model-gateway/core', '@model-gateway/ai-sdk'));
    app.write(
      'call.mjs',
      `import { createServer } from 'node:http';
       import { createAiSdkProvider } from '@model-gateway/ai-sdk';
       import { createGateway, toFetchHandler } from '@model-gateway/core';
       import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
       const choices = [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }];
       const usage = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 };
       const server = createServer((request, response) => {
         response.setHeader('content-type', 'application/json').end(JSON.stringify({ choices, usage }));
       }).listen(0, '127.0.0.1', async () => {
         const options = { apiKey: 'key', baseURL: 'http://127.0.0.1:' + server.address().port };
         const names = ['@ai-sdk/groq', '@ai-sdk/perplexity'];
         const gateway = createGateway({
           store: createMemoryStore(),
           providers: names.map((name, at) => createAiSdkProvider({ slug: 'p' + at, package: name, options })),
           models: names.map((_, at) => ({ id: 'acme/' + at, endpoints: [{ provider: 'p' + at, providerModel: 'm' }] })),
           bootstrapKeys: [{ key: 'sk-app', kind: 'api', name: 'app' }],
         });
         const handle = toFetchHandler(gateway);
         for (const at of [0, 1]) {
           const response = await handle(new Request('http://gateway/api/v1/chat/completions', {
             method: 'POST',
             headers: { authorization: 'Bearer sk-app', 'content-type': 'application/json' },
             body: JSON.stringify({ model: 'acme/' + at, messages: [{ role: 'user', content: 'Hi' }] }),
           }));
           const { choices: got, error } = await response.json();
           console.log(got?.[0].message.content ?? error.message);
         }
         process.exit();
       });`,
    );
    const [text, missing] = app.run('node', 'call.mjs').trim().split('\n');
    expect(text).toBe('Hello');
    expect(missing).toContain('npm install @ai-sdk/perplexity');
  },
  INSTALL_TIME,
);

test(
  'an Express 5 application in TypeScript compiles strictly in both ways of resolution, and serves the API',
  async () => {
    const app = makeApp('module');
    app.install('express', '@types/express', '@types/node', ...tarballsOf(...EXPRESS));
    const entries = [...readEntryPoints(ROOT).keys()].filter((entry) => EXPRESS.some((name) => entry.startsWith(name)));
    app.write('entries.ts', entries.map((entry, index) => `export * as entry${index} from '${entry}';\n`).join(''));
    const example = readFileSync(`${EXAMPLES}express-app/server.mjs`, 'utf8');
    app.write('server.ts', example.replace('server.address()', "server.address() as import('node:net').AddressInfo"));
    const toConfig = (options: object): string => {
      const strict = { strict: true, skipLibCheck: false, target: 'es2023', types: ['node'] };
      return JSON.stringify({ compilerOptions: { ...strict, ...options }, files: ['server.ts', 'entries.ts'] });
    };
    const bundler = { module: 'esnext', moduleResolution: 'bundler', noEmit: true };
    app.write('tsconfig.bundler.json', toConfig(bundler));
    app.write('tsconfig.json', toConfig({ module: 'node16', moduleResolution: 'node16' }));
    for (const file of ['tsconfig.bundler.json', 'tsconfig.json']) app.run(`${ROOT}node_modules/.bin/tsc`, '-p', file);
    await checkExample(join(app.dir, 'server.js'));
  },
  INSTALL_TIME,
);

test(
  'a Hono application needs the core alone, and serves the API',
  async () => {
    const app = makeApp('module');
    app.install('hono', '@hono/node-server', ...tarballsOf('@model-gateway/core'));
    await checkExample(app.write('server.mjs', readFileSync(`${EXAMPLES}fetch-host/server.mjs`, 'utf8')));
  },
  INSTALL_TIME,
);

test(
  'a Next.js application builds with the core in a route handler, and serves the API',
  async () => {
    const app = makeApp('module');
    app.install('next@16.4.6', 'react@19.3.1', 'react-dom@19.3.1', ...tarballsOf('@model-gateway/core'));
    const example = readFileSync(`${EXAMPLES}fetch-host/server.mjs`, 'utf8');
    const gateway = example.slice(0, example.indexOf('const app =')).replaceAll(/^import .* from '(@?hono).*$/gm, '');
    const methods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'].map((method) => `handle as ${method}`);
    app.write('app/ai/[...path]/route.js', `${gateway}\nexport { ${methods.join(', ')} };`);
    app.write('app/route.js', `export const GET = () => new Response('My own page');`);
    app.run('env', 'NEXT_TELEMETRY_DISABLED=1', 'node', 'node_modules/next/dist/bin/next', 'build');
    await checkExample(
      app.write(
        'server.mjs',
        `import { createServer } from 'node:http';
         import next from 'next';
         const app = next({ dev: false, dir: import.meta.dirname, hostname: '127.0.0.1', port: 0 });
         await app.prepare();
         const server = createServer(app.getRequestHandler()).listen(0, '127.0.0.1', () => {
           console.log('listening on http://127.0.0.1:' + server.address().port + '/ai/api/v1');
         });
         process.once('SIGTERM', () => process.exit(0));`,
      ),
    );
  },
  2 * INSTALL_TIME,
);

/** Replays a case, whole and streamed, and prints both. */
const REPLAY = `
  import { startFixtureGateway } from '@model-gateway/fixtures';

  const gateway = await startFixtureGateway({ dir: process.argv[2] });
  for (const stream of [false, true]) {
    const response = await fetch(gateway.baseUrl + '/chat/completions', {
      method: 'POST',
      headers: { authorization: 'Bearer ' + gateway.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'demo/chat', stream, messages: [{ role: 'user', content: 'Tell me a joke' }] }),
    });
    console.log(response.status, await response.text());
  }
  await gateway.close();
`;
const BUNDLED = ['fetch-host', 'node-http', 'express-app'];

/** CommonJS inside of an ES module asks for modules of Node.js by this; rolldown writes it by itself. */
const REQUIRE = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";
const BUNDLERS: Readonly<Record<string, (entry: string, file: string) => Promise<unknown>>> = {
  esbuild: (entryPoint, outfile) =>
    esbuild({
      entryPoints: [entryPoint],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      banner: { js: REQUIRE },
      logLevel: 'silent',
    }),
  rolldown: (input, file) =>
    rolldown({ input, platform: 'node', output: { file, format: 'esm', codeSplitting: false }, logLevel: 'silent' }),
};

test(
  'core, node, express and fixtures work from one file that a bundler made of them, in an empty folder',
  async () => {
    const app = makeApp('module');
    app.install('express', 'hono', '@hono/node-server', ...tarballsOf(...EXPRESS, '@model-gateway/fixtures'));
    const examples = BUNDLED.map((name) =>
      app.write(`${name}.mjs`, readFileSync(`${EXAMPLES}${name}/server.mjs`, 'utf8')),
    );
    const replay = app.write('replay.mjs', REPLAY);
    for (const bundle of Object.values(BUNDLERS)) {
      const folder = mkdtempSync(join(tmpdir(), 'bundled-'));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      for (const example of examples) {
        await bundle(example, join(folder, 'server.mjs'));
        await checkExample(join(folder, 'server.mjs'));
      }
      await bundle(replay, join(folder, 'replay.mjs'));
      const printed = app.run('node', join(folder, 'replay.mjs'), `${ROOT}fixtures`);
      expect(printed.match(/^200 /gm)).toHaveLength(2);
      expect(printed).toContain('data: [DONE]');
    }
  },
  INSTALL_TIME,
);

test(
  'the one tarball of the command serves the demo and the UI from an empty folder',
  async () => {
    const dir = mkdtempSync(join(tmpdir(), 'packed-npx-'));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    const [tarball = ''] = tarballsOf('model-gateway');
    const words = [
      '--yes',
      '--prefer-offline',
      `--package=${tarball}`,
      'model-gateway',
      'serve',
      '--demo',
      '--port',
      '0',
    ];
    const beganMs = performance.now();
    // A group of its own: npx ends only itself.
    const child = spawn('npx', words, {
      cwd: dir,
      env: ownEnv(),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    onTestFinished(() => void process.kill(-(child.pid ?? 0), 'SIGKILL'));
    const [{ url, api }, link] = await Promise.all([readListening(child.stdout), readLink(child.stderr)]);
    const signedIn = await openInBrowser('about:blank');
    await takeFirstMinute({ way: 'npx model-gateway serve --demo', beganMs, link, page: signedIn });
    // Its own directory, here `data/demo`, begins with something to look at.
    await signedIn.getByRole('button', { name: 'Delete sample data' }).click();
    await signedIn.getByText('Sample data deleted', { exact: true }).waitFor();
    const page = await fetch(`${url}/ui/`);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<div id="root"')]);
    const client = new OpenAI({ apiKey: 'sk-gw-v1-demo', baseURL: api, maxRetries: 0 });
    const messages = [{ role: 'user' as const, content: 'Hello!' }];
    const { choices } = await client.chat.completions.create({ model: 'demo/chat', messages });
    expect(choices[0]?.message.content).toMatch(/./);
  },
  INSTALL_TIME,
);

/** The link that is printed for people. */
async function readLink(output: Readable): Promise<string | undefined> {
  for await (const line of createInterface({ input: output })) {
    const link = findPrintedLink(line);
    if (link !== undefined) return link;
  }
  return undefined;
}

/** The line that `serve` prints for programs. */
async function readListening(output: Readable): Promise<{ readonly url: string; readonly api: string }> {
  for await (const line of createInterface({ input: output })) {
    if (line.startsWith('{"event":"listening"')) return JSON.parse(line) as { url: string; api: string };
  }
  throw new Error('The command ended without listening');
}
