import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { serveUi } from './serve-ui.ts';

let directory = '';

beforeAll(async () => {
  const parent = await mkdtemp(join(tmpdir(), 'gateway-ui-'));
  directory = join(parent, 'dist');
  await mkdir(join(directory, 'assets'), { recursive: true });
  await writeFile(join(parent, 'secret.txt'), 'outside');
  await writeFile(join(directory, 'index.html'), '<title>UI</title>');
  await writeFile(join(directory, 'assets', 'index-Ab_1-2.js'), 'run()');
});

afterAll(() => rm(join(directory, '..'), { recursive: true }));

const get = (path: string, method = 'GET', baseUrl = 'http://127.0.0.1:8855') =>
  serveUi({ method, path, baseUrl }, directory);
const textOf = (body: unknown): string => (body instanceof Uint8Array ? new TextDecoder().decode(body) : String(body));

test('serves the page fresh each time, and lets its assets be cached', async () => {
  const [page, asset] = await Promise.all([get('/ui/'), get('/ui/assets/index-Ab_1-2.js')]);
  expect([page.status, textOf(page.body), page.headers['cache-control']]).toEqual([
    200,
    '<title>UI</title>',
    'no-cache',
  ]);
  expect([textOf(asset.body), asset.headers['content-type'], asset.headers['cache-control']]).toEqual([
    'run()',
    'text/javascript; charset=utf-8',
    'public, max-age=31536000, immutable',
  ]);
});

test('allows no script but its own, in no response', async () => {
  for (const path of ['/ui/', '/ui', '/ui/models', '/ui/none.js']) {
    const { headers } = await get(path);
    expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(headers['content-security-policy']).toContain("require-trusted-types-for 'script'");
    expect(headers['x-content-type-options']).toBe('nosniff');
  }
});

test('answers HEAD without a body, and no other method', async () => {
  const head = await get('/ui/', 'HEAD');
  expect([head.status, head.body, head.headers['content-length']]).toEqual([200, null, '17']);
  const post = await get('/ui/', 'POST');
  expect([post.status, post.headers['allow']]).toEqual([405, 'GET, HEAD']);
});

test('leads a typed path to its screen', async () => {
  expect((await get('/')).headers['location']).toBe('/ui/');
  expect((await get('/ui')).headers['location']).toBe('/ui/');
  const { status, headers } = await get('/ui/generations/gen-1');
  expect([status, headers['location']]).toEqual([302, '/ui/#/generations/gen-1']);
  const asked = { method: 'GET', path: '/ui/settings', query: 'section=alarms', baseUrl: 'http://127.0.0.1:8855' };
  expect((await serveUi(asked, directory)).headers['location']).toBe('/ui/#/settings?section=alarms');
});

test('leads an app to the page that asks its user, with what it asks for', async () => {
  const locate = async (query: string, baseUrl = 'http://127.0.0.1:8855') =>
    (await serveUi({ method: 'GET', path: '/auth', query, baseUrl }, directory)).headers['location'];
  expect(await locate('callback_url=https%3A%2F%2Fapp.example%2Fcb%3Fa%3D1&limit=5')).toBe(
    '/ui/#/auth?callback_url=https%3A%2F%2Fapp.example%2Fcb%3Fa%3D1&limit=5',
  );
  expect(await locate('', 'https://gateway.example/ai')).toBe('/ai/ui/#/auth');
  expect(await locate('x=%0d%0aset-cookie: a&y=<#>')).toBe('/ui/#/auth?x=%0D%0Aset-cookie%3A+a&y=%3C%23%3E');
});

test('leads to places below the path of a public address', async () => {
  const locate = async (path: string) => (await get(path, 'GET', 'https://gateway.example/ai')).headers['location'];
  expect(await locate('/ui')).toBe('/ai/ui/');
  expect(await locate('/ui/models')).toBe('/ai/ui/#/models');
});

test.each([
  '/ui/../secret.txt',
  '/ui/assets/../../secret.txt',
  '/ui/..%2fsecret.txt',
  '/ui/%2e%2e/secret.txt',
  '/ui//etc/passwd',
  '/ui/assets/..\\..\\secret.txt',
  '/ui/assets',
  '/ui/assets/none.js',
  '/ui/.hidden',
  '/ui/a\r\nx: y',
])('serves nothing from outside: %s', async (path) => {
  const { status, body } = await get(path);
  expect([302, 404]).toContain(status);
  expect(textOf(body)).not.toContain('outside');
});

test('rejects when there is no bundle', async () => {
  await expect(serveUi({ method: 'GET', path: '/ui/', baseUrl: '' }, join(directory, 'none'))).rejects.toThrow(
    'holds no bundle',
  );
});

test('sends assets compressed to browsers that accept it', async () => {
  const script = 'export const words = "one two three";\n'.repeat(100);
  await writeFile(join(directory, 'assets', 'long-Cd_3.js'), script);
  const getAs = (accepted: string) =>
    serveUi(
      { method: 'GET', path: '/ui/assets/long-Cd_3.js', baseUrl: '', headers: { 'accept-encoding': accepted } },
      directory,
    );
  for (const accepted of ['gzip, deflate, br', 'gzip, deflate, br']) {
    const { headers, body } = await getAs(accepted);
    expect(headers).toMatchObject({ 'content-encoding': 'br', vary: 'accept-encoding' });
    expect(brotliDecompressSync(body as Uint8Array).toString()).toBe(script);
  }
  const plain = await getAs('identity');
  expect([plain.headers['content-encoding'], textOf(plain.body)]).toEqual([undefined, script]);
});
