import { expect, test } from 'vitest';

import { toPlayable } from './sound-file.ts';

test('samples alone become a file that browsers play', async () => {
  const samples = String.fromCharCode(1, 2, 3, 4);
  const file = toPlayable({ format: 'pcm16', data: btoa(samples) });
  const bytes = new Uint8Array(await file.arrayBuffer());
  expect([file.type, bytes.length]).toEqual(['audio/wav', 48]);
  expect(new TextDecoder().decode(bytes.slice(0, 4))).toBe('RIFF');
  expect(new DataView(bytes.buffer).getUint32(24, true)).toBe(24_000);
  expect(Array.from(bytes.slice(44))).toEqual([1, 2, 3, 4]);
  expect(toPlayable({ format: 'mp3', data: btoa('ID3') }).type).toBe('audio/mpeg');
});
