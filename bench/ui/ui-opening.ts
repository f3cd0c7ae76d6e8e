import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

import type { Plan } from '../plan.ts';
import { UI_FIRST_PAINT_MS, UI_INITIAL_KB, UI_INTERACTIVE_MS, UI_LAZY_KB } from '../report/budgets.ts';
import { type Figure, formatKilobytes, formatMilliseconds, toFigure } from '../report/figure.ts';
import { median } from '../report/statistics.ts';
import { NOTE_INTERACTIVE, READ_OPENING } from './ui-probes.ts';
import type { UiStage } from './ui-stage.ts';

const ASSETS = new URL('../../packages/ui/bundle/', import.meta.url);
const SCREENS = [
  ['the overview', '#/'],
  ['the list', '#/generations'],
] as const;

interface Opening {
  readonly firstPaintMs: number;
  readonly interactiveMs: number;
}

/** Measures how long a first visit takes, in a browser that has loaded nothing of the UI before. */
export async function measureOpening(ui: UiStage, plan: Plan): Promise<Figure[]> {
  const figures: Figure[] = [];
  const rows = ui.generations.toLocaleString('en');
  for (const [name, hash] of SCREENS) {
    const openings: Opening[] = [];
    for (let i = 0; i < plan.ui.rounds; i += 1) openings.push(await openOnce(ui, hash));
    const times = openings.map(({ interactiveMs }) => formatMilliseconds(interactiveMs));
    plan.progress(`${name}: interactive after ${times.join(', ')}`);
    const toOne = (what: string, field: keyof Opening, budget: typeof UI_FIRST_PAINT_MS): Figure => {
      const value = median(openings.map((opening) => opening[field]));
      return toFigure(`UI, ${name} of ${rows} calls: ${what}`, {
        gateway: '',
        value,
        format: formatMilliseconds,
        budget,
      });
    };
    figures.push(toOne('first contentful paint', 'firstPaintMs', UI_FIRST_PAINT_MS));
    figures.push(toOne('interactive', 'interactiveMs', UI_INTERACTIVE_MS));
  }
  return figures;
}

async function openOnce(ui: UiStage, hash: string): Promise<Opening> {
  const { page, close } = await ui.open();
  try {
    await page.addInitScript(NOTE_INTERACTIVE);
    await page.goto(`${ui.url}/ui/${hash}`);
    for (;;) {
      const opening = await page.evaluate<Opening | null>(READ_OPENING);
      if (opening !== null) return opening;
      await page.waitForTimeout(50);
    }
  } finally {
    await close();
  }
}

/**
 * Adds up the compressed scripts that the page asks for before anything is shown, and finds the largest of the others.
 */
export function measureBundle(): Figure[] {
  const html = readFileSync(new URL('index.html', ASSETS), 'utf8');
  const initial = new Set([...html.matchAll(/(?:src|href)="\.\/assets\/([^"]+\.js)"/g)].map(([, file]) => file ?? ''));
  const scripts = readdirSync(fileURLToPath(new URL('assets/', ASSETS))).filter((file) => file.endsWith('.js'));
  const sizeOf = (file: string): number => gzipSync(readFileSync(new URL(`assets/${file}`, ASSETS))).length;
  const lazy = scripts.filter((file) => !initial.has(file)).map(sizeOf);
  const toSize = (subject: string, value: number, budget: typeof UI_INITIAL_KB): Figure =>
    toFigure(subject, { gateway: '', value: value / 1024, format: formatKilobytes, budget });
  return [
    toSize(
      'UI: first JavaScript, gzipped',
      [...initial].reduce((sum, file) => sum + sizeOf(file), 0),
      UI_INITIAL_KB,
    ),
    toSize(`UI: the largest of ${lazy.length} scripts loaded later, gzipped`, Math.max(...lazy), UI_LAZY_KB),
  ];
}
