import type { AnyKey, Member, Model } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useRouter, useRouterState } from '@tanstack/react-router';
import { Bookmark, KeyRound, ListTree, type LucideIcon, Package, Plug, User, Waypoints } from 'lucide-react';
import type { ReactNode } from 'react';

import { allKeysQuery, membersQuery, modelsQuery, providersQuery } from '../../api/queries.ts';
import type { Provider } from '../../api/types.ts';
import { usePreferences } from '../../app/preferences.ts';
import { useOpenView } from '../../features/generations/search/use-open-view.ts';
import { toMemberName } from '../../features/members/member-link.tsx';
import { toModelParams } from '../../features/models/model-facts.ts';
import { isForRole, PLACES, toScreenName } from '../navigation.ts';
import { Group, Item, type Run } from './item.tsx';
import { paletteMessages } from './messages.ts';

/** Items of a kind: each is in the document. */
const MAX_THINGS = 300;
const MAX_RECENTS = 5;

/** The screens. */
export function ScreenCommands({ run }: { run: Run }) {
  const navigate = useNavigate();
  const t = paletteMessages();
  return (
    <Group heading={t.goTo}>
      {PLACES.filter(isForRole).map(({ path, name, icon, letter }) => (
        <Item
          key={path}
          id={`go ${path}`}
          names={[toScreenName(name), t.screenWords[name]]}
          icon={icon}
          keys={`g ${letter}`}
          onSelect={run(() => navigate({ to: path }))}
        />
      ))}
    </Group>
  );
}

/** Saved views of the generations. */
export function ViewCommands({ run }: { run: Run }) {
  const { views } = usePreferences();
  const openView = useOpenView();
  if (views.length === 0) return null;
  return (
    <Group heading={paletteMessages().views}>
      {views.map((view) => (
        <Item
          key={view.name}
          id={`view ${view.name}`}
          names={[view.name]}
          icon={Bookmark}
          onSelect={run(() => openView(view))}
        />
      ))}
    </Group>
  );
}

/** Things that have a page of their own. */
interface Things {
  readonly keys: readonly AnyKey[];
  readonly members: readonly Member[];
  readonly providers: readonly Provider[];
  readonly models: readonly Model[];
}

/** Loads them; the palette asks as it opens, so that they are there with the first letter. */
export function useThings(): Things {
  const { data: keys = [] } = useQuery(allKeysQuery);
  const { data: members = [] } = useQuery(membersQuery);
  const { data: providers = [] } = useQuery(providersQuery);
  const { data: models = [] } = useQuery(modelsQuery);
  return { keys, members, providers, models };
}

/** Keys, members, providers and models by name. */
export function ThingCommands({ run }: { run: Run }) {
  const navigate = useNavigate();
  const { keys, members, providers, models } = useThings();
  const { kinds } = paletteMessages();
  return (
    <>
      <ThingGroup name="keys" things={keys}>
        {({ hash, name, label }) => (
          <Item
            key={hash}
            id={`key ${hash}`}
            names={[name, kinds.key]}
            icon={KeyRound}
            {...(label !== name && { code: label })}
            onSelect={run(() => navigate({ to: '/keys/$hash', params: { hash } }))}
          />
        )}
      </ThingGroup>
      <ThingGroup name="members" things={members}>
        {(member) => (
          <Item
            key={member.id}
            id={`member ${member.id}`}
            names={[toMemberName(member), kinds.member, member.email]}
            icon={User}
            code={member.email}
            onSelect={run(() => navigate({ to: '/members/$id', params: { id: member.id } }))}
          />
        )}
      </ThingGroup>
      <ThingGroup name="providers" things={providers}>
        {({ slug, name }) => (
          <Item
            key={slug}
            id={`provider ${slug}`}
            names={[name, kinds.provider, slug]}
            icon={Plug}
            code={slug}
            onSelect={run(() => navigate({ to: '/providers/$slug', params: { slug } }))}
          />
        )}
      </ThingGroup>
      <ThingGroup name="models" things={models}>
        {({ id, name }) => (
          <Item
            key={id}
            id={`model ${id}`}
            names={[name, kinds.model, id]}
            icon={Package}
            code={id}
            onSelect={run(() => navigate({ to: '/models/$author/$', params: toModelParams(id) }))}
          />
        )}
      </ThingGroup>
    </>
  );
}

interface ThingGroupProps<Thing> {
  readonly name: 'keys' | 'members' | 'providers' | 'models';
  readonly things: readonly Thing[];
  readonly children: (thing: Thing) => ReactNode;
}

function ThingGroup<Thing>({ name, things, children }: ThingGroupProps<Thing>) {
  if (things.length === 0) return null;
  return <Group heading={toScreenName(name)}>{things.slice(0, MAX_THINGS).map(children)}</Group>;
}

/** The screens and things that were opened last, without the one that is shown. */
export function RecentCommands({ run }: { run: Run }) {
  const router = useRouter();
  const things = useThings();
  const { recents } = usePreferences();
  const current = useRouterState({ select: ({ location }) => location.pathname });
  const shown = recents.filter((path) => path !== current).flatMap((path) => toRecent(path, things) ?? []);
  if (shown.length === 0) return null;
  return (
    <Group heading={paletteMessages().recent}>
      {shown.slice(0, MAX_RECENTS).map(({ path, label, code, icon }) => (
        <Item
          key={path}
          id={`recent ${path}`}
          names={[label]}
          icon={icon}
          {...(code !== undefined && { code })}
          onSelect={run(() => router.history.push(path))}
        />
      ))}
    </Group>
  );
}

interface Recent {
  readonly path: string;
  readonly label: string;
  readonly code?: string;
  readonly icon: LucideIcon;
}

/** What a path shows, by its present name; undefined where that is not there any more. */
function toRecent(path: string, { keys, members, providers, models }: Things): Recent | undefined {
  const place = PLACES.find((candidate) => candidate.path === path);
  if (place !== undefined) return { path, label: toScreenName(place.name), icon: place.icon };
  const [, kind = '', ...rest] = path.split('/').map(decodePart);
  const id = rest.join('/');
  const t = paletteMessages();
  if (kind === 'generations' && rest[0] === 'sessions')
    return { path, label: t.session, code: rest.slice(1).join('/'), icon: Waypoints };
  if (kind === 'generations') return { path, label: t.generation, code: id, icon: ListTree };
  const named = (label: string | undefined, icon: LucideIcon, code?: string): Recent | undefined =>
    label === undefined ? undefined : { path, label, icon, ...(code !== undefined && { code }) };
  if (kind === 'keys') return named(keys.find(({ hash }) => hash === id)?.name, KeyRound);
  if (kind === 'providers') return named(providers.find(({ slug }) => slug === id)?.name, Plug, id);
  if (kind === 'models') return named(models.find((model) => model.id === id)?.name, Package, id);
  const member = kind === 'members' ? members.find((candidate) => candidate.id === id) : undefined;
  return member && named(toMemberName(member), User, member.email);
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
