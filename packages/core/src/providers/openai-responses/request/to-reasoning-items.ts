import type { ReasoningDetail } from '../../../wire/chat-request.ts';

/** The reasoning format that only this wire can read back (wire.md 6.6). */
export const REASONING_FORMAT = 'openai-responses-v1';

const READABLE_FORMATS: ReadonlySet<unknown> = new Set([REASONING_FORMAT, 'azure-openai-responses-v1']);

interface ReasoningTexts {
  readonly id: unknown;
  readonly summary: Map<unknown, string>;
  readonly content: Map<unknown, string>;
  data: string;
}

/**
 * Converts details of earlier reasoning to the items that they were read from. Left out is reasoning of other wires, and
 * a summary alone: upstream keeps nothing, so it finds no reasoning behind the id.
 */
export function toReasoningItems(details: readonly ReasoningDetail[]): object[] {
  const items: ReasoningTexts[] = [];
  for (const [place, detail] of details.entries()) {
    if (!READABLE_FORMATS.has(detail['format'])) continue;
    const id = detail['id'] ?? null;
    const last = items.at(-1);
    const item = last !== undefined && last.id === id ? last : startItem(items, id);
    addDetail(item, detail, detail['index'] ?? `at ${place}`);
  }
  return items.flatMap(toItem);
}

function startItem(items: ReasoningTexts[], id: unknown): ReasoningTexts {
  const item: ReasoningTexts = { id, summary: new Map(), content: new Map(), data: '' };
  items.push(item);
  return item;
}

/** Pieces of a stream have the number of the text that they belong to. */
function addDetail(item: ReasoningTexts, { type, summary, text, data }: ReasoningDetail, index: unknown): void {
  if (type === 'reasoning.summary') item.summary.set(index, (item.summary.get(index) ?? '') + textOf(summary));
  else if (type === 'reasoning.text') item.content.set(index, (item.content.get(index) ?? '') + textOf(text));
  else if (type === 'reasoning.encrypted') item.data += textOf(data);
}

function toItem({ id, summary, content, data }: ReasoningTexts): object[] {
  const texts = [...content.values()].filter((text) => text !== '');
  if (data === '' && texts.length === 0) return [];
  return [
    {
      type: 'reasoning',
      // The encrypted content is bound to the id; without it the id names nothing.
      ...(data !== '' && typeof id === 'string' && { id }),
      summary: [...summary.values()].filter((text) => text !== '').map((text) => ({ type: 'summary_text', text })),
      ...(texts.length > 0 && { content: texts.map((text) => ({ type: 'reasoning_text', text })) }),
      ...(data !== '' && { encrypted_content: data }),
    },
  ];
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
