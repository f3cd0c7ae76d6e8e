import { expect, test } from 'vitest';

import { createSpendingBook, type SpendingEntry } from './spending.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

const entryOf = (day: string, creditsNanoUsd: number): SpendingEntry => ({
  principalId: 'ann',
  day,
  creditsNanoUsd,
  byokNanoUsd: 0,
});
const dayAfter = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);

test('days stay apart after one call was recorded by a clock that was a year ahead', () => {
  const book = createSpendingBook();
  book.add(entryOf('2027-12-01', 1));
  book.add(entryOf('2026-12-01', 100));
  book.add(entryOf('2026-12-02', 100));
  expect(book.spent({ since: '2026-12-02' }).creditsNanoUsd).toBe(101);
  expect(book.spent({ since: '2026-12-01' }).creditsNanoUsd).toBe(201);
});

test('what a clock that was ahead has left counts as tomorrow, and is part of no later period', () => {
  let nowMs = Date.parse('2027-12-01T10:00Z');
  const book = createSpendingBook();
  book.follow(() => nowMs);
  book.add(entryOf('2027-12-01', 1));
  nowMs = Date.parse('2026-12-01T10:00Z');
  book.add(entryOf('2026-12-01', 100));
  expect(book.spent({ principalId: 'ann', since: '2026-12-01' }).creditsNanoUsd).toBe(101);
  nowMs += 2 * DAY_MS;
  book.add(entryOf('2026-12-03', 10));
  expect(book.spent({ principalId: 'ann', since: '2026-12-02' }).creditsNanoUsd).toBe(11);
  expect(book.spent({ principalId: 'ann', since: '2026-12-03' }).creditsNanoUsd).toBe(10);
  expect(book.totalNanoUsd('ann')).toBe(111);
});

test('a clock that was behind while days were read takes none of them out of their periods', () => {
  let nowMs = 0;
  const book = createSpendingBook();
  book.follow(() => nowMs);
  book.add(entryOf('2026-12-01', 100));
  book.add(entryOf('2026-12-02', 10));
  expect(book.spent({ since: '1970-01-01' }).creditsNanoUsd).toBe(110);
  nowMs = Date.parse('2026-12-02T10:00Z');
  expect(book.spent({ since: '2026-12-02' }).creditsNanoUsd).toBe(10);
});

test('the days before the last 41 ones with spending are added up, whichever order they come in', () => {
  const days = Array.from({ length: 50 }, (_, index) => dayAfter('2026-01-01', index));
  for (const given of [days, days.toReversed()]) {
    const book = createSpendingBook();
    for (const day of given) book.add(entryOf(day, 1));
    const kept = [...book.entries()];
    expect(kept).toHaveLength(42);
    expect(kept.find(({ day }) => day === '')?.creditsNanoUsd).toBe(9);
    expect(book.totalNanoUsd('ann')).toBe(50);
    book.subtract(entryOf('2026-01-03', 1));
    expect([...book.entries()].find(({ day }) => day === '')?.creditsNanoUsd).toBe(8);
  }
});

test('what is stored of a clock that was ahead counts as the day before it after each start', () => {
  let nowMs = Date.parse('2026-12-02T10:00Z');
  const start = () => {
    const book = createSpendingBook();
    book.follow(() => nowMs);
    book.beginStored();
    book.add(entryOf('2029-12-31', 1000));
    for (const [day, spent] of [
      ['2026-12-01', 100],
      ['2030-01-01', 10],
      ['2026-12-02', 1],
    ] as const)
      book.add(entryOf(day, spent));
    book.endStored();
    return book;
  };
  for (let day = 2; day < 5; day += 1, nowMs += DAY_MS) {
    const book = start();
    expect(book.spent({ since: '2026-12-01' }).creditsNanoUsd).toBe(111);
    expect(book.spent({ since: '2026-12-02' }).creditsNanoUsd).toBe(1);
    expect(book.totalNanoUsd('ann')).toBe(1111);
    // What is recorded from now on is of a clock that was ahead just now.
    book.add(entryOf('2031-01-01', 5));
    expect(book.spent({ since: '2026-12-02' }).creditsNanoUsd).toBe(6);
  }
});

test('many days of a clock that was ahead leave the days of periods apart, and are told apart for as many', () => {
  const nowMs = Date.parse('2026-12-02T10:00Z');
  const book = createSpendingBook();
  book.follow(() => nowMs);
  book.add(entryOf('2026-12-01', 100));
  book.add(entryOf('2026-12-02', 10));
  for (let day = 0; day < 60; day += 1) book.add(entryOf(dayAfter('2030-01-01', day), 1));
  book.add(entryOf('2026-11-30', 1000));
  const kept = [...book.entries()];
  expect(kept.filter(({ day }) => day > '2029')).toHaveLength(41);
  expect(kept.find(({ day }) => day === '')?.creditsNanoUsd).toBe(19);
  expect(kept.find(({ day }) => day === '2026-12-01')?.creditsNanoUsd).toBe(100);
  expect(book.spent({ since: '2026-12-02' }).creditsNanoUsd).toBe(51);
  expect(book.spent({ since: '2026-11-30' }).creditsNanoUsd).toBe(1151);
  book.subtract(entryOf('2030-01-02', 1));
  expect([...book.entries()].find(({ day }) => day === '')?.creditsNanoUsd).toBe(18);
});

test('the newest days are told apart while the clock is years behind, and once it is right', () => {
  let nowMs = 0;
  const book = createSpendingBook();
  book.follow(() => nowMs);
  for (let day = 0; day < 60; day += 1) book.add(entryOf(dayAfter('2026-10-01', day), 1));
  nowMs = Date.parse(dayAfter('2026-10-01', 60));
  book.add(entryOf(dayAfter('2026-10-01', 60), 1));
  expect(book.spent({ since: dayAfter('2026-10-01', 30) }).creditsNanoUsd).toBe(31);
  expect([...book.entries()]).toHaveLength(42);
});
