import { createStore, useStore } from 'zustand';

import { LANGUAGES, type Language } from '../messages/languages.ts';
import { getLocale, type Locale, setLocale } from '../messages/locale.ts';

/** Display preferences that this browser stores. Never holds anything secret. */
export interface Preferences {
  readonly theme: 'system' | 'dark' | 'light';
  readonly language: Language | 'system';
  /** The zone of all times, and of what "today" means. */
  readonly zone: Locale['zone'];
  readonly density: 'comfortable' | 'compact';
  /** Shortcuts of a single letter; some people's input devices send letters unasked (WCAG 2.1.4). */
  readonly singleKeys: boolean;
  readonly isRailCollapsed: boolean;
  /** Whether the first-run steps were finished or skipped. */
  readonly isIntroduced: boolean;
  /** Columns of the generations that are not shown; null for those that suit the width of the window. */
  readonly hiddenColumns: readonly string[] | null;
  /** Columns of the generations in the user's order; those that it lacks stand where they stand by default. */
  readonly columnOrder: readonly string[];
  /** Widths of columns of the generations in pixels, as far as the user has chosen them. */
  readonly columnWidths: Readonly<Record<string, number>>;
  /** A copy of those that the gateway keeps. */
  readonly views: readonly SavedView[];
  /** Whether views of the time when this browser alone kept them have been moved to the gateway. */
  readonly areViewsMoved: boolean;
  /** Ids of generations. */
  readonly pins: readonly string[];
  /** Paths of the screens and things opened last, the latest first. */
  readonly recents: readonly string[];
  /** Changes of the catalog that are not told of any more, as they were found. */
  readonly dismissedUpdates: readonly string[];
}

/** A way to look at the generations. Its name identifies it. */
export interface SavedView {
  readonly name: string;
  /** Search parameters as in the address. */
  readonly search: Readonly<Record<string, string>>;
  readonly hiddenColumns: readonly string[] | null;
}

const STORAGE_KEY = 'model-gateway.preferences';
const DEFAULTS: Preferences = {
  theme: 'system',
  language: 'system',
  zone: 'local',
  density: 'comfortable',
  singleKeys: true,
  isRailCollapsed: false,
  isIntroduced: false,
  hiddenColumns: null,
  columnOrder: [],
  columnWidths: {},
  views: [],
  areViewsMoved: false,
  pins: [],
  recents: [],
  dismissedUpdates: [],
};

/** What was hidden by default, and was stored with every other preference: whoever has this has chosen nothing. */
const FORMERLY_HIDDEN = 'finish,duration,speed,key,origin,user';

const store = createStore<Preferences>(read);

export const getPreferences = store.getState;

export const usePreferences = (): Preferences => useStore(store);

export function setPreferences(change: Partial<Preferences>): void {
  store.setState(change);
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(store.getState()));
  } catch {
    // Full, or forbidden: then they hold for as long as the page does.
  }
}

store.subscribe(applyPreferences);

// Another tab has changed them: what it has saved or pinned would be lost with the next change here.
globalThis.addEventListener?.('storage', ({ key }) => {
  if (key === STORAGE_KEY) store.setState(read(), true);
});

/** What the system speaks, the first before the others. */
let systemLanguages: readonly string[] = globalThis.navigator?.languages ?? [];

/** Takes the word of the app around this page for it. */
export function setSystemLanguages(languages: readonly string[]): void {
  if (languages.join() === systemLanguages.join()) return;
  systemLanguages = languages;
  store.setState({});
}

const prefersDark = globalThis.matchMedia?.('(prefers-color-scheme: dark)');
prefersDark?.addEventListener('change', () => setPreferences({}));

/** Whether the page is dark now, by the system's setting or the user's choice. */
const isDark = ({ theme }: Preferences = store.getState()): boolean =>
  theme === 'dark' || (theme === 'system' && prefersDark?.matches === true);

export const useIsDark = (): boolean => useStore(store, isDark);

/** Puts theme and language on the document. Called once before the first paint, and by every change. */
export function applyPreferences(): void {
  const { language, zone } = store.getState();
  setLocale(language, zone, systemLanguages);
  document.documentElement.dataset['theme'] = isDark() ? 'dark' : 'light';
  document.documentElement.lang = getLocale().language;
}

/** Identifies how texts and times are written. What shows them is made anew when it changes. */
export function useLocaleKey(): string {
  usePreferences();
  const { language, zone } = getLocale();
  return `${language} ${zone}`;
}

function read(): Preferences {
  try {
    const kept = JSON.parse(globalThis.localStorage?.getItem(STORAGE_KEY) ?? '{}') as Partial<Preferences>;
    const hiddenColumns = String(kept.hiddenColumns) === FORMERLY_HIDDEN ? null : (kept.hiddenColumns ?? null);
    const read = { ...DEFAULTS, ...kept, hiddenColumns };
    const { columnOrder, views, pins, recents, dismissedUpdates } = read;
    const areLists = [hiddenColumns ?? [], columnOrder, views, pins, recents, dismissedUpdates].every(Array.isArray);
    const { language, zone } = read;
    const isLanguage = language === 'system' || LANGUAGES.includes(language);
    return areLists && isLanguage && (zone === 'local' || zone === 'utc') ? read : DEFAULTS;
  } catch {
    return DEFAULTS;
  }
}
