import { isObject, objectsOf, type Unchecked } from '../../../foundation/parse.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Converts grounding metadata to the citations of the gateway's wire (wire.md 6.5): one for each pair of a text passage
 * and a source that supports it, or for each source where passages are missing. Indexes count UTF-16 units of the text.
 */
export function toAnnotations(grounding: unknown, text: string): unknown[] {
  if (!isObject(grounding)) return [];
  const sources = objectsOf(grounding['groundingChunks']).map(({ web }) => (isObject(web) ? web : undefined));
  const supports = objectsOf(grounding['groundingSupports']);
  if (supports.length === 0) return sources.flatMap((source) => toCitation(source, 0, 0));
  // Upstream counts bytes of UTF-8.
  const bytes = encoder.encode(text);
  const toIndex = (at: unknown): number =>
    typeof at === 'number' && at > 0 ? decoder.decode(bytes.subarray(0, at)).length : 0;
  return supports.flatMap(({ segment, groundingChunkIndices: indices }) => {
    const { startIndex, endIndex } = isObject(segment) ? segment : {};
    const [start, end] = [toIndex(startIndex), toIndex(endIndex)];
    return (Array.isArray(indices) ? indices : []).flatMap((index: unknown) =>
      toCitation(typeof index === 'number' ? sources[index] : undefined, start, end),
    );
  });
}

function toCitation(source: Unchecked | undefined, start: number, end: number): unknown[] {
  const { uri: url, title } = source ?? {};
  if (typeof url !== 'string') return [];
  const citation = { url, title: typeof title === 'string' ? title : url, start_index: start, end_index: end };
  return [{ type: 'url_citation', url_citation: citation }];
}
