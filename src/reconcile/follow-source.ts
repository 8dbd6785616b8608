import { MAX_SEQUENCE, parseAccepted } from '../model/fence.ts';
import { reached } from '../model/fault-point.ts';
import type { Plan } from '../model/plan.ts';
import type { AcceptedRevision } from '../model/revision.ts';
import type { SourceStatus } from '../model/status.ts';
import { printDiagnostics } from '../spec/print.ts';
import { addressHold, deletionHold, historyHold, type Hold } from './acceptance.ts';
import type { DesiredRevision, DesiredRevisions, RevisionFault } from './desired-revisions.ts';
import type { Northbound } from './northbound.ts';
import type { NorthdPace } from './northd-pace.ts';
import { isOpen, planUnits } from './plan-units.ts';
import { acceptedRevision, acceptedText, acceptRevision } from './revision-record.ts';
import type { RevisionSource, SourceRevision } from './revision-source.ts';
import type { StatusStore } from './status-store.ts';
import type { UnitJob, UnitQueue } from './unit-queue.ts';

/** The parts that following a source needs. */
export interface SourceFollower {
  readonly owner: string;
  /** The repository's address without credentials, for people. */
  readonly url: string;
  readonly source: RevisionSource;
  readonly northbound: Northbound;
  readonly revisions: DesiredRevisions;
  readonly queue: UnitQueue;
  readonly store: StatusStore;
  readonly pace: NorthdPace;
  readonly clock: () => number;
  readonly log: (event: string, fields: Readonly<Record<string, unknown>>) => void;
}

/** What looking at the source led to. */
export type FollowOutcome = 'accepted' | 'unchanged' | 'held' | 'invalid' | 'unreadable' | 'unavailable';

/** What a follower knows from its earlier looks; another process or another life may have done something else. */
export interface FollowMemory {
  /** The record of the revision for which units were rung last. */
  rungFor: string | undefined;
}

/**
 * Looks at the source once: fetches, validates, and puts a new revision in force when nothing speaks against it. In
 * every other case the accepted revision stays in force, and is put in force again when the Northbound has lost it; the
 * status says why.
 */
export async function followSource(
  parts: SourceFollower,
  memory: FollowMemory,
  signal: AbortSignal,
): Promise<FollowOutcome> {
  const outcome = await lookAtTip(parts, signal);
  if (parts.northbound.isLive) await tendRevision(parts, memory, outcome, signal);
  return outcome;
}

async function lookAtTip(parts: SourceFollower, signal: AbortSignal, mayWait = true): Promise<FollowOutcome> {
  const { source, northbound, revisions } = parts;
  const fetched = await source.fetch(signal);
  if (!fetched.ok) {
    const { code, message, hint, kind } = fetched.error;
    const condition = kind === 'permanent' ? 'Stalled' : 'Reconciling';
    await report(parts, { condition, reason: code, message: `${message}; ${hint}` }, undefined);
    return 'unreadable';
  }
  const tip = fetched.value;
  reached('tip fetched');
  if (!northbound.isLive) return unavailable(parts, tip, 'the Northbound is away');
  const previous = acceptedText(northbound, parts.owner);
  const accepted = parseAccepted(previous);
  const read = await revisions.at(tip.commit, signal);
  if (!read.ok) return refuse(parts, tip, read.error);
  if (accepted?.commit === tip.commit) return keep(parts, accepted, read.value);
  const plans = planUnits(read.value.desired, northbound, parts.owner, read.value.policy);
  reached('revision planned');
  const hold = await holdOf(parts, await knownRevision(parts, previous, signal), read.value, plans);
  if (hold !== undefined) {
    await report(
      parts,
      { condition: 'Stalled', ...hold, message: `${hold.message}; ${allowHint(tip)}` },
      tip,
    );
    return 'held';
  }
  if (mayWait && accepted !== undefined && parts.pace.isBusy) {
    const message =
      'ovn-northd is translating earlier changes; what arrives meanwhile is put in force as one';
    await report(parts, { condition: 'Reconciling', reason: 'Gathering', message }, tip);
    await parts.pace.quiet(signal);
    // Another revision may be the tip by now, and other rows in the database.
    return lookAtTip(parts, signal, false);
  }
  return accept(parts, previous, read.value, signal);
}

/**
 * Sees to the revision in force, whatever became of the tip. Where NB has lost its record while the tip can't be used,
 * the newest revision that was ever accepted is put in force again. Units are rung for once for each record: also for
 * one whose acceptance we only learn of afterwards, because the reply was lost or another controller wrote it.
 */
async function tendRevision(
  parts: SourceFollower,
  memory: FollowMemory,
  outcome: FollowOutcome,
  signal: AbortSignal,
): Promise<void> {
  const { northbound, source, owner } = parts;
  let text = acceptedText(northbound, owner);
  if (await isRecordLost(parts, text, outcome, signal)) {
    const newest = (await source.accepted()).at(-1);
    if (newest === undefined) return;
    const next = { sequence: await nextSequence(parts, undefined), commit: newest.commit };
    await acceptRevision(northbound, owner, next, text, signal);
    reached('lost acceptance restored');
    parts.log('last good revision restored', { ...next });
    text = acceptedText(northbound, owner);
  }
  const accepted = parseAccepted(text);
  if (accepted === undefined || text === memory.rungFor) return;
  const read = await parts.revisions.at(accepted.commit, signal);
  if (!read.ok) return;
  const open = await ringOpenUnits(parts, read.value, memory.rungFor === undefined ? 'resume' : 'revision');
  memory.rungFor = text;
  parts.log('units rung for', { ...accepted, open });
}

/**
 * True when the tip can't be used and the record names no revision either. While Git can't be asked, a record that can be
 * read is believed: another controller may know the commit.
 */
async function isRecordLost(
  parts: SourceFollower,
  text: string | undefined,
  outcome: FollowOutcome,
  signal: AbortSignal,
): Promise<boolean> {
  if (outcome !== 'invalid' && outcome !== 'held' && outcome !== 'unreadable') return false;
  const accepted = parseAccepted(text);
  if (accepted === undefined || outcome === 'unreadable') return accepted === undefined;
  return (await knownRevision(parts, text, signal))?.commit !== accepted.commit;
}

/**
 * The revision that the record names, or, where it names none that anybody knows (lost, forged), the newest one that
 * was ever accepted; undefined where nothing ever was.
 */
async function knownRevision(
  parts: SourceFollower,
  text: string | undefined,
  signal: AbortSignal,
): Promise<AcceptedRevision | undefined> {
  const accepted = parseAccepted(text);
  const isFiles = accepted?.commit.startsWith('tree:') === true;
  if (accepted !== undefined && (isFiles || (await parts.source.revision(accepted.commit, signal)).ok))
    return accepted;
  return (await parts.source.accepted()).at(-1);
}

/** Rings for every unit that is not as the revision in force wants it; the second net below the events. */
export async function ringOpenUnits(
  parts: Pick<SourceFollower, 'owner' | 'northbound' | 'queue' | 'clock'>,
  revision: DesiredRevision,
  cause: UnitJob['cause'],
): Promise<number> {
  const plans = planUnits(revision.desired, parts.northbound, parts.owner, revision.policy);
  const seenAt = parts.clock();
  const jobs = plans.filter(isOpen).map((plan) => ({ unit: plan.unit, cause, seenAt }));
  reached('open units planned');
  await parts.queue.ring(jobs);
  reached('open units rung for');
  return jobs.length;
}

async function holdOf(
  parts: SourceFollower,
  accepted: AcceptedRevision | undefined,
  revision: DesiredRevision,
  plans: readonly Plan[],
): Promise<Hold | undefined> {
  const { commit } = revision.revision;
  if (await isAllowed(parts, commit)) return undefined;
  const isFromGit = accepted !== undefined && !accepted.commit.startsWith('tree:');
  const history = isFromGit
    ? historyHold(await parts.source.relation(accepted.commit, commit), accepted.commit, commit)
    : undefined;
  return (
    history ??
    deletionHold(plans, parts.northbound.live.size, revision.repository.deleteBudget) ??
    addressHold(plans, revision)
  );
}

/** A store that can't be asked has not allowed anything. */
async function isAllowed(parts: SourceFollower, commit: string): Promise<boolean> {
  try {
    return await parts.store.isAllowed(commit);
  } catch (error) {
    parts.log('allowance not read', { error: error instanceof Error ? error.message : String(error) });
    return false;
  }
}

async function accept(
  parts: SourceFollower,
  previousText: string | undefined,
  revision: DesiredRevision,
  signal: AbortSignal,
): Promise<FollowOutcome> {
  const { source, northbound, store, clock, log } = parts;
  const tip = revision.revision;
  const next = { sequence: await nextSequence(parts, parseAccepted(previousText)), commit: tip.commit };
  reached('acceptance to be written');
  const outcome = await acceptRevision(northbound, parts.owner, next, previousText, signal);
  reached('acceptance written');
  if (outcome.kind !== 'committed') return unavailable(parts, tip, outcome.reason);
  await source.accept(tip.commit, next.sequence);
  reached('acceptance kept');
  const { author, subject } = tip;
  await store.addRevision({ ...next, subject, author: author.name, acceptedAt: clock() });
  reached('history told');
  await report(parts, acceptedFields(revision), tip, next);
  reached('acceptance told');
  log('revision accepted', { ...next });
  return 'accepted';
}

/** Grows also when NB has lost its record: the refs in our own store remember. */
async function nextSequence(parts: SourceFollower, accepted: AcceptedRevision | undefined): Promise<number> {
  const kept = await parts.source.accepted();
  const known = [accepted?.sequence ?? 0, ...kept.map((one) => one.sequence)];
  return Math.max(0, ...known.filter((sequence) => sequence < MAX_SEQUENCE)) + 1;
}

async function keep(
  parts: SourceFollower,
  accepted: AcceptedRevision,
  revision: DesiredRevision,
): Promise<FollowOutcome> {
  const kept = await parts.source.accepted();
  if (!kept.some((one) => one.commit === accepted.commit)) {
    await parts.source.accept(accepted.commit, accepted.sequence);
  }
  const { author, subject } = revision.revision;
  const [newest] = await parts.store.history(1);
  if (newest?.sequence !== accepted.sequence) {
    // Redis is new or was emptied, or the acceptance was not told: every unit is looked at and its status told again.
    await parts.store.addRevision({ ...accepted, subject, author: author.name, acceptedAt: parts.clock() });
    const seenAt = parts.clock();
    await parts.queue.ring(revision.desired.units.map((unit) => ({ unit, cause: 'resume', seenAt })));
  }
  await report(parts, acceptedFields(revision), revision.revision, accepted);
  return 'unchanged';
}

/** An accepted revision with the warnings that were passed over. */
function acceptedFields(
  revision: DesiredRevision,
): Pick<SourceStatus, 'condition' | 'reason' | 'message' | 'diagnostics'> {
  const { warnings } = revision;
  const diagnostics = warnings.length === 0 ? '' : printDiagnostics(warnings);
  return { condition: 'Ready', reason: 'Accepted', message: revision.revision.subject, diagnostics };
}

async function refuse(
  parts: SourceFollower,
  tip: SourceRevision,
  fault: RevisionFault,
): Promise<FollowOutcome> {
  if (fault.kind === 'source') {
    const { code, message, hint, kind } = fault.problem;
    const condition = kind === 'permanent' ? 'Stalled' : 'Reconciling';
    await report(parts, { condition, reason: code, message: `${message}; ${hint}` }, tip);
    return 'unreadable';
  }
  const errors = fault.diagnostics.filter((diagnostic) => diagnostic.severity === 'error').length;
  const message = `commit ${tip.commit.slice(0, 12)} has ${errors} ${errors === 1 ? 'error' : 'errors'}; the last good revision stays in force`;
  const status = { condition: 'Stalled', reason: 'Invalid', message } as const;
  await report(parts, { ...status, diagnostics: printDiagnostics(fault.diagnostics) }, tip);
  return 'invalid';
}

async function unavailable(
  parts: SourceFollower,
  tip: SourceRevision,
  reason: string,
): Promise<FollowOutcome> {
  await report(parts, { condition: 'Reconciling', reason: 'NbUnavailable', message: reason }, tip);
  return 'unavailable';
}

async function report(
  parts: SourceFollower,
  fields: Pick<SourceStatus, 'condition' | 'reason' | 'message'> & { readonly diagnostics?: string },
  tip: SourceRevision | undefined,
  serving: AcceptedRevision | undefined = acceptedRevision(parts.northbound, parts.owner),
): Promise<void> {
  const before = await parts.store.source();
  const { condition, reason, message } = fields;
  if (before?.reason !== reason || before.seen !== (tip?.commit ?? before.seen)) {
    parts.log('source', { condition, reason, message, commit: tip?.commit });
  }
  await parts.store.writeSource({
    url: parts.url,
    condition,
    reason,
    message,
    serving,
    seen: tip?.commit ?? before?.seen,
    fetchedAt: tip === undefined ? before?.fetchedAt : parts.clock(),
    diagnostics: fields.diagnostics ?? '',
  });
}

function allowHint(tip: SourceRevision): string {
  return `to apply it all the same, run "ovn-gitops allow ${tip.commit.slice(0, 12)}"`;
}
