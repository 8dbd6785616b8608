import type { Result } from '../../lib/result.ts';
import { fail, ok } from '../../lib/result.ts';
import { EMPTY_LIVE } from '../../model/live.ts';
import type { Plan } from '../../model/plan.ts';
import { compareText } from '../../lib/order.ts';
import { diff } from '../../plan/diff.ts';
import { liveFromState } from '../../plan/live-from-state.ts';
import { planFingerprint, printPlans } from '../../plan/print.ts';
import type { DesiredRevision } from '../../reconcile/desired-revisions.ts';
import { isOpen, planUnits } from '../../reconcile/plan-units.ts';
import type { Command, CommandInput } from '../command.ts';
import { FORMAT_OPTION } from '../command.ts';
import { desiredFromPath } from '../desired-from-path.ts';
import { type Fault, printFault } from '../fault.ts';
import { NB_OPTIONS, openFromInput } from '../nb-options.ts';
import type { CliParts } from '../parts.ts';

/** `ovn-gitops plan PATH` */
export const PLAN: Command = {
  name: 'plan',
  summary: 'Show what would change in the Northbound, row by row.',
  positionals: ['PATH'],
  options: {
    ...NB_OPTIONS,
    empty: { description: 'compare with an empty Northbound' },
    base: { placeholder: 'REV', description: 'compare with what this commit stands for, without a server' },
    head: { placeholder: 'REV', description: 'plan this commit instead of the files as they lie there' },
    format: FORMAT_OPTION,
  },
  exitCodes: ['0  nothing to do', '2  there are changes', '1  an error; nothing was compared'],
  async run(input, parts) {
    const format = input.required('format');
    const path = input.positionals[0] ?? '.';
    const head = await desiredFromPath(parts, path, input.text('head'));
    if (!head.ok) {
      printFault(parts, head.error, format);
      return 1;
    }
    const plans = await plansAgainst(input, parts, path, head.value);
    if (!plans.ok) {
      printFault(parts, plans.error, format);
      return 1;
    }
    const open = plans.value.filter((plan) => isOpen(plan) || plan.reported.length > 0);
    parts.out(
      format === 'json'
        ? `${planJson(open)}\n`
        : printPlans(open, head.value.repository.limits?.transactionOperations),
    );
    return open.some(isOpen) ? 2 : 0;
  },
};

async function plansAgainst(
  input: CommandInput,
  parts: CliParts,
  path: string,
  head: DesiredRevision,
): Promise<Result<readonly Plan[], Fault>> {
  const owner = input.required('owner');
  const base = input.text('base');
  // An endpoint in the environment stands back; one on the command line contradicts.
  if (['empty', 'base', 'nb'].filter((name) => input.isGiven(name)).length > 1)
    return fail({ message: 'choose one of --nb, --base and --empty' });
  if (input.isSet('empty')) return ok(plansOffline(head, undefined, owner));
  if (base !== undefined) {
    const from = await desiredFromPath(parts, path, base);
    return from.ok ? ok(plansOffline(head, from.value, owner)) : from;
  }
  if (input.text('nb') === undefined) {
    return fail({ message: 'say what to compare with: --nb ENDPOINT, --base REV or --empty' });
  }
  const opened = await openFromInput(input, parts);
  if (!opened.ok) return fail({ message: opened.error });
  try {
    return ok(planUnits(head.desired, opened.value, owner, head.policy, true));
  } finally {
    await opened.value.close();
  }
}

function plansOffline(
  head: DesiredRevision,
  base: DesiredRevision | undefined,
  owner: string,
): readonly Plan[] {
  const live = base === undefined ? EMPTY_LIVE : liveFromState(base.desired.state, owner);
  const units = new Set([...head.desired.units, ...(base?.desired.units ?? [])]);
  return [...units].toSorted(compareText).map((unit) =>
    diff({
      desired: head.desired,
      live,
      unit,
      owner,
      settled: false,
      policy: head.policy,
      isPreview: true,
    }),
  );
}

function planJson(plans: readonly Plan[]): string {
  return JSON.stringify({ fingerprint: planFingerprint(plans), plans }, undefined, 2);
}
