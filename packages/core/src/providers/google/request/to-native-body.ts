import { isRecord, objectsOf, type Unchecked } from '../../../foundation/parse.ts';
import type { NativeRequest } from '../../../wire/native-request.ts';
import type { ChatCall } from '../../provider.ts';
import { readGeminiTraits } from '../models.ts';
import { FOREIGN_SIGNATURE } from './to-google-conversation.ts';

/** Fields of the gateway in this form, which no upstream knows, and those that are in the address. */
const OWN_FIELDS: readonly string[] = [
  ['model', 'stream', 'models', 'provider', 'plugins', 'route', 'preset', 'transforms', 'debug', 'trace', 'user'],
  ['session_id', 'metadata', 'stop_server_tools_when'],
].flat();

/** The body as it came in, in the order of its fields, but for signatures that only the gateway can read. */
export function toNativeBody(call: ChatCall, { body }: NativeRequest): Record<string, unknown> {
  const sent: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(body)) if (!OWN_FIELDS.includes(name)) sent[name] = value;
  const { contents } = body;
  if (Array.isArray(contents) && contents.some(hasForeign)) {
    const { needsSignatures } = readGeminiTraits(call.providerModel, call.supportedParameters);
    sent['contents'] = contents.map((content: unknown) =>
      hasForeign(content) ? { ...content, parts: toOwnParts(content['parts'], needsSignatures) } : content,
    );
  }
  return sent;
}

/** How a signature begins that has the reasoning of another provider: the gateway's, in base64. */
const SEALED = 'cmVhc29uaW5nLWRldGFpbHM6';

const isForeign = ({ thoughtSignature: signature }: Unchecked): boolean =>
  typeof signature === 'string' && signature.startsWith(SEALED);

const hasForeign = (content: unknown): content is Unchecked =>
  isRecord(content) && objectsOf(content['parts']).some(isForeign);

/** A call keeps a word in place of the signature where the model wants one; a part that is only a signature is left out. */
function toOwnParts(parts: unknown, needsSignatures: boolean): readonly unknown[] {
  return objectsOf(parts).flatMap((part) => {
    if (!isForeign(part)) return [part];
    const { thoughtSignature: _signature, ...rest } = part;
    if (rest['functionCall'] !== undefined && needsSignatures)
      return [{ ...rest, thoughtSignature: FOREIGN_SIGNATURE }];
    return Object.keys(rest).length === 1 && rest['text'] === '' ? [] : [rest];
  });
}
