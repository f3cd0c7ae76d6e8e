import type { GenerationRow } from '@model-gateway/core/wire';

import type { GatewayFlags } from '../process/gateway-flags.ts';
import type { Owner } from '../process/owner-file.ts';
import { StartError } from '../process/start-error.ts';
import { askGateway, findGateway } from './find-gateway.ts';
import { paint, PROCESS_TERMINAL, stoppedByUser, type Terminal } from './show.ts';
import { toUsd } from './table.ts';

export interface LogsOptions extends GatewayFlags {
  /** Goes on with the calls that end from now on. */
  readonly follow: boolean;
  /** Conditions as in the filter of the list of generations. */
  readonly where: string | undefined;
  readonly limit: number;
  /** One line of JSON a call. */
  readonly json: boolean;
}

type Row = Partial<GenerationRow>;

/** Prints the latest calls, oldest first, and with `follow` those that end from now on, until it is stopped. */
export async function showCalls(
  { follow, where, limit, json, ...flags }: LogsOptions,
  terminal: Terminal = PROCESS_TERMINAL,
  signal: AbortSignal = stoppedByUser(),
): Promise<void> {
  const gateway = await findGateway(flags, terminal.env);
  const print = (row: Row): void => terminal.write(json ? `${JSON.stringify(row)}\n` : toLine(row, terminal));
  // Opened first, so that no call falls between the list and what follows it.
  const feed = follow ? await openFeed(gateway, signal) : undefined;
  const query = new URLSearchParams({ limit: String(limit), ...(where !== undefined && { where }) });
  const { data } = await askGateway<{ readonly data: readonly Row[] }>(
    gateway,
    'GET',
    `/admin/v1/generations?${query.toString()}`,
  );
  const printed = new Set(data.map(({ id }) => id));
  data.toReversed().forEach(print);
  if (feed === undefined) {
    if (data.length === 0) terminal.note('There are no such calls.\n');
    return;
  }
  if (where !== undefined) terminal.note('From now on every call is shown: --where concerns the past alone.\n');
  for await (const row of readRows(feed, signal)) if (!printed.has(row.id)) print(row);
}

async function openFeed({ url, token }: Owner, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
  const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' };
  const response = await fetch(`${url}/admin/v1/generations/feed`, { headers, signal }).catch((cause: unknown) => {
    throw new StartError(`The gateway at ${url} does not respond.`, { cause });
  });
  if (response.ok && response.body !== null) return response.body;
  throw new StartError(`The gateway at ${url} does not list its calls (status ${response.status}).`);
}

/** The calls of a feed. Ends with the signal, and with a sentence where the gateway has gone. */
async function* readRows(feed: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<Row> {
  let text = '';
  try {
    for await (const piece of feed.pipeThrough(new TextDecoderStream())) {
      text += piece;
      const events = text.split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) {
        const fields = new Map(
          event.split('\n').map((line) => [line.split(':')[0], line.slice(line.indexOf(':') + 1)]),
        );
        if (fields.get('event')?.trim() === 'generation') yield JSON.parse(fields.get('data') ?? '{}') as Row;
      }
    }
  } catch (error) {
    if (signal.aborted) return;
    throw new StartError('The gateway has stopped, or its connection has broken.', { cause: error });
  }
  if (!signal.aborted) throw new StartError('The gateway has stopped.');
}

const TIME_LENGTH = 'HH:MM:SS'.length;

/** One call: when, what, how it ended, and what it took. */
function toLine(row: Row, terminal: Terminal): string {
  const time = new Date(row.created_at ?? 0).toTimeString().slice(0, TIME_LENGTH);
  const isOk = row.status === 'ok';
  const status = paint(isOk ? 'green' : 'red', (row.status ?? '-').padEnd(9), terminal);
  const tokens = `${row.tokens_prompt ?? 0} → ${row.tokens_completion ?? 0} tokens`;
  const cost = row.cost_known === false ? 'unknown cost' : toUsd(row.total_cost ?? 0);
  const took = `${(((row.latency ?? 0) + (row.generation_time ?? 0)) / 1000).toFixed(2)} s`;
  const where = row.provider_name ? ` at ${row.provider_name}` : '';
  return `${time}  ${status}  ${row.model ?? '-'}${where}  ${tokens}  ${cost}  ${took}  ${paint('dim', row.id ?? '', terminal)}\n`;
}
