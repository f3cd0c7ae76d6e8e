import type { GenerationRepository } from '@model-gateway/core';

import type { Room, RoomParts } from '../room.ts';

/** The generations of a store. */
export interface GenerationsRoom extends Room {
  readonly repository: GenerationRepository;
}

/** Makes the generations of a store; nothing is read or written before `start`. */
export function openGenerations(_parts: RoomParts): GenerationsRoom {
  const refuse = (): never => {
    throw new Error('This store has no generations yet');
  };
  return {
    repository: {
      append: refuse,
      update: refuse,
      get: refuse,
      getContent: refuse,
      getPreview: refuse,
      deleteContent: refuse,
      page: refuse,
      sorted: refuse,
      sessions: refuse,
      histogram: refuse,
      scan: refuse,
      facets: refuse,
      activity: refuse,
      count: refuse,
      spentNanoUsd: refuse,
      spent: refuse,
    },
  };
}
