import type { ChatMessage, ReasoningDetail, ToolCall } from '../../../wire/chat-request.ts';
import { refuseField } from '../../../wire/fields.ts';
import type { GeminiTraits } from '../models.ts';
import { REASONING_FORMAT } from '../reasoning-details.ts';
import { parseJsonObject } from '../response/function-calls.ts';
import { type Part, toMedia, toParts } from './to-google-parts.ts';

type AssistantMessage = Extract<ChatMessage, { role: 'assistant' }>;

/**
 * The signature that Google's guide to thought signatures defines for calls of other models, or of clients that do not
 * keep reasoning details. Without it such a conversation is refused.
 */
const FOREIGN_SIGNATURE = 'skip_thought_signature_validator';

/** The signatures of one message, each to be sent back with its part. */
interface Signatures {
  readonly byId: ReadonlyMap<string, string>;
  /** Signatures of texts, in order. */
  readonly ofTexts: string[];
}

/**
 * Converts an assistant's message to parts: signed thoughts, text, images, calls. Thoughts without a signature are left
 * out, because a model ignores them. Throws `invalid_request` that names what cannot be expressed.
 */
export function toModelParts(message: AssistantMessage, path: string, traits: GeminiTraits): Part[] {
  const details = (message.reasoning_details ?? []).filter(({ format }) => format === REASONING_FORMAT);
  const signatures = readSignatures(details);
  const text = toParts(message.content, `${path}.content`);
  const said = text.length > 0 ? text : toParts(message.refusal, `${path}.refusal`);
  const images = (message.images ?? []).map((image, index) => toImagePart(image, index, { path, signatures }));
  const calls = (message.tool_calls ?? []).map((call, index) =>
    toCallPart(call, `${path}.tool_calls.${index}`, signatures),
  );
  const parts = [...toThoughts(details), ...withTextSignatures(said, signatures, calls), ...images, ...calls];
  if (traits.needsSignatures) calls.slice(0, 1).forEach((call) => (call['thoughtSignature'] ??= FOREIGN_SIGNATURE));
  return parts;
}

function readSignatures(details: readonly ReasoningDetail[]): Signatures {
  const byId = new Map<string, string>();
  const ofTexts: string[] = [];
  for (const { type, id, data } of details) {
    if (type !== 'reasoning.encrypted' || typeof data !== 'string' || data === '') continue;
    if (typeof id === 'string') byId.set(id, data);
    else ofTexts.push(data);
  }
  return { byId, ofTexts };
}

/** A client that reads a stream may send back the pieces of one thought separately; the last has the signature. */
function toThoughts(details: readonly ReasoningDetail[]): Part[] {
  const thoughts: Part[] = [];
  let text = '';
  for (const detail of details) {
    if (detail.type !== 'reasoning.text') {
      text = '';
      continue;
    }
    if (typeof detail['text'] === 'string') text += detail['text'];
    if (typeof detail['signature'] !== 'string' || detail['signature'] === '') continue;
    thoughts.push({ text, thought: true, thoughtSignature: detail['signature'] });
    text = '';
  }
  return thoughts;
}

/** The first signature is put on the text, else on the first call; others into empty parts, as in streams. */
function withTextSignatures(said: readonly Part[], { ofTexts }: Signatures, calls: readonly Part[]): Part[] {
  const [first, ...others] = ofTexts;
  if (first === undefined) return [...said];
  const [firstCall] = calls;
  if (said.length === 0 && firstCall !== undefined && firstCall['thoughtSignature'] === undefined) {
    firstCall['thoughtSignature'] = first;
    return others.map(toEmptyPart);
  }
  const last = said.at(-1);
  const signed = last === undefined ? toEmptyPart(first) : { ...last, thoughtSignature: first };
  return [...said.slice(0, -1), signed, ...others.map(toEmptyPart)];
}

const toEmptyPart = (thoughtSignature: string): Part => ({ text: '', thoughtSignature });

function toImagePart(
  { image_url: image }: Record<string, unknown>,
  index: number,
  { path, signatures }: { readonly path: string; readonly signatures: Signatures },
): Part {
  const url = typeof image === 'object' && image !== null && 'url' in image ? image.url : undefined;
  const part = toMedia(typeof url === 'string' ? url : '', `${path}.images.${index}.image_url.url`);
  return withSignature(part, signatures.byId.get(`image_${index}`));
}

function toCallPart({ id, function: called }: ToolCall, path: string, { byId }: Signatures): Part {
  const args = called.arguments.trim() === '' ? {} : parseJsonObject(called.arguments);
  if (args === undefined) {
    throw refuseField(`${path}.function.arguments`, 'must be a JSON object, not nested deeper than 100 levels');
  }
  return withSignature({ functionCall: { id, name: called.name, args } }, byId.get(id));
}

const withSignature = (part: Part, thoughtSignature: string | undefined): Part =>
  thoughtSignature === undefined ? part : { ...part, thoughtSignature };
