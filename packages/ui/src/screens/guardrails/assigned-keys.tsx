import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';

import { callApi } from '../../api/call-api.ts';
import { keyAssignmentsQuery, keysQuery } from '../../api/queries.ts';
import { Checkbox } from '../../parts/controls/field.tsx';
import { ErrorPanel } from '../../parts/messages/error-panel.tsx';
import { EmptyState, Loading } from '../../parts/messages/states.tsx';

/** Whom the guardrail holds for. A key has one at most; taking it here takes it from another. */
export function AssignedKeys({ guardrailId }: { guardrailId: string }) {
  const client = useQueryClient();
  const { data: keys, error } = useQuery(keysQuery);
  const { data: assignments = [] } = useQuery(keyAssignmentsQuery);
  const assign = useMutation({
    mutationFn: ({ hash, isAssigned }: { hash: string; isAssigned: boolean }) =>
      callApi(`/api/v1/guardrails/${guardrailId}/assignments/keys${isAssigned ? '' : '/remove'}`, {
        method: 'POST',
        body: { key_hashes: [hash] },
      }),
    onSettled: () => client.invalidateQueries({ queryKey: keyAssignmentsQuery.queryKey }),
  });
  const failure = error ?? assign.error;
  if (keys === undefined && error === null) return <Loading what="keys" />;
  const callers = (keys ?? []).filter(({ management }) => !management);
  if (callers.length === 0 && failure === null)
    return <EmptyState title="There is no key to assign it to">Make one under Keys.</EmptyState>;
  return (
    <div className="scroll-thin flex h-full flex-col gap-2 overflow-y-auto p-4">
      {failure !== null && <ErrorPanel error={failure} />}
      {callers.map(({ hash, name, label }) => {
        const owner = assignments.find(({ key_hash: key }) => key === hash)?.guardrail_id;
        return (
          <Checkbox
            key={hash}
            label={name}
            hint={owner !== undefined && owner !== guardrailId ? `${label} · has another guardrail now` : label}
            checked={owner === guardrailId}
            disabled={assign.isPending}
            onChange={(event) => assign.mutate({ hash, isAssigned: event.target.checked })}
          />
        );
      })}
    </div>
  );
}
