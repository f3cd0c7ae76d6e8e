import { isRecord, objectsOf, parseJson } from '../../foundation/parse.ts';

/** The name of an image, and what stands between it and its text. */
const IMAGE = /"b64_json"\s*:\s*"/g;

/**
 * Parses JSON with images in the `b64_json` of its `data` without going through them character by character; undefined
 * for what is no JSON. An image may hold what no JSON text may: it is to be checked to be base64.
 */
export function parseImages(text: string): unknown {
  const images: string[] = [];
  let rest = '';
  let from = 0;
  for (const found of text.matchAll(IMAGE)) {
    const start = found.index + found[0].length;
    if (found.index < from) continue;
    const end = text.indexOf('"', start);
    if (end === -1) return undefined;
    rest += text.slice(from, start) + String(images.length);
    images.push(text.slice(start, end));
    from = end;
  }
  // Some servers escape slashes.
  if (images.some((image) => image.includes('\\'))) return parseJson(text);
  const body = parseJson(rest + text.slice(from));
  if (!isRecord(body)) return body;
  return {
    ...body,
    data: objectsOf(body['data']).map((image) =>
      typeof image['b64_json'] === 'string' ? { ...image, b64_json: images[Number(image['b64_json'])] } : image,
    ),
  };
}
