import { readFileSync, writeFileSync } from 'node:fs';

import type { Figure } from './figure.ts';

const TITLES: readonly string[] = ['', 'gateway', 'bare proxy', 'result', 'budget', ''];

/** The figures of a run, with the facts that are needed to read them. */
export interface Report {
  readonly figures: readonly Figure[];
  /** Name and value of each such fact. */
  readonly facts: readonly (readonly [string, string])[];
}

function toCells({ subject, gateway, proxy, result, budget, isMet }: Figure): string[] {
  return [subject, gateway, proxy, result, budget, isMet === null ? '' : isMet ? 'met' : 'not met'];
}

/** The titles and a row for each figure, without the columns that none of them fills. */
function toRows(figures: readonly Figure[], titles = TITLES): string[][] {
  const rows = figures.map(toCells);
  const isFilled = titles.map((_, column) => rows.some((row) => row[column] !== ''));
  return [titles, ...rows].map((row) => row.filter((_, column) => isFilled[column]));
}

/** The figures as a table for a terminal; `titles` where the gateway is compared with something else. */
export function toTextTable(figures: readonly Figure[], titles?: readonly string[]): string {
  const rows = toRows(figures, titles);
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const toLine = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('   ');
  return rows.map((row) => toLine(row).trimEnd()).join('\n');
}

/** Replaces the report of that name in a Markdown file. Throws when the file has no place for it. */
export function recordReport(path: string, name: string, report: Report): void {
  const before = readFileSync(path, 'utf8');
  const beginMark = `<!-- figures of the ${name}: written by npm run bench -- --record -->`;
  const endMark = `<!-- end of the figures of the ${name} -->`;
  const [begin, end] = [before.indexOf(beginMark), before.indexOf(endMark)];
  if (begin === -1 || end < begin) throw new Error(`${path} has no place for figures: ${beginMark} … ${endMark}`);
  writeFileSync(path, `${before.slice(0, begin + beginMark.length)}\n\n${toMarkdown(report)}\n${before.slice(end)}`);
}

function toMarkdown({ figures, facts }: Report): string {
  const toRow = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const [titles = [], ...rows] = toRows(figures);
  // The first and the last column (subject and verdict) are words; all columns between them are figures.
  const rule = titles.map((_, column) => (column === 0 || column === titles.length - 1 ? '---' : '---:'));
  const table = [titles, rule, ...rows].map(toRow);
  return [...facts.map(([name, value]) => `- ${name}: ${value}`), '', ...table, ''].join('\n');
}
