import { readText, type Transport } from '../../../foundation/transport.ts';
import { ToolFailure } from '../server-tools/server-tool.ts';
import type { SearchResult } from '../web/search-engine.ts';

export interface EngineSettings {
  readonly transport: Transport;
  /** Default: the engine's public address. */
  readonly baseUrl?: string | undefined;
  readonly apiKey?: string | undefined;
}

interface EngineCall {
  readonly transport: Transport;
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as JSON; without it the request is a GET. */
  readonly body?: object | undefined;
  readonly signal: AbortSignal;
}

const TIMEOUT_MS = 15_000;
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;

/**
 * Reads JSON from an engine. Throws `ToolFailure` when it refuses; its message may contain its key and is not passed
 * on.
 */
export async function askEngine({ transport, name, url, headers, body, signal }: EngineCall): Promise<unknown> {
  const response = await transport.send({
    method: body === undefined ? 'GET' : 'POST',
    url,
    headers: { accept: 'application/json', ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    signal,
    headersTimeoutMs: TIMEOUT_MS,
    idleTimeoutMs: TIMEOUT_MS,
    totalTimeoutMs: TIMEOUT_MS,
  });
  const text = await readText(response.body, MAX_RESPONSE_BYTES);
  if (response.status !== 200)
    throw new ToolFailure(`the search engine ${name} answered with status ${response.status}`);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new ToolFailure(`the search engine ${name} answered with something that is not JSON`);
  }
}

/** Reads a list of results, ignoring their other fields; a result without an address is left out. */
export function readResults(list: unknown, snippetField: string): readonly SearchResult[] {
  if (!Array.isArray(list)) return [];
  return (list as readonly unknown[]).flatMap((item) => {
    if (typeof item !== 'object' || item === null) return [];
    const { url, title, [snippetField]: snippet } = item as Readonly<Record<string, unknown>>;
    if (typeof url !== 'string' || URL.parse(url) === null) return [];
    return [
      {
        url,
        title: typeof title === 'string' && title !== '' ? title : url,
        snippet: typeof snippet === 'string' ? snippet : '',
      },
    ];
  });
}

/** A member of an untrusted object. */
export function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}
