import { expect, test } from 'vitest';

import {
  formatTokenPrice,
  toModelId,
  toModelParams,
  toPriceFacts,
  toTokenPrice,
  toTokenPriceText,
  toUnitPrice,
} from './model-facts.ts';

test.each(['acme/chat', 'acme/chat:free', 'ollama/hf.co/acme/chat', 'fast'])(
  'reads the id of a model back from the address of its page: %s',
  (id) => expect(toModelId(toModelParams(id))).toBe(id),
);

const NONE = { prompt: '-1', completion: '-1', request: '-1', image: '-1' };
const CHAT = { prompt: '0.000001', completion: '0.000002', request: '0', image: '0' };
const VIDEO = { prompt: '0', completion: '0', request: '0', image: '0', video_second: '0.05' };
const SPEECH = { prompt: '0', completion: '0', request: '0', image: '0', character: '0.000015' };
const TRANSCRIPTS = { prompt: '0', completion: '0', request: '0', image: '0', audio_second: '0.0001' };
const FREE = { prompt: '0', completion: '0', request: '0', image: '0' };

test('tells tokens that are free from those of a model that is charged by something else', () => {
  expect([NONE, CHAT, VIDEO, FREE].map((pricing) => formatTokenPrice(pricing, 'prompt'))).toEqual([
    'unknown',
    '$1.00',
    'no charge',
    'free',
  ]);
});

test('the list says what each price is for', () => {
  const BY_VIDEO = { ...FREE, video: '0.4' };
  const BY_IMAGE = { ...FREE, generated_image: '0.02' };
  const write = (unit: 'prompt' | 'completion') => (pricing: Parameters<typeof toUnitPrice>[0]) => {
    const shown = toUnitPrice(pricing, unit);
    return shown && shown.price + shown.unit;
  };
  expect([CHAT, VIDEO, BY_VIDEO, BY_IMAGE, FREE].map(write('completion'))).toEqual([
    '$2.00/M',
    '$0.05/s',
    '$0.40/video',
    '$0.02/image',
    'free',
  ]);
  expect([SPEECH, TRANSCRIPTS, VIDEO, BY_VIDEO].map(write('prompt'))).toEqual(['$15.00/M ch', '$0.0001/s', null, null]);
});

test('what is not known or charged otherwise is no price to sort by', () => {
  expect([NONE, CHAT, VIDEO, FREE].map((pricing) => toTokenPrice(pricing, 'prompt'))).toEqual([null, 1, null, 0]);
});

test('names the unit of a price where there is a price', () => {
  expect([NONE, CHAT, VIDEO, FREE].map((pricing) => toTokenPriceText(pricing, 'prompt'))).toEqual([
    'unknown',
    '$1.00 per million tokens',
    'no charge',
    'free',
  ]);
});

test('shows what is charged beside tokens, each in its own unit, and no price that is not known', () => {
  expect(toPriceFacts(NONE)).toEqual([]);
  expect(toPriceFacts(CHAT)).toEqual([]);
  expect(toPriceFacts(SPEECH)).toEqual([['Characters', '$15.00 per million characters']]);
  expect(toPriceFacts(TRANSCRIPTS)).toEqual([['Audio second', '$0.0001 per second']]);
  expect(toPriceFacts(VIDEO)).toEqual([['Video second', '$0.05 per second']]);
  const dear = { ...CHAT, request: '0.01', image: '0.002', input_cache_read: '0.0000005', web_search: '0.01' };
  expect(toPriceFacts(dear)).toEqual([
    ['Request', '$0.01 each'],
    ['Image', '$0.002 each'],
    ['Cache read', '$0.50 per million tokens'],
    ['Web search', '$0.01 each'],
  ]);
});
