import { expect, test } from 'vitest';

import {
  type Attachment,
  findFileProblem,
  fromContentPart,
  findUnsupported,
  MAX_BYTES,
  toAttachment,
  toContentPart,
} from './attachments.ts';

const file = (name: string, size = 3, type = '') => ({ name, size, type });

test('sends images, files and audio as the API spells them', () => {
  const parts = [
    toAttachment(file('a.PNG'), 'AAAA'),
    toAttachment(file('b.pdf'), 'BBBB'),
    toAttachment(file('c.mp3'), 'CCCC'),
    toAttachment(file('blob', 3, 'image/jpeg'), 'DDDD'),
    toAttachment(file('sound', 3, 'audio/wav'), 'EEEE'),
  ].map(toContentPart);
  expect(parts).toEqual([
    { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
    { type: 'file', file: { filename: 'b.pdf', file_data: 'data:application/pdf;base64,BBBB' } },
    { type: 'input_audio', input_audio: { data: 'CCCC', format: 'mp3' } },
    { type: 'image_url', image_url: { url: 'data:image/jpeg;base64,DDDD' } },
    { type: 'input_audio', input_audio: { data: 'EEEE', format: 'wav' } },
  ]);
});

test('takes over what stored parts carried, and nothing of texts and addresses', () => {
  const attached = [
    toAttachment(file('attached.png'), 'AAAA'),
    toAttachment(file('b.pdf', 2), 'BBB='),
    toAttachment(file('attached.mp3'), 'CCCC'),
  ];
  expect(attached.map(toContentPart).map(fromContentPart)).toEqual(attached);
  const others = [
    { type: 'text', text: 'A' },
    { type: 'image_url', image_url: { url: 'https://a.example/a.png' } },
    { type: 'image_url', image_url: {} },
    { type: 'input_audio', input_audio: { data: 'CCCC', format: 'odd' } },
    { type: 'file', file: { file_data: 'data:text/html;base64,AAAA' } },
    null,
    'odd',
  ];
  expect(others.map(fromContentPart)).toEqual(others.map(() => undefined));
});

test('says before anything is read what is too large or of another kind', () => {
  expect(findFileProblem([file('a.png'), file('b.pdf')], [])).toBeUndefined();
  expect(findFileProblem([file('a.docx')], [])).toContain('“a.docx” cannot be attached: images are PNG');
  expect(findFileProblem([file('a.png', MAX_BYTES + 1)], [])).toContain('“a.png” is 8');
  const attached: Attachment[] = [1, 2].map((at) => toAttachment(file(`${at}.png`, MAX_BYTES), ''));
  expect(findFileProblem([file('c.wav', MAX_BYTES / 2)], attached)).toBeUndefined();
  expect(findFileProblem([file('c.wav', MAX_BYTES)], attached)).toContain('the limit is 20');
});

test('names the models that do not take what is attached', () => {
  const models = [
    { id: 'a/eyes', architecture: { input_modalities: ['text', 'image'] } },
    { id: 'a/ears', architecture: { input_modalities: ['text', 'audio', 'image'] } },
  ];
  const attached = [toAttachment(file('a.png'), ''), toAttachment(file('b.wav'), '')];
  expect(findUnsupported(models, attached)).toEqual(['a/eyes: no audio']);
  expect(findUnsupported(models, [])).toEqual([]);
});
