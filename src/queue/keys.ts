import { fail, ok, type Result } from '../lib/result.ts';
import { ownerFault } from '../model/owner.ts';
import type { QueueError } from './queue-error.ts';

/** BullMQ's name for our one queue; its keys are `PREFIX:units:...`. */
export const QUEUE_NAME = 'units';

/**
 * The start of all keys of one installation. The braces are a hash tag: in a Redis Cluster all keys lie on one node, as
 * BullMQ's scripts need. Errors: BAD_OWNER.
 */
export function keyPrefix(owner: string): Result<string, QueueError> {
  const fault = ownerFault(owner);
  if (fault === undefined) return ok(`{ovn-gitops:${owner}}`);
  return fail({
    code: 'BAD_OWNER',
    message: `the owner ${JSON.stringify(owner)} ${fault}.`,
    hint: 'Use 1 to 63 letters, digits, dots, dashes and underscores.',
  });
}
