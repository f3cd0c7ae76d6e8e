import { isRecord } from '../../foundation/parse.ts';
import type { CacheTtl } from '../../wire/cache-report.ts';
import type { SentRequest } from '../../wire/stored-request.ts';

/** A part of a prompt, in the order in which providers cache prompts. */
export interface Segment {
  readonly kind: 'tools' | 'system' | 'messages';
  /** Its place in the body: `messages[3]`. */
  readonly path: string;
  readonly role: string | null;
  /** Its JSON without cache marks, as moving a mark does not change what is cached. */
  readonly text: string;
  /** A mark that asks the provider to cache the prompt up to the end of the segment. */
  readonly mark: CacheTtl | null;
}

/** A prompt as its provider caches it. */
export interface CachedPrompt {
  readonly wire: Wire;
  readonly endpoint: string;
  /** The name of the model in the body; empty on wires that have it in the address. */
  readonly model: string;
  readonly segments: readonly Segment[];
  /** OpenAI's `prompt_cache_key`, which chooses the machine with the cache; null without one. */
  readonly cacheKey: string | null;
  /** OpenAI's `prompt_cache_retention`; null without one. */
  readonly retention: string | null;
}

const WIRES = ['openai', 'anthropic', 'google', 'openai-responses'] as const;
export type Wire = (typeof WIRES)[number];

type Body = Readonly<Record<string, unknown>>;

/** The prompt in a request that was sent; null for a wire or a body that is not known. */
export function toCachedPrompt({ wire: name, endpoint, body }: SentRequest): CachedPrompt | null {
  const wire = WIRES.find((one) => one === name);
  if (wire === undefined || !isRecord(body)) return null;
  return {
    wire,
    endpoint,
    model: textOf(body['model']) ?? endpoint.slice(endpoint.indexOf(':') + 1),
    segments: SEGMENTS[wire](body).filter(({ text }) => text !== ''),
    cacheKey: textOf(body['prompt_cache_key']),
    retention: textOf(body['prompt_cache_retention']),
  };
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Providers put tools before the system's texts, and these before messages. */
const SEGMENTS: Readonly<Record<Wire, (body: Body) => Segment[]>> = {
  anthropic(body) {
    const segments = [
      ...listSegments('tools', 'tools', body['tools']),
      ...listSegments('system', 'system', toBlocks(body['system'])),
      ...listSegments('messages', 'messages', body['messages']),
    ];
    // A mark on the whole body stands for one on its last block.
    const mark = markOf(body);
    const last = segments.at(-1);
    return mark === null || last === undefined ? segments : [...segments.slice(0, -1), { ...last, mark }];
  },
  openai: (body) => [
    ...listSegments('tools', 'tools', body['tools']),
    // The schema of the output is put before the messages.
    ...oneSegment('response_format', body['response_format']),
    ...listSegments('messages', 'messages', body['messages']),
  ],
  'openai-responses': (body) => [
    ...listSegments('tools', 'tools', body['tools']),
    ...oneSegment('instructions', body['instructions']),
    ...listSegments('messages', 'input', typeof body['input'] === 'string' ? [body['input']] : body['input']),
  ],
  google: (body) => [
    ...listSegments('tools', 'tools', body['tools']),
    ...oneSegment('systemInstruction', body['systemInstruction']),
    ...listSegments('messages', 'contents', body['contents']),
  ],
};

const oneSegment = (path: string, value: unknown): Segment[] =>
  value === undefined || value === null
    ? []
    : [{ kind: 'system', path, role: null, text: JSON.stringify(value), mark: null }];

const SYSTEM_ROLES: ReadonlySet<unknown> = new Set(['system', 'developer']);

function listSegments(kind: Segment['kind'], path: string, list: unknown): Segment[] {
  if (!Array.isArray(list)) return [];
  if (path === 'tools') return list.flatMap(toToolSegments);
  let isBeginning = true;
  return list.map((item: unknown, index): Segment => {
    const role = isRecord(item) ? textOf(item['role']) : null;
    isBeginning = isBeginning && SYSTEM_ROLES.has(role);
    const own = isRecord(item) && 'content' in item ? { ...item, content: toBlocks(item['content']) } : item;
    return {
      // A message of the system in the midst of a conversation is a part of the conversation.
      kind: isBeginning ? 'system' : kind,
      path: `${path}[${index}]`,
      role,
      text: toUnmarkedJson(own),
      mark: lastMarkIn(own),
    };
  });
}

/** Google has the functions of all tools in one list; each is a segment, so that an order can be told from a change. */
function toToolSegments(tool: unknown, index: number): Segment[] {
  const functions = isRecord(tool) ? tool['functionDeclarations'] : undefined;
  const path = `tools[${index}]`;
  const toSegment = (value: unknown, at: string): Segment => ({
    kind: 'tools',
    path: at,
    role: null,
    text: toUnmarkedJson(value),
    mark: lastMarkIn(value),
  });
  return Array.isArray(functions)
    ? functions.map((one: unknown, at) => toSegment(one, `${path}.functionDeclarations[${at}]`))
    : [toSegment(tool, path)];
}

/** A text alone is the same to providers as a list with one text. */
const toBlocks = (content: unknown): unknown =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content;

function toUnmarkedJson(value: unknown): string {
  return JSON.stringify(value, (name, member: unknown) => (isMarkMember(name, member) ? undefined : member)) ?? '';
}

/** The arguments of a tool may have a member of that name, which is no mark. */
const isMarkMember = (name: string, value: unknown): boolean => name === 'cache_control' && markIn(value) !== null;

function markIn(value: unknown): CacheTtl | null {
  if (!isRecord(value) || value['type'] !== 'ephemeral') return null;
  return value['ttl'] === '1h' ? '1h' : '5m';
}

const markOf = (block: unknown): CacheTtl | null => (isRecord(block) ? markIn(block['cache_control']) : null);

function lastMarkIn(value: unknown): CacheTtl | null {
  const own = markOf(value);
  const blocks = isRecord(value) ? value['content'] : undefined;
  if (own !== null || !Array.isArray(blocks)) return own;
  // The result of a tool is a block with blocks of its own.
  return blocks.map(lastMarkIn).findLast((mark) => mark !== null) ?? null;
}

/** Characters of a prompt. */
export const lengthOf = (segments: readonly Segment[]): number =>
  segments.reduce((sum, { text }) => sum + text.length, 0);

/** Where two prompts begin to differ. */
export interface CommonPrefix {
  /** The number of whole segments that are the same. */
  readonly segments: number;
  /** Characters that are the same, those of the first segment that differs included. */
  readonly characters: number;
  /** Those of that segment; 0 where nothing differs. */
  readonly inSegment: number;
}

/** What a prompt has in common with an earlier one. */
export function commonPrefixOf(earlier: CachedPrompt, later: CachedPrompt): CommonPrefix {
  const most = Math.min(earlier.segments.length, later.segments.length);
  let segments = 0;
  let characters = 0;
  for (; segments < most; segments += 1) {
    const one = earlier.segments[segments] as Segment;
    const other = later.segments[segments] as Segment;
    if (one.kind !== other.kind || one.text !== other.text) break;
    characters += one.text.length;
  }
  const inSegment = commonLength(earlier.segments[segments]?.text ?? '', later.segments[segments]?.text ?? '');
  return { segments, characters: characters + inSegment, inSegment };
}

function commonLength(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && one.charCodeAt(length) === other.charCodeAt(length)) length += 1;
  return length;
}
