import type { Guardrail } from '@model-gateway/core/wire';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';

import { assign, createGuardrail, refreshGuardrails } from '../../features/guardrails/guardrail-changes.ts';
import { Button } from '../../parts/controls/button.tsx';
import { LabelledSelect } from '../../parts/controls/labelled.tsx';
import { showFailure, showToast } from '../../parts/messages/toast-store.ts';
import { membersMessages } from './messages.ts';

interface MemberGuardrailProps {
  readonly id: string;
  /** What people call the member. */
  readonly name: string;
  readonly guardrails: readonly Guardrail[];
  /** Id of the guardrail that the member has. */
  readonly assigned: string | undefined;
}

/** Chooses the guardrail of a member, at most one, or makes one for them and opens it. */
export function MemberGuardrail({ id, name, guardrails, assigned }: MemberGuardrailProps) {
  const t = membersMessages().page;
  const client = useQueryClient();
  const navigate = useNavigate();
  const onError = (error: unknown): void => showFailure(t.notAssigned, error);
  const choose = useMutation({
    mutationFn: async (guardrailId: string) => {
      if (guardrailId === '') await assign({ guardrailId: assigned ?? '', subjects: 'members' }, [id], false);
      else await assign({ guardrailId, subjects: 'members' }, [id], true);
      await refreshGuardrails(client);
      const chosen = guardrails.find((guardrail) => guardrail.id === guardrailId);
      showToast({ tone: 'good', title: chosen === undefined ? t.unassigned : t.assigned(chosen.name) });
    },
    onError,
  });
  const create = useMutation({
    mutationFn: async () => {
      const created = await createGuardrail({ name: t.nameOfNew(name) });
      await assign({ guardrailId: created.id, subjects: 'members' }, [id], true);
      await refreshGuardrails(client);
      await navigate({ to: '/guardrails', search: { open: created.id } });
    },
    onError,
  });
  return (
    <div className="mt-3 flex flex-wrap items-end gap-3">
      <LabelledSelect
        label={t.chooseGuardrail}
        value={assigned ?? ''}
        options={[['', t.none], ...guardrails.map((guardrail) => [guardrail.id, guardrail.name] as const)]}
        onChange={(next) => choose.mutate(next)}
      />
      <Button icon={<Plus size={15} />} isBusy={create.isPending} onClick={() => create.mutate()}>
        {t.newGuardrail}
      </Button>
    </div>
  );
}
