import { isRecord, objectsOf, type Unchecked } from '../../../foundation/parse.ts';
import { refuseFieldHere } from '../../../wire/fields.ts';

/**
 * The body, where its pictures and files are in it. Anthropic's own servers fetch those at addresses, Bedrock and Vertex AI
 * refuse them, so another endpoint is to be tried. Throws `invalid_request`.
 */
export function withDataAlone(body: Record<string, unknown>): Record<string, unknown> {
  for (const { content } of objectsOf(body['messages'])) {
    for (const block of objectsOf(content)) {
      refuseAddress(block);
      for (const part of objectsOf(block['content'])) refuseAddress(part);
    }
  }
  return body;
}

function refuseAddress({ type, source }: Unchecked): void {
  if (!isRecord(source) || source['type'] !== 'url') return;
  const what = type === 'image' ? 'images' : 'files';
  throw refuseFieldHere('messages', `${what} must be data URLs for this provider, which fetches none`);
}
