import { isObject } from '../../api/is-object.ts';

/** What became of a line of a batch. */
export interface LineResult {
  readonly id: string;
  readonly customId: string;
  /** Null where no call was made. */
  readonly status: number | null;
  /** Null where it was refused before it became a call. */
  readonly generationId: string | null;
  /** USD; null where it is not known. */
  readonly costUsd: number | null;
  readonly model: string | null;
  /** Why it failed; null where it did not. */
  readonly error: string | null;
}

export interface ResultList {
  readonly rows: readonly LineResult[];
  /** There are more in the file. */
  readonly isCut: boolean;
}

const MAX_ROWS = 2000;
const MAX_CHARACTERS = 24 * 1024 * 1024;

/** Reads the first results of a file of JSON lines, and no more than a page can show. */
export async function parseResults(body: ReadableStream<Uint8Array> | null): Promise<ResultList> {
  if (body === null) return { rows: [], isCut: false };
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const rows: LineResult[] = [];
  let held = '';
  let read = 0;
  const take = (line: string): void => {
    const row = toLineResult(line);
    if (row !== undefined) rows.push(row);
  };
  for (;;) {
    const step = await reader.read();
    if (step.done) break;
    const text = decoder.decode(step.value, { stream: true });
    read += text.length;
    const lines = (held + text).split('\n');
    held = lines.pop() ?? '';
    lines.forEach(take);
    if (rows.length >= MAX_ROWS || read > MAX_CHARACTERS) {
      await reader.cancel();
      return { rows: rows.slice(0, MAX_ROWS), isCut: true };
    }
  }
  take(held + decoder.decode());
  return { rows, isCut: false };
}

const toWords = ({ message, code }: Record<string, unknown>): string =>
  typeof message === 'string' ? message : typeof code === 'string' ? code : '';

/** Undefined for a line that is none. */
export function toLineResult(line: string): LineResult | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const { id, custom_id: customId, response, error } = value;
  const { status_code: status, request_id: generationId, body } = isObject(response) ? response : {};
  const said = isObject(body) ? body : {};
  const usage = isObject(said['usage']) ? said['usage'] : {};
  const failure = isObject(error) ? error : isObject(said['error']) ? said['error'] : undefined;
  return {
    id: String(id),
    customId: String(customId),
    status: typeof status === 'number' ? status : null,
    generationId: typeof generationId === 'string' && generationId !== '' ? generationId : null,
    costUsd: typeof usage['cost'] === 'number' ? usage['cost'] : null,
    model: typeof said['model'] === 'string' ? said['model'] : null,
    error: failure === undefined ? null : toWords(failure),
  };
}
