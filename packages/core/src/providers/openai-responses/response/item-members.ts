import { objectsOf, type Unchecked } from '../../../foundation/parse.ts';
import type { ChatDelta } from '../../../wire/chat-chunk.ts';

/** Citations of pages; those of files that upstream keeps have no form in a chat completion. */
export function toAnnotations(value: unknown, startsAt: number): object[] {
  return objectsOf(value).flatMap(({ type, url, title, start_index: start, end_index: end, content }) => {
    if (type !== 'url_citation' || typeof url !== 'string') return [];
    return [
      {
        type: 'url_citation',
        url_citation: {
          url,
          title: textOf(title),
          ...(typeof content === 'string' && { content }),
          start_index: startsAt + numberOf(start),
          end_index: startsAt + numberOf(end),
        },
      },
    ];
  });
}

/** A picture that upstream has drawn. */
export function toImages({ result, output_format: format }: Unchecked): ChatDelta | undefined {
  if (typeof result !== 'string' || result === '') return undefined;
  const url = `data:image/${typeof format === 'string' ? format : 'png'};base64,${result}`;
  return { images: [{ type: 'image_url', image_url: { url } }] };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);
