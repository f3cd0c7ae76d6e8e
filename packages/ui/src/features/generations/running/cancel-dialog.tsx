import type { RunningCallRow } from '@model-gateway/core/wire';
import { useQueryClient } from '@tanstack/react-query';

import { ApiError } from '../../../api/api-error.ts';
import { callApi } from '../../../api/call-api.ts';
import { formatUsd } from '../../../format/money.ts';
import { formatDuration } from '../../../format/quantity.ts';
import { ConfirmDialog } from '../../../parts/dialogs/dialog.tsx';
import { showToast } from '../../../parts/messages/toast-store.ts';
import { showControls } from '../../../parts/text/show-controls.ts';
import { runningQuery } from './running-query.ts';

/** Asks before a call under way is ended. The call goes on meanwhile, and may be over before the reply. */
export function CancelDialog({ call, onClose }: { call: RunningCallRow; onClose: () => void }) {
  const client = useQueryClient();
  const cancel = async (): Promise<void> => {
    try {
      await callApi(`/admin/v1/generations/${encodeURIComponent(call.id)}/cancel`, { method: 'POST' });
      showToast({ tone: 'good', title: 'The call was cancelled' });
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 409)) throw error;
      showToast({ tone: 'neutral', title: 'The call had ended already' });
    }
    await client.invalidateQueries({ queryKey: runningQuery.queryKey });
  };
  return (
    <ConfirmDialog
      title="Cancel this call?"
      action="Cancel the call"
      dismiss="Let it go on"
      onConfirm={cancel}
      onClose={onClose}
    >
      <p>
        <span className="font-medium">{showControls(call.model)}</span>
        {call.provider_name !== null && ` via ${showControls(call.provider_name)}`}, running for{' '}
        {formatDuration(call.elapsed_ms)}
        {call.cost !== null && `, about ${formatUsd(call.cost)} so far`}.
      </p>
      <p>
        Its client gets an error that says so, and the connection to the provider is closed. What it has cost so far is
        recorded.
      </p>
    </ConfirmDialog>
  );
}
