import process from 'node:process';

import type { Gateway, Store } from '@model-gateway/core';
import { DEMO_KEY, type GatewayConfig, type Listener } from '@model-gateway/node';
import { toSignInLink } from '@model-gateway/ui/sign-in-link';

import { describePlace, isReady } from '../open/open-store.ts';
import { removeOwnerFile, writeOwnerFile } from '../process/owner-file.ts';
import { announceListening, tellListening } from '../process/worker-place.ts';
import type { Start } from './plan-start.ts';

/** Writes the owner file with this process's address, for commands with the same data directory. */
export async function announceOwner({ config, closers, ownerToken }: Start, { port }: Listener): Promise<void> {
  if (config.store.type !== 'json') return;
  const { dir } = config.store;
  const { host } = config.server;
  const callable = host === '::' ? '::1' : isWildcard(host) ? '127.0.0.1' : host;
  const url = `http://${callable.includes(':') ? `[${callable}]` : callable}:${port}`;
  const owner = { pid: process.pid, url, token: ownerToken };
  await writeOwnerFile(dir, owner);
  closers.push(() => removeOwnerFile(dir, owner));
}

/** A wildcard address can be listened on, not called. */
const isWildcard = (host: string): boolean => host === '0.0.0.0' || host === '::';

/** Reports that it listens: in one line on stdout for programs, on stderr for people. */
export async function announce(
  { config, logger, demoFixturesDir, place }: Start,
  { url }: Listener,
  store: Store,
): Promise<void> {
  const stored = isReady(store)
    ? (await store.providers.list()).filter(({ enabled }) => enabled).map(({ id }) => id)
    : [];
  if (place === null) announceListening(url);
  else tellListening(url);
  const what = config.logging.inputOutput
    ? 'prompts and completions are stored with every generation (logging.inputOutput is true)'
    : 'prompts and completions are not stored, only facts about each generation (logging.inputOutput is false)';
  const isDemo = demoFixturesDir !== null;
  const providers = isDemo ? ['demo'] : [...new Set([...config.providers.map(({ slug }) => slug), ...stored])];
  logger.info(`listening; ${what}`, { url, dataDir: describePlace(config), providers });
  if (providers.length === 0 && isReady(store))
    logger.warn('there is no provider yet: set one up in the UI, or name one in --config');
}

/** Of several workers, the first shows one for all. */
export function showSignInLink(
  { config, logger, demoFixturesDir, place }: Start,
  listener: Listener,
  gateway: Gateway,
): void {
  if (place !== null && (place.slot !== 1 || !place.isFirst)) return;
  const signInLink = toSignInLink(`${publicUrlOf(config, listener)}/ui`, gateway.createSignInToken());
  if (demoFixturesDir === null) {
    return logger.info('the UI opens with this link, once and within ten minutes', { signInLink });
  }
  const dataDir = describePlace(config);
  process.stderr.write(createDemoBanner({ api: `${listener.url}/api/v1`, key: DEMO_KEY, dataDir, signInLink }));
}

/** The address for browsers. */
function publicUrlOf({ server }: GatewayConfig, { url, port }: Listener): string {
  if (server.publicUrl !== null) return server.publicUrl;
  return isWildcard(server.host) ? `http://127.0.0.1:${port}` : url;
}

/** Says how to make a key where there is none. Of several workers, the first says it. */
export async function hintAtMissingKeys({ config, logger, place }: Start, store: Store): Promise<void> {
  if ((place?.slot ?? 1) > 1) return;
  if (config.auth.bootstrapKeys.length > 0 || (await store.keys.list()).length > 0) return;
  const where =
    config.store.type === 'json'
      ? ` --data-dir '${config.store.dir}'`
      : config.file === null
        ? ''
        : ` --config '${config.file}'`;
  logger.warn(`there is no key yet, so nobody can call: model-gateway keys create --name NAME${where}`);
}

interface DemoFacts {
  /** Without a trailing slash. */
  readonly api: string;
  readonly key: string;
  readonly dataDir: string;
  readonly signInLink: string;
}

/** The text that demo mode prints when it listens: commands to paste that send a request and show the recording. */
function createDemoBanner({ api, key, dataDir, signInLink }: DemoFacts): string {
  return `
  Model Gateway, demo mode: recorded responses, no network, no cost.

  API address   ${api}
  API key       ${key}
  Web UI        ${signInLink}
                (this link signs in once, within ten minutes)

  Send a chat completion:

curl -sS ${api}/chat/completions \\
  -H 'authorization: Bearer ${key}' \\
  -H 'content-type: application/json' \\
  -d '{"model":"demo/chat","messages":[{"role":"user","content":"Hello!"}]}'

  Add "stream":true for a stream. Every response has an id; with it, see what was recorded (/generation/content
  has the prompt and the completion):

curl -sS -H 'authorization: Bearer ${key}' '${api}/generation?id=PASTE-THE-ID-HERE'

  To begin with providers of your own, set up in the Web UI:  model-gateway serve --no-demo

  Kept in ${dataDir}. Ctrl-C stops it.

`;
}
