import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';

import { type GatewayRequest, type GatewayResponse, mountPathOf } from '@model-gateway/core';

import { compressResponse } from './compress.ts';

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * Only the bundle's own files are run, applied as styles or loaded, whatever a model or a caller has written;
 * `innerHTML` and similar sinks are refused, so no text becomes a script.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "media-src 'self' blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const COMMON_HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
};

/** Matches the file names of a bundle, and no path out of its directory. */
const FILE = /^\/ui\/((?:assets\/)?[\w-]+(?:\.[\w-]+)+)$/;

/** What is read of a request. */
type UiRequest = Pick<GatewayRequest, 'method' | 'path' | 'baseUrl'> &
  Partial<Pick<GatewayRequest, 'headers' | 'query'>>;

/**
 * Responds to a request for `/`, `/auth`, `/ui` or a path below it from the directory of a built bundle. A path of no file is treated
 * as the address of a screen. Rejects when the bundle does not exist.
 */
export async function serveUi(
  { method, path, query = '', baseUrl, headers: { 'accept-encoding': accepted } = {} }: UiRequest,
  directory: string,
): Promise<GatewayResponse> {
  const toScreen = (screen: string): GatewayResponse => {
    // What an app asks for stays behind the `#`, out of logs; written anew, so that nothing else gets into the header.
    const asked = new URLSearchParams(query).toString();
    return toTextResponse(302, '', { location: `${mountPathOf({ baseUrl })}/ui/#${screen}${asked && `?${asked}`}` });
  };
  if (method !== 'GET' && method !== 'HEAD') {
    return toTextResponse(405, 'Only GET and HEAD are allowed here\n', { allow: 'GET, HEAD' });
  }
  if (path === '/ui') return toTextResponse(308, '', { location: `${mountPathOf({ baseUrl })}/ui/` });
  if (path === '/') return toTextResponse(302, '', { location: `${mountPathOf({ baseUrl })}/ui/` });
  if (path === '/auth') return toScreen(path);
  const name = path === '/ui/' ? 'index.html' : FILE.exec(path)?.[1];
  if (name === undefined) {
    if (!/^\/ui\/[\w/-]+$/.test(path)) return toTextResponse(404, 'File not found\n');
    return toScreen(path.slice('/ui'.length));
  }
  const body = await readNamed(join(directory, name));
  if (body === undefined) {
    if (name === 'index.html') throw new Error(`${directory} holds no bundle`);
    return toTextResponse(404, 'File not found\n');
  }
  const headers = {
    ...COMMON_HEADERS,
    'content-type': CONTENT_TYPES[extname(name)] ?? 'application/octet-stream',
    // Asset names change with their contents.
    'cache-control': name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
  };
  if (method === 'HEAD') {
    return { status: 200, headers: { ...headers, 'content-length': String(body.byteLength) }, body: null };
  }
  const response = { status: 200, headers, body };
  return compressResponse(response, accepted, name.startsWith('assets/') ? join(directory, name) : undefined);
}

/** Undefined when there is no such file. */
async function readNamed(file: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'EISDIR') return undefined;
    throw error;
  }
}

function toTextResponse(status: number, text: string, headers: Record<string, string> = {}): GatewayResponse {
  return {
    status,
    headers: { ...COMMON_HEADERS, 'content-type': 'text/plain; charset=utf-8', ...headers },
    body: text,
  };
}
