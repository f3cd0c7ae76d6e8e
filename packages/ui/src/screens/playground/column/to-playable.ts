import type { Audio } from '../../../features/playground/experiment.ts';

/** Rate of the samples that models stream. */
const SAMPLES_PER_SECOND = 24_000;
const HEADER_BYTES = 44;

/** A file that a browser can play, of what a model has said: samples alone get the header of a WAV file. */
export function toPlayable({ format, data }: Audio): Blob {
  const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  if (format !== 'pcm16') return new Blob([bytes], { type: `audio/${format === 'mp3' ? 'mpeg' : format}` });
  return new Blob([toWavHeader(bytes.length), bytes], { type: 'audio/wav' });
}

/** Of one channel with 16 bits a sample. */
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
