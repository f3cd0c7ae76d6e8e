import { isObject } from '../../api/is-object.ts';
import { formatCount } from '../../format/quantity.ts';
import { batchesMessages } from './messages.tsx';

export interface LineProblem {
  /** From 1; null where it is of the whole file. */
  readonly line: number | null;
  readonly message: string;
}

/** How many lines call a model in the same way. */
export interface LineGroup {
  readonly model: string;
  readonly endpoint: string;
  readonly lines: number;
  /** No model of this name is listed. */
  readonly isUnknown: boolean;
}

export interface LineCheck {
  readonly total: number;
  /** The most frequent first. */
  readonly groups: readonly LineGroup[];
  /** What the batch calls: that of the first line. Null where no line says it. */
  readonly endpoint: string | null;
  /** The first hundred. */
  readonly problems: readonly LineProblem[];
  readonly problemCount: number;
}

const MAX_LINES = 50_000;
const MAX_PROBLEMS = 100;

/** What a batch may call; the gateway has the last word. */
const ENDPOINT = /^\/v1\/[a-z/]+$/;

/**
 * Reads a file of a batch before it is sent: counts its lines by model and endpoint, and finds what the gateway would
 * refuse it for. `isKnown` tells models that are listed.
 */
export async function checkLines(
  pieces: ReadableStream<Uint8Array>,
  isKnown: (model: string) => boolean,
): Promise<LineCheck> {
  const t = batchesMessages().check;
  const groups = new Map<string, LineGroup>();
  const problems: LineProblem[] = [];
  const ids = new Map<string, number>();
  let problemCount = 0;
  let endpoint: string | null = null;
  let total = 0;
  const note = (line: number | null, message: string): void => {
    problemCount += 1;
    if (problems.length < MAX_PROBLEMS) problems.push({ line, message });
  };
  const take = (text: string, number: number): void => {
    if (text.trim() === '') return;
    total += 1;
    const line = toLine(text);
    if (typeof line === 'string') return note(number, line);
    const { customId, url, model } = line;
    endpoint ??= url;
    if (!ENDPOINT.test(url)) return note(number, t.badUrl(url));
    if (url !== endpoint) return note(number, t.otherUrl(url, endpoint));
    const before = ids.get(customId);
    if (before !== undefined) return note(number, t.sameId(customId, formatCount(before)));
    ids.set(customId, number);
    const group = groups.get(model) ?? { model, endpoint: url, lines: 0, isUnknown: !isKnown(model) };
    groups.set(model, { ...group, lines: group.lines + 1 });
  };
  await readLines(pieces, take);
  if (total === 0) note(null, t.noLines);
  if (total > MAX_LINES) note(null, t.tooMany(formatCount(total), formatCount(MAX_LINES)));
  return {
    total,
    groups: [...groups.values()].toSorted((a, b) => b.lines - a.lines),
    endpoint,
    problems,
    problemCount,
  };
}

async function readLines(
  pieces: ReadableStream<Uint8Array>,
  take: (text: string, number: number) => void,
): Promise<void> {
  const reader = pieces.getReader();
  const decoder = new TextDecoder();
  let held = '';
  let number = 0;
  for (;;) {
    const step = await reader.read();
    const text = step.done ? decoder.decode() : decoder.decode(step.value, { stream: true });
    const lines = (held + text).split('\n');
    held = step.done ? '' : (lines.pop() ?? '');
    for (const line of lines) {
      number += 1;
      take(line, number);
    }
    if (step.done) return;
  }
}

interface Line {
  readonly customId: string;
  readonly url: string;
  readonly model: string;
}

/** The line, or what is wrong with it. */
function toLine(text: string): Line | string {
  const t = batchesMessages().check;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return t.notJson;
  }
  if (!isObject(value)) return t.notObject;
  const { custom_id: customId, method, url, body } = value;
  if (typeof customId !== 'string' || customId === '') return t.noId;
  if (method !== undefined && method !== 'POST') return t.notPost;
  if (typeof url !== 'string') return t.noUrl;
  if (!isObject(body)) return t.noBody;
  if (typeof body['model'] !== 'string') return t.noModel;
  return { customId, url: url.replace(/^\/api(?=\/)/, ''), model: body['model'] };
}
