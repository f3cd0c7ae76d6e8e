import { z } from 'zod';

import { GatewayError } from '../foundation/errors.ts';
import { isRecord, parseWith, type Unchecked } from '../foundation/parse.ts';
import type { Store } from '../stores/store.ts';
import { type Destination, DESTINATION_CONFIGS, type DestinationType } from '../wire/destinations.ts';
import { refuseField } from '../wire/fields.ts';
import { configOf } from './deliver-generations.ts';
import { compileFilterRules } from './destination-filter.ts';
import type { BroadcastOptions } from './destination-format.ts';

const MAX_PER_TYPE = 5;
const SECRETS: ReadonlySet<string> = new Set([
  'secretKey',
  'secretAccessKey',
  'sessionToken',
  'apiKey',
  'spaceKey',
  'licenseKey',
  'token',
  'password',
  'dsn',
]);

/** How every secret begins where it is shown. */
const MASK = '********';

const URL_FIELDS = ['url', 'endpoint', 'baseUrl', 'host', 'otlpEndpoint'] as const;

/** They choose the host where no address does. */
const HOST_FIELDS = ['account', 'region'] as const;

type Config = Unchecked;

export interface DestinationParts {
  readonly store: Pick<Store, 'destinations'>;
}

/** A destination by id. Throws `not_found`. */
export async function findDestination(id: string | undefined, { store }: DestinationParts): Promise<Destination> {
  const destination = await store.destinations.get(id ?? '');
  if (destination === undefined) throw noDestination(id);
  return destination;
}

export function noDestination(id: string | undefined): GatewayError {
  return new GatewayError('not_found', `There is no destination ${(id ?? '').slice(0, 100)}`);
}

/** Throws `invalid_request` when a workspace has the maximum of destinations of this type. */
export function refuseTooMany(type: DestinationType, workspaceId: string, all: readonly Destination[]): void {
  const same = all.filter((other) => other.type === type && other.workspace_id === workspaceId);
  if (same.length < MAX_PER_TYPE) return;
  throw refuseField('type', `there are already ${MAX_PER_TYPE} destinations of type ${type}`);
}

/** Checks a configuration by the rules of its type. Throws `invalid_request` with paths that begin with `config`. */
export function parseConfig(type: DestinationType, config: Config): Record<string, unknown> {
  return parseWith(z.object({ config: DESTINATION_CONFIGS[type] }), { config }).config;
}

/**
 * Throws `invalid_request` for a destination that could never receive anything: a type without a format in this
 * process, an address that may not be called, rules that cannot be evaluated.
 */
export async function refuseUnusable(
  {
    type,
    config,
    filter_rules: rules,
    audit_log: wantsAudit,
    metrics_every_seconds: metricsEvery = null,
  }: Pick<Destination, 'type' | 'config' | 'filter_rules' | 'audit_log' | 'metrics_every_seconds'>,
  { broadcast }: { readonly broadcast: BroadcastOptions | undefined },
): Promise<void> {
  const format = broadcast?.formats.find((each) => each.type === type);
  if (broadcast === undefined || format === undefined) {
    const working = broadcast?.formats.map((each) => each.type).join(', ') ?? 'none';
    throw refuseField('type', `${type} is not available here; available are: ${working}`);
  }
  for (const field of URL_FIELDS) {
    const url = config[field];
    const problem = typeof url === 'string' ? broadcast.findUrlProblem(url) : undefined;
    if (problem !== undefined) throw refuseField(`config.${field}`, problem);
  }
  const problem = format.findConfigProblem?.(configOf({ config }));
  if (problem !== undefined) throw refuseField(`config.${problem.field}`, problem.problem);
  if (rules !== null) await compileFilterRules(rules);
  const refuse = (field: string, can: 'toAuditRequests' | 'toMetricsRequest'): void => {
    if (format[can] !== undefined) return;
    const able = broadcast.formats.filter((each) => each[can] !== undefined).map((each) => each.type);
    throw refuseField(field, `cannot be sent to ${type}; it can to: ${able.join(', ') || 'none'}`);
  };
  if (wantsAudit === true) refuse('audit_log', 'toAuditRequests');
  if (metricsEvery !== null) refuse('metrics_every_seconds', 'toMetricsRequest');
}

/**
 * The stored configuration with a change applied. A value that is sent back masked remains unchanged, null takes one away.
 * Throws `invalid_request` for the mask of another secret than the saved one, which would replace it.
 */
export function mergeConfig(stored: Config, change: Config): Record<string, unknown> {
  const shown = maskConfig(stored);
  const merged: Record<string, unknown> = { ...stored };
  for (const [name, value] of Object.entries(change)) {
    if (value === null) delete merged[name];
    else if (name === 'headers') merged[name] = mergeHeaders(stored, shown, value);
    else if (value !== shown[name]) merged[name] = refuseMask(name, value);
  }
  return merged;
}

/** Headers are replaced as a whole; those with the masked value keep their own. */
function mergeHeaders(stored: Config, shown: Config, value: unknown): unknown {
  if (!isRecord(value)) return value;
  const kept = isRecord(stored['headers']) ? stored['headers'] : {};
  const masked = isRecord(shown['headers']) ? shown['headers'] : {};
  return Object.fromEntries(
    Object.entries(value).map(([name, text]) => {
      const isKept = name in kept && text === masked[name];
      return [name, isKept ? kept[name] : refuseMask(`headers.${name}`, text)];
    }),
  );
}

/** The value of a field; throws `invalid_request` where it is a mask, which nobody gives as a secret. */
function refuseMask(field: string, value: unknown): unknown {
  const secret = isUrlField(field) ? String(value).replace(/^[^?]*\?/s, '') : value;
  const isSecret = SECRETS.has(field) || field.startsWith('headers.') || isUrlField(field);
  if (!isSecret || typeof secret !== 'string' || !secret.startsWith(MASK)) return value;
  throw refuseField(`config.${field}`, 'this is the mask of another value than the saved one: give the value itself');
}

/**
 * Throws `invalid_request` where a change would send saved secrets to another server than the one they were given for:
 * whoever may change a destination could read them there. `next` is the stored configuration with the change applied.
 */
export function refuseMovedSecrets(stored: Config, change: Config, next: Config): void {
  if (JSON.stringify(serverOf(stored)) === JSON.stringify(serverOf(next))) return;
  const shown = maskConfig(stored);
  const refuse = (field: string): never => {
    throw refuseField(`config.${field}`, 'the saved one was given for another server: give it again');
  };
  for (const name of SECRETS) {
    if (next[name] !== undefined && (change[name] === undefined || change[name] === shown[name])) refuse(name);
  }
  const { headers: given } = change;
  const [saved, kept] = [shown['headers'], next['headers']];
  if (!isRecord(saved) || !isRecord(kept)) return;
  for (const name of Object.keys(kept)) {
    if (name in saved && (!isRecord(given) || given[name] === saved[name])) refuse(`headers.${name}`);
  }
}

/** What chooses the server. A region or an account becomes part of its name. */
function serverOf(config: Config): readonly unknown[] {
  const origins = URL_FIELDS.map((field) => {
    const url = config[field];
    return typeof url === 'string' ? (URL.parse(url)?.origin ?? url) : null;
  });
  const isNamed = config['endpoint'] !== undefined;
  const parts = isNamed ? [] : HOST_FIELDS.map((field) => config[field] ?? null);
  return [...origins, ...parts];
}

/** A destination as callers see it. */
export function toDestinationBody(destination: Destination): Destination {
  const { audit_log = false, metrics_every_seconds = null, config } = destination;
  return { ...destination, audit_log, metrics_every_seconds, config: maskConfig(config) };
}

/** Every header counts as a secret, because most headers that people set are secrets. */
function maskConfig(config: Config): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(config).map(([name, value]) => {
      if (name === 'headers' && isRecord(value)) {
        return [name, Object.fromEntries(Object.entries(value).map(([header, text]) => [header, mask(text)]))];
      }
      if (SECRETS.has(name)) return [name, mask(value)];
      return [name, typeof value === 'string' && isUrlField(name) ? maskUrl(value) : value];
    }),
  );
}

/** The last characters distinguish secrets; a short secret must not show even those. */
function mask(value: unknown): string {
  return typeof value === 'string' && value.length >= 16 ? MASK + value.slice(-4) : MASK;
}

function isUrlField(name: string): boolean {
  return URL_FIELDS.some((field) => field === name);
}

/** The query of an address may contain a token. */
function maskUrl(text: string): string {
  return text.replace(/\?.*$/s, (query) => `?${mask(query)}`);
}
