import { toKeptDays } from '../stores/kept-days.ts';
import { listPartsOf, listReruns, type RerunRepository, updateRerun } from '../stores/reruns.ts';
import type { Store } from '../stores/store.ts';

/** So many rows are removed at once. */
const REMOVED_AT_ONCE = 200;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Removes a rerun with its items and uploads; false for an unknown one. Its generations stay: they account for money. */
export async function removeRerun(id: string, reruns: RerunRepository): Promise<boolean> {
  await removeRows(await listPartsOf(id, reruns), reruns);
  // Last, so that nothing is left behind if the process dies meanwhile.
  return reruns.remove(id);
}

/**
 * Fails reruns whose process died while it wrote their items, because they have only some of them: those created by then,
 * or with null all that are being created.
 */
export async function failUnfinished({ reruns }: Pick<Store, 'reruns'>, createdBy: number | null): Promise<void> {
  for (const { id, state, createdAt } of await listReruns(reruns)) {
    if (state !== 'estimating' || (createdBy !== null && Date.parse(createdAt) > createdBy)) continue;
    const reason = 'The gateway stopped while the rerun was created; create it again';
    await updateRerun(id, reruns, (latest) =>
      latest.state === 'estimating' ? { ...latest, state: 'failed', reason } : latest,
    );
  }
}

/**
 * Drops what retention no longer keeps: reruns that are as old as the oldest records, and uploaded requests that are as
 * old as the oldest contents. One that is running or being created stays until it has ended. Does nothing at a store
 * without retention, and while that is held because of a wrong clock.
 */
export async function dropAgedReruns({
  reruns,
  retention,
  settings,
}: Pick<Store, 'reruns' | 'retention' | 'settings'>): Promise<void> {
  const configuredDays = retention?.changes?.configuredDays;
  if (retention === undefined || configuredDays === undefined || retention.isHeld()) return;
  const { days, contentDays } = toKeptDays(settings.get(), configuredDays);
  const now = retention.now();
  for (const { id, state, createdAt } of await listReruns(reruns)) {
    const ageDays = (now - Date.parse(createdAt)) / DAY_MS;
    if (state === 'running' || state === 'estimating' || ageDays < contentDays) continue;
    if (ageDays >= days) await removeRerun(id, reruns);
    else await removeUploads(id, reruns);
  }
}

async function removeUploads(id: string, reruns: RerunRepository): Promise<void> {
  await removeRows(
    (await listPartsOf(id, reruns)).filter(({ kind }) => kind === 'upload'),
    reruns,
  );
}

async function removeRows(rows: readonly { readonly id: string }[], reruns: RerunRepository): Promise<void> {
  for (let at = 0; at < rows.length; at += REMOVED_AT_ONCE) {
    await Promise.all(rows.slice(at, at + REMOVED_AT_ONCE).map(({ id }) => reruns.remove(id)));
  }
}
