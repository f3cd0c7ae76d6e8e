import { expect, test } from 'vitest';

import { isForImagesAlone, toImageRequest } from './make-images.ts';

const PICTURE = 'data:image/png;base64,AAAA';
const part = { type: 'image_url' as const, image_url: { url: PICTURE } };
const user = (content: string | (typeof part | { type: 'text'; text: string })[]) => ({
  role: 'user' as const,
  content,
});
const made = { role: 'assistant' as const, content: '', images: [part] };

test('a chat with a model that makes images alone is a request for them', () => {
  expect(isForImagesAlone({ model: 'a/b', messages: [], modalities: ['image'] })).toBe(true);
  expect(isForImagesAlone({ model: 'a/b', messages: [], modalities: ['image', 'text'] })).toBe(false);
  expect(isForImagesAlone({ model: 'a/b', messages: [] })).toBe(false);
});

test('the last words of the user are the prompt, and the pictures beside them go in', () => {
  const asked = user([{ type: 'text', text: 'A hat' }, part]);
  expect(toImageRequest({ model: 'a/b', messages: [user('A fox'), made, asked] })).toEqual({
    model: 'a/b',
    prompt: 'A hat',
    input_references: [part],
  });
});

test('without pictures beside the words, those that were made last go in', () => {
  expect(toImageRequest({ model: 'a/b', messages: [user('A fox')] })).toEqual({ model: 'a/b', prompt: 'A fox' });
  expect(toImageRequest({ model: 'a/b', messages: [user('A fox'), made, user('Now in blue')] })).toEqual({
    model: 'a/b',
    prompt: 'Now in blue',
    input_references: [part],
  });
});
