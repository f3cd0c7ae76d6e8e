import { readFileSync, writeFileSync } from 'node:fs';

import type { Figure } from './figure.ts';

const TITLES = ['', 'gateway', 'bare proxy', 'result', 'budget', ''];
const BEGIN = '<!-- figures: written by npm run bench -- --record -->';
const END = '<!-- end of figures -->';

/** A run, with what one must know to read its figures. */
export interface Report {
  readonly figures: readonly Figure[];
  /** Name and value of each such fact. */
  readonly facts: readonly (readonly [string, string])[];
}

function toCells({ subject, gateway, proxy, result, budget, isMet }: Figure): string[] {
  return [subject, gateway, proxy, result, budget, isMet === null ? '' : isMet ? 'met' : 'not met'];
}

/** The figures as a table for a terminal. */
export function toTextTable(figures: readonly Figure[]): string {
  const rows = [TITLES, ...figures.map(toCells)];
  const widths = TITLES.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const toLine = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('   ');
  return rows.map((row) => toLine(row).trimEnd()).join('\n');
}

/** Puts a report in the place of the one that stands in a Markdown file. Throws when that has no such place. */
export function recordReport(path: string, report: Report): void {
  const before = readFileSync(path, 'utf8');
  const [begin, end] = [before.indexOf(BEGIN), before.indexOf(END)];
  if (begin === -1 || end < begin) throw new Error(`${path} has no place for figures: ${BEGIN} … ${END}`);
  writeFileSync(path, `${before.slice(0, begin + BEGIN.length)}\n\n${toMarkdown(report)}\n${before.slice(end)}`);
}

function toMarkdown({ figures, facts }: Report): string {
  const toRow = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const table = [
    toRow(TITLES),
    toRow(['---', '---:', '---:', '---:', '---:', '---']),
    ...figures.map((f) => toRow(toCells(f))),
  ];
  return [...facts.map(([name, value]) => `- ${name}: ${value}`), '', ...table, ''].join('\n');
}
