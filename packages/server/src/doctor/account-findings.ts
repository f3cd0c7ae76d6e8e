import { readFileSync } from 'node:fs';

import { type Environment, readVariable, type Transport } from '@model-gateway/core';
import { PRESETS } from '@model-gateway/core/providers/presets';
import type { GatewayConfig, ProviderConfig } from '@model-gateway/node';

/** Something that was found beside the layers of the connection. */
export interface AccountFinding {
  readonly layer: 'key' | 'region' | 'clock' | 'limits';
  readonly status: 'ok' | 'warning' | 'skipped';
  readonly detail: string;
  readonly advice?: string | undefined;
}

/** What the last response of a provider's server said about itself. */
export interface SeenResponse {
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch, by the clock of this machine. */
  readonly at: number;
}

/** The transport, with a note of the last response. */
export function watchResponses(transport: Transport, note: (seen: SeenResponse) => void): Transport {
  return {
    async send(request) {
      const response = await transport.send(request);
      note({ headers: response.headers, at: Date.now() });
      return response;
    },
  };
}

interface CredentialPlaces {
  readonly config: Pick<GatewayConfig, 'origin' | 'file'>;
  readonly env: Environment;
  /** Whether the provider was set up, and its key is sealed in the store. */
  readonly isStored: boolean;
}

/** Where the key of a provider was found: the name of the variable or file, never the value. */
export function findCredential(provider: ProviderConfig, { config, env, isStored }: CredentialPlaces): AccountFinding {
  const { preset: name, slug, apiKey } = provider;
  const preset = name !== null && Object.hasOwn(PRESETS, name) ? PRESETS[name] : undefined;
  const variables = [preset?.apiKeyEnv, ...(preset?.apiKeyAliases ?? [])].filter((one) => typeof one === 'string');
  const tell = (detail: string): AccountFinding => ({ layer: 'key', status: 'ok', detail });
  if (apiKey === undefined) {
    const places = variables.length === 0 ? '' : `; its usual variable is ${variables.join(' or ')}`;
    return { layer: 'key', status: 'skipped', detail: `none was found${places}` };
  }
  if (isStored) return tell('sealed in the store, where it was set up');
  const written = config.origin === 'file' ? readWritten(config.file, slug) : undefined;
  if (written?.startsWith('env:') === true) return tell(`in the variable ${written.slice('env:'.length)}`);
  if (written?.startsWith('file:') === true) return tell(`in the file ${written.slice('file:'.length).trim()}`);
  if (written !== undefined) return tell('in the config file itself');
  const variable = variables.find((one) => readVariable(env, one) !== undefined);
  return tell(variable === undefined ? 'given by the host' : `in the variable ${variable}`);
}

/** The key as it is written into the config file: a reference, or the key itself, which is shown nowhere. */
function readWritten(file: string | null, slug: string): string | undefined {
  if (file === null) return undefined;
  const { providers = [] } = JSON.parse(readFileSync(file, 'utf8')) as { providers?: readonly unknown[] };
  const entry = (providers as readonly { slug?: unknown; apiKey?: unknown }[]).find((one) => one.slug === slug);
  return typeof entry?.apiKey === 'string' ? entry.apiKey : undefined;
}

const MAX_SKEW_MS = 60_000;
const MAX_LIMITS = 8;

/** What a response tells of the clocks, and of the limits of the account. */
export function readResponse({ headers, at }: SeenResponse): readonly AccountFinding[] {
  const theirs = Date.parse(headers['date'] ?? '');
  const skewMs = at - theirs;
  const limits = Object.entries(headers).filter(([name]) => /rate-?limit|quota|^retry-after$/.test(name));
  return [
    ...(Number.isNaN(skewMs) ? [] : [describeSkew(skewMs)]),
    ...(limits.length === 0 ? [] : [describeLimits(limits)]),
  ];
}

function describeSkew(skewMs: number): AccountFinding {
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  if (Math.abs(skewMs) <= MAX_SKEW_MS) {
    return { layer: 'clock', status: 'ok', detail: `within ${Math.max(seconds, 1)} s of the server’s` };
  }
  return {
    layer: 'clock',
    status: 'warning',
    detail: `${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} the server’s`,
    advice: 'Set the clock of this machine: signed calls, certificates and budgets depend on it.',
  };
}

function describeLimits(limits: readonly (readonly [string, string])[]): AccountFinding {
  const isSpent = limits.some(([name, value]) => /remaining/.test(name) && Number(value) === 0);
  const shown = limits.slice(0, MAX_LIMITS).map(([name, value]) => `${name}: ${value}`);
  const detail = shown.join(', ');
  if (!isSpent) return { layer: 'limits', status: 'ok', detail };
  const advice = 'A limit of the account is used up: wait until it is reset, or ask the provider for more.';
  return { layer: 'limits', status: 'warning', detail, advice };
}
