import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

import { PAGES, root } from '../support/snippets/read-snippets.ts';

/** A text without its code, in which brackets are no links. */
const withoutCode = (text: string): string => text.replaceAll(/^( *)```[^]*?^\1```/gm, '').replaceAll(/`[^`\n]*`/g, '');

/** The anchor of a heading, as GitHub makes it. */
const toAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[`*]|\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

function anchorsOf(text: string): ReadonlySet<string> {
  const counts = new Map<string, number>();
  const anchors = new Set<string>();
  for (const [, heading = ''] of text.replaceAll(/^( *)```[^]*?^\1```/gm, '').matchAll(/^#{1,6} (.+)$/gm)) {
    const anchor = toAnchor(heading);
    const count = counts.get(anchor) ?? 0;
    counts.set(anchor, count + 1);
    anchors.add(count === 0 ? anchor : `${anchor}-${count}`);
  }
  for (const [, name = ''] of text.matchAll(/<a (?:id|name)="([^"]+)"/g)) anchors.add(name);
  return anchors;
}

/** What is wrong with the links of a page that stay in the repository. */
function checkLinks(page: string, text: string): string[] {
  return [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) => {
    if (/^[a-z]+:/.test(target)) return [];
    const [file = '', anchor] = target.split('#');
    const place = file === '' ? page : path.posix.join(path.posix.dirname(page), decodeURI(file));
    if (!existsSync(root + place)) return [`${page}: ${target}: there is no such file`];
    if (anchor === undefined || !place.endsWith('.md')) return [];
    const anchors = anchorsOf(readFileSync(root + place, 'utf8'));
    return anchors.has(anchor) ? [] : [`${page}: ${target}: there is no such heading`];
  });
}

test('links of the pages lead to files and headings that exist', () => {
  const wrong = checkLinks(
    'docs/ui.md',
    'See [one](none.md), [two](ui.md#nowhere) and [three](../README.md#first-run).',
  );
  expect(wrong).toEqual([
    'docs/ui.md: none.md: there is no such file',
    'docs/ui.md: ui.md#nowhere: there is no such heading',
  ]);
  expect(PAGES.length).toBeGreaterThan(30);
  expect(PAGES.flatMap((page) => checkLinks(page, readFileSync(root + page, 'utf8')))).toEqual([]);
});

/** Sections of a page that its list of contents, if it has one, leaves out. */
function findUnlisted(page: string, text: string): string[] {
  const [before = '', ...sections] = text.replaceAll(/^( *)```[^]*?^\1```/gm, '').split(/^## /m);
  if (!/^- \[[^\]]*\]\(#/m.test(before)) return [];
  const listed = new Set([...before.matchAll(/\]\(#([^)\s]+)\)/g)].map(([, anchor]) => anchor));
  const headings = sections.map((section) => section.split('\n', 1)[0] ?? '');
  return headings.filter((heading) => !listed.has(toAnchor(heading))).map((heading) => `${page}: ${heading}`);
}

test('a list of contents hides no section of its page', () => {
  const listed = '# One\n\n- [Two](#two)\n\n## Two\n\n```sh\n## a comment\n```\n';
  expect(findUnlisted('one.md', listed)).toEqual([]);
  expect(findUnlisted('one.md', `${listed}\n## Three\n`)).toEqual(['one.md: Three']);
  expect(PAGES.flatMap((page) => findUnlisted(page, readFileSync(root + page, 'utf8')))).toEqual([]);
});

test('each promise names the tests that hold it', () => {
  const [table = ''] = readFileSync(`${root}docs/promises.md`, 'utf8').split('\n## ');
  const rows = table.split('\n').filter((line) => /^\| (?!Promise|---)/.test(line));
  expect(rows.length).toBeGreaterThan(20);
  expect(rows.filter((row) => !/\]\(\.\.\/[^)]*(\.test\.ts|\/test\/[^).]*)\)/.test(row))).toEqual([]);
});
