/** A sound in base64, with its format as the API names it. */
export interface Sound {
  readonly format: string;
  readonly data: string;
}

/** Rate of the samples that models send without a header. */
const SAMPLES_PER_SECOND = 24_000;
const HEADER_BYTES = 44;

/** Media types of the formats whose type is not their name. */
const TYPES: Readonly<Record<string, string>> = { mp3: 'mpeg', opus: 'ogg', m4a: 'mp4' };

/** A file that a browser can play: samples alone get the header of a WAV file. */
export function toPlayable({ format, data }: Sound): Blob {
  return toPlayableBytes(
    format,
    Uint8Array.from(atob(data), (character) => character.charCodeAt(0)),
  );
}

/** The same of bytes. */
export function toPlayableBytes(format: string, bytes: Uint8Array<ArrayBuffer>): Blob {
  if (format !== 'pcm16' && format !== 'pcm') return new Blob([bytes], { type: `audio/${TYPES[format] ?? format}` });
  return new Blob([toWavHeader(bytes.length), bytes], { type: 'audio/wav' });
}

/** The header for one channel with 16 bits a sample. */
export function toWavHeader(bytes: number): ArrayBuffer {
  const header = new DataView(new ArrayBuffer(HEADER_BYTES));
  const write = (at: number, text: string): void => {
    for (let index = 0; index < text.length; index += 1) header.setUint8(at + index, text.charCodeAt(index));
  };
  write(0, 'RIFF');
  header.setUint32(4, bytes + HEADER_BYTES - 8, true);
  write(8, 'WAVEfmt ');
  header.setUint32(16, 16, true);
  header.setUint16(20, 1, true);
  header.setUint16(22, 1, true);
  header.setUint32(24, SAMPLES_PER_SECOND, true);
  header.setUint32(28, SAMPLES_PER_SECOND * 2, true);
  header.setUint16(32, 2, true);
  header.setUint16(34, 16, true);
  write(36, 'data');
  header.setUint32(40, bytes, true);
  return header.buffer;
}
