import { useQuery } from '@tanstack/react-query';

import {
  allKeysQuery,
  guardrailsQuery,
  keyAssignmentsQuery,
  memberAssignmentsQuery,
  membersQuery,
} from '../../api/queries.ts';
import type { Subjects } from '../../features/guardrails/guardrail-changes.ts';
import { toKeyEnd } from '../../features/keys/key-parts.tsx';
import { toMemberName } from '../../features/members/member-link.tsx';
import { Field } from '../../parts/controls/field.tsx';
import type { SelectOption } from '../../parts/controls/multi-select-options.ts';
import { MultiSelect } from '../../parts/controls/multi-select.tsx';
import { guardrailsMessages } from './messages.ts';

interface SubjectPickerProps {
  readonly subjects: Subjects;
  readonly options: readonly SelectOption[];
  readonly chosen: readonly string[];
  readonly onChange: (ids: readonly string[]) => void;
  readonly hint?: string | undefined;
}

/** Chooses what a guardrail is assigned to. */
export function SubjectPicker({ subjects, options, chosen, onChange, hint }: SubjectPickerProps) {
  const t = guardrailsMessages().assigned;
  return (
    <Field label={t[subjects]} hint={hint}>
      {(control) => (
        <MultiSelect
          control={control}
          noun={t[subjects]}
          options={options}
          chosen={chosen}
          onChange={onChange}
          placeholder={subjects === 'keys' ? t.noKey : t.noMember}
          unknownNote={t.deleted}
        />
      )}
    </Field>
  );
}

/** Keys that call models and members, each with its present guardrail. */
export function useSubjects(guardrailId: string | undefined) {
  const t = guardrailsMessages().assigned;
  const keys = useQuery(allKeysQuery);
  const members = useQuery(membersQuery);
  const guardrails = useQuery(guardrailsQuery);
  const ofKeys = useQuery(keyAssignmentsQuery);
  const ofMembers = useQuery(memberAssignmentsQuery);
  const queries = [keys, members, guardrails, ofKeys, ofMembers];
  const failed = queries.filter(({ error }) => error !== null);
  const owners = new Map<string, string>([
    ...(ofKeys.data ?? []).map(({ key_hash: id, guardrail_id: of }) => [`keys ${id}`, of] as const),
    ...(ofMembers.data ?? []).map(({ user_id: id, guardrail_id: of }) => [`members ${id}`, of] as const),
  ]);
  const nameOf = (owner: string): string => guardrails.data?.find(({ id }) => id === owner)?.name ?? t.another;
  const noteOf = (subject: string, note: string): string => {
    const owner = owners.get(subject);
    if (owner === undefined || owner === guardrailId) return note;
    return `${note === '' ? '' : `${note} · `}${t.now(nameOf(owner))}`;
  };
  const options: Readonly<Record<Subjects, readonly SelectOption[]>> = {
    keys: (keys.data ?? [])
      // Those of the configuration cannot be assigned.
      .filter(({ management, source }) => !management && source === 'stored')
      .map(({ hash, name, label }) => ({
        value: hash,
        label: name,
        note: noteOf(`keys ${hash}`, toKeyEnd({ label, source: 'stored' })),
        words: label,
      })),
    members: (members.data ?? []).map((member) => ({
      value: member.id,
      label: toMemberName(member),
      note: noteOf(`members ${member.id}`, member.email),
      words: `${member.id} ${member.email}`,
    })),
  };
  const assigned = (subjects: Subjects): readonly string[] =>
    [...owners].flatMap(([subject, owner]) =>
      owner === guardrailId && subject.startsWith(`${subjects} `) ? [subject.slice(subjects.length + 1)] : [],
    );
  return {
    options,
    /** The guardrail of each, by kind and id. */
    owners,
    /** The name of a guardrail. */
    nameOf,
    assigned,
    /** Of all that is asked for: whether it is there, why not, and to ask again for what is not. */
    loading: {
      data: queries.some(({ data }) => data === undefined) ? undefined : true,
      error: failed[0]?.error ?? null,
      errorUpdatedAt: Math.max(...queries.map(({ errorUpdatedAt }) => errorUpdatedAt)),
      refetch: () => Promise.all(failed.map(({ refetch }) => refetch())),
    },
  };
}
