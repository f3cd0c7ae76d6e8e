import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import { onTestFinished } from 'vitest';

const certificate = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../support/certificates/${name}.pem`, import.meta.url)), 'utf8');

/** What has been announced of a video job, at least once. */
export interface Announcements {
  readonly url: string;
  /** The bodies that came with each id. */
  readonly byId: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Takes announcements of video jobs over TLS until the test is over. */
export async function startAnnouncements(): Promise<Announcements> {
  const byId = new Map<string, Set<string>>();
  const server = createHttpsServer({ key: certificate('good.key'), cert: certificate('good') }, (request, response) => {
    text(request).then(
      (body) => {
        const id = request.headers['webhook-id'] as string;
        byId.set(id, (byId.get(id) ?? new Set()).add(body));
        response.end('ok');
      },
      () => response.destroy(),
    );
  });
  return { byId, url: `https://127.0.0.1:${await listen(server)}/hook` };
}

/** Generations that a destination of the type `webhook` was sent, at least once. */
export interface Broadcasts {
  readonly url: string;
  /** The ids of the spans that came of each generation. */
  readonly spansOf: ReadonlyMap<string, ReadonlySet<string>>;
}

interface OtlpBody {
  readonly resourceSpans?: readonly {
    readonly scopeSpans: readonly {
      readonly spans: readonly { readonly traceId: string; readonly spanId: string }[];
    }[];
  }[];
}

/** Takes generations until the test is over. */
export async function startBroadcasts(): Promise<Broadcasts> {
  const spansOf = new Map<string, Set<string>>();
  const server = createHttpServer((request, response) => {
    text(request).then(
      (body) => {
        const { resourceSpans = [] } = JSON.parse(body === '' ? '{}' : body) as OtlpBody;
        for (const span of resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))) {
          const [id] = /gen-\d+-[0-9a-f]+/.exec(JSON.stringify(span)) ?? [];
          if (id !== undefined) spansOf.set(id, (spansOf.get(id) ?? new Set()).add(`${span.traceId}/${span.spanId}`));
        }
        response.end();
      },
      () => response.destroy(),
    );
  });
  return { spansOf, url: `http://127.0.0.1:${await listen(server)}/hook` };
}

async function listen(server: ReturnType<typeof createHttpServer>): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}
