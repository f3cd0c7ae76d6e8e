import type { Socket } from 'node:net';

/** Longer ones are not copied. */
const MAX_JOINED_BYTES = 16 * 1024;

type Pending = readonly { readonly chunk: Buffer | string; readonly encoding: string }[];
type WriteTogether = NonNullable<Socket['_writev']>;

/**
 * Has a socket send what was written to it while it was corked as one piece of bytes, where it is short: undici writes
 * the head of a request and its body so. To hand several pieces to the system costs more than all of such a request's
 * own bytes do.
 */
export function joinWrites(socket: Socket): void {
  const writeApart = socket._writev?.bind(socket);
  if (writeApart === undefined) return;
  const writeJoined: WriteTogether = (pending, callback) => {
    const joined = join(pending);
    if (joined === null) writeApart(pending, callback);
    // What streams hand on in the place of an encoding where there are bytes; the types do not know it.
    else socket._write(joined, 'buffer' as BufferEncoding, callback);
  };
  socket._writev = writeJoined;
}

/** Null where it is not worth it, or text is in an encoding whose length would have to be found out first. */
function join(pending: Pending): Buffer | null {
  let length = 0;
  for (const { chunk, encoding } of pending) {
    if (typeof chunk === 'string' && encoding !== 'latin1') return null;
    length += chunk.length;
  }
  if (length > MAX_JOINED_BYTES) return null;
  const bytes = Buffer.allocUnsafe(length);
  let end = 0;
  for (const { chunk } of pending) {
    end += typeof chunk === 'string' ? bytes.write(chunk, end, 'latin1') : chunk.copy(bytes, end);
  }
  return bytes;
}
