import type { LanguageModelV4ReasoningPart, SharedV4ProviderMetadata, SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { ChatDelta } from '@model-gateway/core';
import { isRecord, parseJson, type ReasoningDetail } from '@model-gateway/core/providers/kit';

/**
 * The form of reasoning details that these packages can read back. A `signature` in it, or the `data` of an encrypted
 * detail, is the JSON of the metadata that a package attached: signatures, ids, encrypted thoughts.
 */
const FORMAT = 'ai-sdk';

/** Numbers the reasoning details of one completion, the same whether it arrives whole or in pieces. */
export interface DetailWriter {
  /** A piece of a block of thought, which may be empty. Pieces of one block share an index. */
  addText(block: string, text: string, metadata: SharedV4ProviderMetadata | undefined): ChatDelta | undefined;
  /** The end of a block, with all metadata that came with it. */
  endText(block: string, metadata: SharedV4ProviderMetadata | undefined): ChatDelta | undefined;
  /** Metadata of something else: `id` names the tool call that it belongs to, null the text. */
  addMetadata(id: string | null, metadata: SharedV4ProviderMetadata | undefined): ChatDelta | undefined;
}

export function createDetailWriter(): DetailWriter {
  let count = 0;
  let textData: string | undefined;
  const blocks = new Map<string, { readonly index: number; metadata: SharedV4ProviderMetadata }>();
  const open = (block: string, metadata: SharedV4ProviderMetadata = {}) => {
    const known = blocks.get(block) ?? { index: count, metadata: {} };
    if (!blocks.has(block)) count += 1;
    blocks.set(block, known);
    known.metadata = mergeMetadata(known.metadata, metadata);
    return known;
  };
  return {
    addText(block, text, metadata) {
      const { index } = open(block, metadata);
      if (text === '') return undefined;
      return { reasoning: text, reasoning_details: [{ type: 'reasoning.text', text, format: FORMAT, index }] };
    },
    endText(block, last) {
      const { index, metadata } = open(block, last);
      blocks.delete(block);
      if (Object.keys(metadata).length === 0) return undefined;
      const signature = JSON.stringify(metadata);
      return { reasoning_details: [{ type: 'reasoning.text', text: '', signature, format: FORMAT, index }] };
    },
    addMetadata(id, metadata) {
      if (metadata === undefined || Object.keys(metadata).length === 0) return undefined;
      const data = JSON.stringify(metadata);
      // Some packages repeat it with each piece of the text.
      if (id === null && data === textData) return undefined;
      if (id === null) textData = data;
      const detail = { type: 'reasoning.encrypted', data, id, format: FORMAT, index: count };
      count += 1;
      return { reasoning_details: [detail] };
    },
  };
}

function mergeMetadata(before: SharedV4ProviderMetadata, after: SharedV4ProviderMetadata): SharedV4ProviderMetadata {
  const merged = { ...before };
  for (const [name, facts] of Object.entries(after)) merged[name] = { ...merged[name], ...facts };
  return merged;
}

/** What an assistant's message carries back to its provider. */
export interface SavedMetadata {
  readonly reasoning: LanguageModelV4ReasoningPart[];
  readonly text: SharedV4ProviderOptions | undefined;
  /** By the id of the call. */
  readonly toolCalls: ReadonlyMap<string, SharedV4ProviderOptions>;
}

/** Reads details back. Those of other providers are thoughts without their signatures; without any, `reasoning` is one. */
export function readMetadata(details: readonly ReasoningDetail[], reasoning: string | null | undefined): SavedMetadata {
  const blocks = new Map<unknown, LanguageModelV4ReasoningPart>();
  const toolCalls = new Map<string, SharedV4ProviderOptions>();
  let text: SharedV4ProviderOptions | undefined;
  for (const detail of details) {
    const isOurs = detail['format'] === FORMAT;
    if (detail.type === 'reasoning.text') {
      // Without an index, each stands for itself.
      const block = detail['index'] ?? detail;
      const known: LanguageModelV4ReasoningPart = blocks.get(block) ?? { type: 'reasoning', text: '' };
      blocks.set(block, known);
      if (typeof detail['text'] === 'string') known.text += detail['text'];
      const options = isOurs ? readOptions(detail['signature']) : undefined;
      if (options !== undefined) known.providerOptions = options;
    } else if (detail.type === 'reasoning.encrypted' && isOurs) {
      const options = readOptions(detail['data']);
      if (options === undefined) continue;
      if (typeof detail['id'] === 'string') toolCalls.set(detail['id'], options);
      else text = mergeMetadata(text ?? {}, options);
    }
  }
  const parts = [...blocks.values()];
  if (details.length === 0 && reasoning != null && reasoning !== '') parts.push({ type: 'reasoning', text: reasoning });
  return { reasoning: parts, text, toolCalls };
}

/** The text comes from a client, so that it may be anything. */
function readOptions(text: unknown): SharedV4ProviderOptions | undefined {
  const read = typeof text === 'string' ? parseJson(text) : undefined;
  if (!isRecord(read) || !Object.values(read).every(isRecord)) return undefined;
  return read as SharedV4ProviderOptions;
}
