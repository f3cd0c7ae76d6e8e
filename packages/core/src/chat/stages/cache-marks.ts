import { pricesFor } from '../../catalog/prices.ts';
import { isRecord } from '../../foundation/parse.ts';
import {
  type MarkPlan,
  planMarks,
  type PromptShape,
  type SessionPast,
  type SessionPasts,
  type SessionStep,
  toShape,
} from '../../generations/cache-doctor/plan-marks.ts';
import { type Segment, toCachedPrompt } from '../../generations/cache-doctor/prompt-segments.ts';
import { minimumTokensOf } from '../../generations/cache-doctor/provider-rules.ts';
import type { ChatCompletionRequest } from '../../wire/chat-request.ts';
import { nativeOf, withNative } from '../../wire/native-request.ts';
import type { ChatRun } from '../chat-run.ts';
import type { FitRequest, Stage } from './stage.ts';

/**
 * Sets marks for the provider's cache where the account or the workspace wishes it, the session is known, the endpoint's wire takes marks
 * and the caller has set none (docs/decisions/0065).
 */
export const createCacheMarksStage = (pasts: SessionPasts): Stage => ({
  plan: (run) => {
    const { principal, session, request } = run.call;
    const named = session ?? request.prompt_cache_key ?? null;
    return named === null ? null : { fit: createFit(run, (form) => pasts.of(`${form} ${principal.id}\n${named}`)) };
  },
});

/** The form that is marked: the chat request, or the one it was read from. */
type Form = 'chat' | 'messages';
type Body = Readonly<Record<string, unknown>>;

/** Least that a character is counted for, so that nothing is marked that the provider would not cache. */
const TOKENS_PER_CHARACTER = 0.2;

function createFit(run: ChatRun, pastOf: (form: Form) => SessionPast): FitRequest {
  const seen: Partial<Record<Form, Seen>> = {};
  const platform = run.parts.platform;
  return (request, endpoint) => {
    const ttls = endpoint.provider.cacheTtlsOf?.(endpoint.providerModel) ?? [];
    if (ttls.length === 0) return request;
    const minimumTokens = minimumTokensOf({ wire: 'anthropic', model: endpoint.providerModel });
    const mark = (form: Form, body: Body): Marked | null => {
      const segments = toCachedPrompt({ wire: WIRES[form], endpoint: '', body })?.segments ?? [];
      if (isMarked(body) || segments.some((segment) => segment.mark !== null)) return null;
      const shape = toShape(segments);
      const { step } = (seen[form] = toSeen(seen[form], shape, () => pastOf(form).begin(shape, platform.now())));
      const promptTokens = shape.lengths.reduce((sum, length) => sum + length, 0) * TOKENS_PER_CHARACTER;
      const prices = pricesFor(endpoint.prices, promptTokens, platform.now());
      const plan = planMarks(shape, step, { ttls, prices, minimumTokens, tokensPerCharacter: TOKENS_PER_CHARACTER });
      step.noteMarks(plan);
      return plan === null ? null : setMarks(body, segments, plan, form);
    };
    const native = nativeOf(request);
    const ofNative = native?.form === 'messages' ? mark('messages', native.body) : null;
    const ofChat = mark('chat', request);
    const marked = ofNative ?? ofChat;
    if (marked === null) return request;
    run.pipeline.add({
      type: 'cache_marks',
      name: 'automatic-cache-marks',
      summary: 'Marks set by the gateway, for the cache of the provider',
      data: { endpoint: endpoint.tag, ttl: marked.ttl, places: marked.places },
    });
    const changed: ChatCompletionRequest = { ...request, ...ofChat?.body };
    return native === undefined ? changed : withNative(changed, { ...native, body: ofNative?.body ?? native.body });
  };
}

/** The wire whose bodies have the places of a form. */
const WIRES = { chat: 'openai', messages: 'anthropic' } as const;

const isMarked = (body: Body): boolean => body['cache_control'] !== undefined && body['cache_control'] !== null;

/** A question of the call, which is a step of its session once, at however many endpoints it is asked. */
interface Seen {
  readonly shape: PromptShape;
  readonly step: SessionStep;
}

function toSeen(seen: Seen | undefined, shape: PromptShape, begin: () => SessionStep): Seen {
  const isSame =
    seen !== undefined &&
    seen.shape.hashes.length === shape.hashes.length &&
    seen.shape.hashes.every((hash, at) => hash === shape.hashes[at]);
  return isSame ? seen : { shape, step: begin() };
}

interface Marked {
  readonly body: Body;
  readonly ttl: MarkPlan['ttl'];
  readonly places: readonly string[];
}

/** Sets the marks of a plan; null where no block can have one. */
function setMarks(body: Body, segments: readonly Segment[], { ttl, at }: MarkPlan, form: Form): Marked | null {
  const mark = { type: 'ephemeral', ...(ttl === '1h' && { ttl }) };
  const changed: Record<string, unknown> = { ...body };
  const places: string[] = [];
  let after = -1;
  for (const last of at) {
    // Where the last block cannot have a mark, such as a call of a tool, the one before is as good.
    for (let index = last; index > after; index -= 1) {
      const path = segments[index]?.path ?? '';
      if (!markAt(changed, path, mark, form)) continue;
      places.push(path);
      break;
    }
    after = last;
  }
  return places.length === 0 ? null : { body: changed, ttl, places };
}

function markAt(body: Record<string, unknown>, path: string, mark: Body, form: Form): boolean {
  const [, name = '', digits = ''] = /^(\w+)\[(\d+)\]$/.exec(path) ?? [];
  const index = Number(digits);
  const held = body[name];
  const list: unknown = name === 'system' && typeof held === 'string' ? [{ type: 'text', text: held }] : held;
  if (!Array.isArray(list)) return false;
  const item: unknown = list[index];
  const marked = name === 'messages' ? withMarkedEnd(item, mark, form) : withMark(item, mark);
  if (marked === null) return false;
  body[name] = list.with(index, marked);
  return true;
}

const withMark = (item: unknown, mark: Body): Body | null => (isRecord(item) ? { ...item, cache_control: mark } : null);

function withMarkedEnd(message: unknown, mark: Body, form: Form): Body | null {
  if (!isRecord(message)) return null;
  const { content } = message;
  const blocks: unknown = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  if (!Array.isArray(blocks)) return null;
  const at = blocks.findLastIndex((block) => isMarkable(block, form));
  return at === -1 ? null : { ...message, content: blocks.with(at, withMark(blocks[at], mark)) };
}

const MARKABLE: Readonly<Record<Form, ReadonlySet<unknown>>> = {
  chat: new Set(['text', 'image_url', 'file']),
  messages: new Set(['text', 'image', 'document', 'tool_use', 'tool_result']),
};

/** Blank texts are left out on the way, and a mark with them. */
const isMarkable = (block: unknown, form: Form): boolean =>
  isRecord(block) &&
  MARKABLE[form].has(block['type']) &&
  (block['type'] !== 'text' || (typeof block['text'] === 'string' && block['text'].trim() !== ''));
