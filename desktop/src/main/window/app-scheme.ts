import { readFile } from 'node:fs/promises';
import { extname, join, normalize, sep } from 'node:path';

import { protocol } from 'electron';

/** The app's own scheme: no other program can serve it, and no web page can reach it. */
export const APP_ORIGIN = 'app://gateway';

const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
};

const GATEWAY_PATHS = /^\/(api|admin)\/|^\/(health|ready|metrics|openapi\.json)$/;

/** Must be called before the app is ready. */
export function declareAppScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true, stream: true } },
  ]);
}

/** Serves the UI from its folder, and passes the paths of the API to the gateway. */
export function serveAppScheme(uiDir: string, askGateway: (request: Request) => Promise<Response>): void {
  protocol.handle('app', async (request) => {
    const { origin, host, pathname } = new URL(request.url);
    if (host !== 'gateway') return new Response(`Nothing is served at ${origin}`, { status: 404 });
    if (GATEWAY_PATHS.test(pathname)) {
      return askGateway(request).catch((error: unknown) =>
        Response.json({ error: { code: 503, message: String(error) } }, { status: 503 }),
      );
    }
    return serveFile(uiDir, pathname);
  });
}

async function serveFile(uiDir: string, pathname: string): Promise<Response> {
  const file = normalize(join(uiDir, decodeURIComponent(pathname)));
  const isInside = file.startsWith(uiDir + sep);
  const type = TYPES[extname(file)];
  // A path of no file in the bundle is a location within the UI.
  const path = isInside && type !== undefined ? file : join(uiDir, 'index.html');
  try {
    const bytes = await readFile(path);
    const headers = {
      'content-type': TYPES[extname(path)] ?? 'application/octet-stream',
      'content-security-policy': CSP,
      'x-content-type-options': 'nosniff',
    };
    return new Response(new Uint8Array(bytes), { headers });
  } catch {
    return new Response('Not found', { status: 404 });
  }
}
