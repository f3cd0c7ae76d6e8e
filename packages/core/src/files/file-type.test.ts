import { expect, test } from 'vitest';

import { createFileTypeFinder } from './file-type.ts';

const PARTS = (part: string): string => `PK\x03\x04${'\0'.repeat(90)}${'x'.repeat(200_000)}${part}${'\0'.repeat(40)}`;
const OFFICE = 'application/vnd.openxmlformats-officedocument';
const LONG = 300 * 1024;

const utf8 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

const KINDS: readonly (readonly [name: string, bytes: string, mediaType: string])[] = [
  ['a PDF', '%PDF-1.7\n%\xe2\xe3\xcf\xd3', 'application/pdf'],
  ['a PNG image', '\x89PNG\r\n\x1a\n\0\0', 'image/png'],
  ['a JPEG image', '\xff\xd8\xff\xe0\0', 'image/jpeg'],
  ['a GIF image', 'GIF89a\x01\0', 'image/gif'],
  ['a WebP image', 'RIFF\x10\0\0\0WEBPVP8 ', 'image/webp'],
  ['WAV audio', 'RIFF\x10\0\0\0WAVEfmt ', 'audio/wav'],
  ['FLAC audio', 'fLaC\0\0', 'audio/flac'],
  ['OGG audio', 'OggS\0\0', 'audio/ogg'],
  ['MP3 audio with tags', 'ID3\x04\0', 'audio/mpeg'],
  ['MP3 audio without tags', '\xff\xfb\x90\x64\0', 'audio/mpeg'],
  ['a DOCX document', PARTS('word/document.xml'), `${OFFICE}.wordprocessingml.document`],
  ['an XLSX document', PARTS('xl/workbook.xml'), `${OFFICE}.spreadsheetml.sheet`],
  ['a PPTX document', PARTS('ppt/presentation.xml'), `${OFFICE}.presentationml.presentation`],
  ['JSON', ' {"a": [1, "}"]}\n', 'application/json'],
  ['long JSON', `[${'"\\"]",'.repeat(LONG / 6)}1]`, 'application/json'],
  ['lines of JSON', '{"a":1}\n\n{"b":"ü"}\r\n'.replace('ü', '\xc3\xbc'), 'application/x-ndjson'],
  ['many lines of JSON', '{"a":"}{"}\n'.repeat(LONG / 10), 'application/x-ndjson'],
  ['a table', 'name,age\n"Doe, J",3\nRoe,4\n', 'text/csv'],
  ['Markdown', '# Title\n\nSome text\n', 'text/markdown'],
  ['a line with a link', 'See [the docs](https://a.example/x "Docs").\n', 'text/markdown'],
  ['brackets without end', '['.repeat(16_384), 'text/plain'],
  ['plain text', utf8('Grüße, aus Köln.\nUnd weiter'), 'text/plain'],
  ['text that begins like JSON', '{not json}', 'text/plain'],
  ['one line', 'a,b', 'text/plain'],
];

test.each(KINDS)('%s is known by its bytes, however they are cut', (_, bytes, mediaType) => {
  const whole = Buffer.from(bytes, 'latin1');
  for (const size of [1, 7, 65_536, whole.length].filter((size) => size > 1 || whole.length < 1000)) {
    const finder = createFileTypeFinder();
    for (let at = 0; at < whole.length; at += size) finder.take(whole.subarray(at, at + size));
    expect([size, finder.end()]).toEqual([size, mediaType]);
  }
});

test.each([
  ['a ZIP file', `PK\x03\x04${'\0'.repeat(50)}`],
  ['a program', '\x7fELF\x02\x01\x01\0'],
  ['text in another encoding', 'Gr\xfc\xdfe'],
  ['text with zeros', 'a\0b'],
  ['text that breaks off in a character', 'Gr\xc3'],
])('%s is refused', (_, bytes) => {
  const finder = createFileTypeFinder();
  finder.take(Buffer.from(bytes, 'latin1'));
  expect(() => finder.end()).toThrow('must be a PDF');
});
