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

/** What a receiver does with the first attempts to announce a job; it takes what comes after them. */
export type FirstReaction = 'takes' | 'refuses' | 'breaks off' | 'stays silent';

/** One request that announced the end of a video job. */
export interface Announcement {
  readonly id: string;
  readonly jobId: string;
  readonly body: string;
  readonly isTaken: boolean;
}

/** What has been announced of video jobs. */
export interface Announcements {
  /** Addresses of different hosts: what one of them holds up delays no other. */
  readonly urls: Readonly<Record<FirstReaction, string>>;
  readonly received: readonly Announcement[];
}

const REFUSALS = 2;

/** Takes announcements of video jobs over TLS until the test is over. */
export async function startAnnouncements(): Promise<Announcements> {
  const received: Announcement[] = [];
  const start = async (reaction: FirstReaction): Promise<string> => {
    const key = { key: certificate('good.key'), cert: certificate('good') };
    const server = createHttpsServer(key, (request, response) => {
      text(request).then(
        (body) => {
          const id = request.headers['webhook-id'] as string;
          const { data } = JSON.parse(body) as { data: { id: string } };
          const earlier = received.filter((announcement) => announcement.jobId === data.id).length;
          const isTaken = earlier >= (reaction === 'takes' ? 0 : reaction === 'refuses' ? REFUSALS : 1);
          received.push({ id, jobId: data.id, body, isTaken });
          if (isTaken) response.end('ok');
          else if (reaction === 'refuses') response.writeHead(500, { 'retry-after': '1' }).end();
          else if (reaction === 'breaks off') response.destroy();
        },
        () => response.destroy(),
      );
    });
    return `https://127.0.0.1:${await listen(server)}/hook`;
  };
  const [takes, refuses, breaksOff, staysSilent] = await Promise.all([
    start('takes'),
    start('refuses'),
    start('breaks off'),
    start('stays silent'),
  ]);
  return { received, urls: { takes, refuses, 'breaks off': breaksOff, 'stays silent': staysSilent } };
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
