import type { Prompt, PromptHead, PromptVersion } from '@model-gateway/core/wire';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';

import { callApi } from '../../../api/call-api.ts';
import { queryClient } from '../../../api/query-client.ts';
import type { Page } from '../../../api/types.ts';
import type { PromptContents } from './prompt-draft.ts';

const PATH = '/admin/v1/prompts';
const KEY = ['prompts'];
/** More than anybody looks through: the search narrows them down. */
const MAX_LISTED = 100;

const pathOf = (id: string): string => `${PATH}/${encodeURIComponent(id)}`;

/** The prompts with these words, the last changed first. */
export const promptsQuery = (words: string) =>
  queryOptions({
    queryKey: [...KEY, 'list', words],
    staleTime: 0,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => callApi<Page<PromptHead>>(PATH, { query: { q: words, limit: MAX_LISTED }, signal }),
  });

/** A prompt with all its versions. */
export const promptQuery = (id: string) =>
  queryOptions({
    queryKey: [...KEY, 'one', id],
    staleTime: 0,
    queryFn: async ({ signal }) => (await callApi<{ data: Prompt }>(pathOf(id), { signal })).data,
  });

const refresh = (): Promise<void> => queryClient.invalidateQueries({ queryKey: KEY });

type NewVersion = PromptContents & { readonly note: string | null };

export async function createPrompt(
  body: NewVersion & { readonly name: string; readonly description: string | null },
): Promise<Prompt> {
  const { data } = await callApi<{ data: Prompt }>(PATH, { method: 'POST', body });
  await refresh();
  return data;
}

export async function addVersion(
  id: string,
  body: NewVersion & { readonly make_current: boolean },
): Promise<PromptVersion> {
  const { data } = await callApi<{ data: PromptVersion }>(`${pathOf(id)}/versions`, { method: 'POST', body });
  await refresh();
  return data;
}

export async function changePrompt(
  id: string,
  body: Partial<Pick<Prompt, 'name' | 'description' | 'current_version'>>,
): Promise<void> {
  await callApi(pathOf(id), { method: 'PATCH', body });
  await refresh();
}

export async function deletePrompt(id: string): Promise<void> {
  await callApi(pathOf(id), { method: 'DELETE' });
  // What is gone must not be asked for again by who still shows it.
  queryClient.removeQueries({ queryKey: promptQuery(id).queryKey });
  await refresh();
}
