import type { TransportRequest } from '../../foundation/transport.ts';
import type { AudioFile } from '../audio-contract.ts';

const encoder = new TextEncoder();

/** A value of a field must not end its part, nor its name the header that it stands in. */
const toName = (name: string): string => name.replaceAll(/["\r\n]/g, '_');

/**
 * A form with a file as its last field (RFC 7578), which is sent piece by piece. Its boundary is random, so that nothing
 * in the file can end it.
 */
export function toFormBody(
  fields: readonly (readonly [name: string, value: string])[],
  file: AudioFile,
): { readonly headers: Readonly<Record<string, string>>; readonly body: NonNullable<TransportRequest['body']> } {
  const boundary = `form-${crypto.randomUUID()}`;
  const head = fields.map(
    ([name, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${toName(name)}"\r\n\r\n${value}\r\n`,
  );
  const begin = encoder.encode(
    `${head.join('')}--${boundary}\r\ncontent-disposition: form-data; name="file"; ` +
      `filename="${toName(file.filename)}"\r\ncontent-type: ${file.mediaType}\r\n\r\n`,
  );
  const end = encoder.encode(`\r\n--${boundary}--\r\n`);
  return {
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(begin.byteLength + file.byteLength + end.byteLength),
    },
    async *body() {
      yield begin;
      yield* file.open();
      yield end;
    },
  };
}
