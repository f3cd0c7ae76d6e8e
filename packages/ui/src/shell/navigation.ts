import {
  Archive,
  Cable,
  ChartColumn,
  Files,
  KeyRound,
  Layers,
  ListTree,
  type LucideIcon,
  MessagesSquare,
  Package,
  Plug,
  Repeat2,
  ScrollText,
  Send,
  Settings,
  ShieldCheck,
  Users,
  Video,
  Waypoints,
} from 'lucide-react';

import { may } from '../api/session.ts';
import { shellMessages } from './messages.ts';

export type ScreenName = keyof ReturnType<typeof shellMessages>['screens'];

/** A screen in the navigation. Its shortcuts are `g` and the letter, and Ctrl or Cmd with the digit, if it has one. */
export interface Place {
  readonly path:
    | '/'
    | '/members'
    | '/audit'
    | '/models'
    | '/generations'
    | '/generations/sessions'
    | '/playground'
    | '/videos'
    | '/batches'
    | '/files'
    | '/guardrails'
    | '/keys'
    | '/connect'
    | '/destinations'
    | '/providers'
    | '/fixtures'
    | '/reruns'
    | '/settings';
  readonly name: ScreenName;
  readonly letter: string;
  readonly digit?: string;
  readonly icon: LucideIcon;
}

/** The screens by what they are for, in the order of the navigation. */
export const PLACE_GROUPS = [
  {
    name: 'observe',
    places: [
      { path: '/', name: 'overview', letter: 'o', digit: '1', icon: ChartColumn },
      { path: '/generations', name: 'generations', letter: 'e', digit: '3', icon: ListTree },
      { path: '/generations/sessions', name: 'sessions', letter: 'i', icon: Waypoints },
    ],
  },
  {
    name: 'build',
    places: [
      { path: '/playground', name: 'playground', letter: 'p', digit: '4', icon: MessagesSquare },
      { path: '/videos', name: 'videos', letter: 'v', digit: '5', icon: Video },
      { path: '/batches', name: 'batches', letter: 'a', icon: Layers },
      { path: '/files', name: 'files', letter: 'l', icon: Files },
      { path: '/fixtures', name: 'fixtures', letter: 'f', icon: Archive },
      { path: '/reruns', name: 'reruns', letter: 'n', icon: Repeat2 },
    ],
  },
  {
    name: 'control',
    places: [
      { path: '/keys', name: 'keys', letter: 'k', digit: '7', icon: KeyRound },
      { path: '/guardrails', name: 'guardrails', letter: 'u', digit: '6', icon: ShieldCheck },
      { path: '/members', name: 'members', letter: 'b', icon: Users },
      { path: '/audit', name: 'audit', letter: 't', icon: ScrollText },
    ],
  },
  {
    name: 'connect',
    places: [
      { path: '/providers', name: 'providers', letter: 'r', digit: '9', icon: Plug },
      { path: '/models', name: 'models', letter: 'm', digit: '2', icon: Package },
      { path: '/connect', name: 'connect', letter: 'c', icon: Cable },
      { path: '/destinations', name: 'destinations', letter: 'd', digit: '8', icon: Send },
    ],
  },
] as const satisfies readonly {
  readonly name: keyof ReturnType<typeof shellMessages>['groups'];
  readonly places: readonly Place[];
}[];

/** The operation without which a screen has nothing to show; the others are for every role. */
const NEEDS: Readonly<Partial<Record<ScreenName, string>>> = {
  generations: 'listGenerations',
  sessions: 'listGenerationSessions',
  // Calls are made by a key.
  playground: 'createKey',
  videos: 'listVideos',
  batches: 'listAllBatches',
  files: 'listAllFiles',
  fixtures: 'listFixtureCases',
  reruns: 'listReruns',
  guardrails: 'listGuardrails',
  members: 'listMembers',
  audit: 'listAudit',
  providers: 'listProviderStates',
  connect: 'createKey',
  destinations: 'listDestinations',
};

/** Whether the role of those who are signed in has a use for a screen. */
export function isForRole({ name }: Pick<Place, 'name'>): boolean {
  const operation = NEEDS[name];
  return operation === undefined || may(operation);
}

export const SETTINGS: Place = { path: '/settings', name: 'settings', letter: 's', digit: '0', icon: Settings };

export const PLACES: readonly Place[] = [...PLACE_GROUPS.flatMap(({ places }): readonly Place[] => places), SETTINGS];

/** Those that a narrow window has room for, used most. */
export const MAIN_PLACES: readonly Place[] = (['overview', 'generations', 'playground', 'keys', 'models'] as const)
  .map((name) => PLACES.find((place) => place.name === name))
  .filter((place) => place !== undefined);

/** The screen that an address is of: the deepest one above it. */
export const findPlace = (pathname: string): Place | undefined =>
  PLACES.filter(({ path }) => path === pathname || (path !== '/' && pathname.startsWith(`${path}/`))).toSorted(
    (one, other) => other.path.length - one.path.length,
  )[0];

/** The name of a screen in the present language. */
export const toScreenName = (name: ScreenName): string => shellMessages().screens[name];
