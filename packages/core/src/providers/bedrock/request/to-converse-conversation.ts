import { isRecord, objectsOf, type Unchecked } from '../../../foundation/parse.ts';
import type { ChatMessage } from '../../../wire/chat-request.ts';
import { refuseFieldHere } from '../../../wire/fields.ts';
import type { Block } from '../../anthropic/request/to-anthropic-content.ts';
import { toAnthropicConversation } from '../../anthropic/request/to-anthropic-conversation.ts';
import { toBase64 } from '../../kit/to-upstream.ts';
import type { BedrockTraits } from '../models.ts';

interface ConverseTurn {
  readonly role: 'user' | 'assistant';
  readonly content: Block[];
}

interface ConverseConversation {
  readonly system: Block[];
  readonly messages: ConverseTurn[];
}

type Marks = Pick<BedrockTraits, 'cacheTtls'>;

/**
 * Converts messages to Converse's, whose turns follow the rules of Anthropic's wire, after which the API was made: only
 * the blocks differ. Throws `invalid_request` that names what cannot be expressed.
 */
export function toConverseConversation(messages: readonly ChatMessage[], traits: Marks): ConverseConversation {
  const { system, messages: turns } = toAnthropicConversation(messages);
  const names = createDocumentNames();
  const convert = (blocks: readonly Block[]): Block[] =>
    blocks.flatMap((block) => toConverseBlocks(block, traits, names));
  return {
    system: convert(system),
    messages: turns.map(({ role, content }) => ({ role, content: convert(content) })),
  };
}

/** The cache point that a mark of the caller's stands for; none for a model that refuses them. */
export function toCachePoint({ cache_control: mark }: Unchecked, { cacheTtls }: Marks): Block[] {
  if (!isRecord(mark) || cacheTtls.length === 0) return [];
  const ttl = cacheTtls.find((known) => known === mark['ttl']);
  return [{ cachePoint: { type: 'default', ...(ttl !== undefined && { ttl }) } }];
}

type NameDocument = (title: unknown) => string;

function toConverseBlocks(block: Block, traits: Marks, nameDocument: NameDocument): Block[] {
  return [toConverseBlock(block, nameDocument), ...toCachePoint(block, traits)];
}

function toConverseBlock(block: Block, nameDocument: NameDocument): Block {
  switch (block['type']) {
    case 'text':
      return { text: block['text'] };
    case 'image':
      return { image: toImage(sourceOf(block)) };
    case 'document':
      return { document: toDocument(sourceOf(block), nameDocument(block['title'])) };
    case 'tool_use':
      return { toolUse: { toolUseId: block['id'], name: block['name'], input: block['input'] } };
    case 'tool_result': {
      const { content } = block;
      const parts = typeof content === 'string' ? [{ text: content }] : objectsOf(content);
      return {
        toolResult: {
          toolUseId: block['tool_use_id'],
          content: parts.flatMap((part) => ('type' in part ? [toConverseBlock(part, nameDocument)] : [part])),
        },
      };
    }
    case 'redacted_thinking':
      return { reasoningContent: { redactedContent: block['data'] } };
    default:
      return { reasoningContent: { reasoningText: { text: block['thinking'], signature: block['signature'] } } };
  }
}

const sourceOf = ({ source }: Block): Unchecked => (isRecord(source) ? source : {});

function toImage({ type, media_type: mediaType, data }: Unchecked): Block {
  if (type !== 'base64')
    throw refuseFieldHere('messages', 'images must be data URLs for this provider, which fetches none');
  return { format: String(mediaType).replace('image/', ''), source: { bytes: data } };
}

function toDocument({ type, data }: Unchecked, name: string): Block {
  if (type === 'url')
    throw refuseFieldHere('messages', 'files must be data URLs for this provider, which fetches none');
  if (type === 'base64') return { format: 'pdf', name, source: { bytes: data } };
  return { format: 'txt', name, source: { bytes: toBase64(new TextEncoder().encode(String(data))) } };
}

/** Names are required, unlike each other, and of few characters: a model may be told to do something by them. */
function createDocumentNames(): NameDocument {
  const given = new Set<string>();
  return (title) => {
    const wanted = (typeof title === 'string' ? title : '')
      .replaceAll(/[^\w ()[\]-]|_/g, ' ')
      .replaceAll(/ +/g, ' ')
      .trim()
      .slice(0, 100);
    const base = wanted === '' ? 'document' : wanted;
    let name = base;
    for (let count = 2; given.has(name); count += 1) name = `${base} ${count}`;
    given.add(name);
    return name;
  };
}
