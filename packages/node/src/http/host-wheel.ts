import { createTimerWheel } from '@model-gateway/core';

import { createNodePlatform } from '../node-platform.ts';

/** The timer wheel for the time limits on clients, shared by all hosts in the process. */
export const hostWheel = createTimerWheel(createNodePlatform());
