/**
 * The steps of a commit on its way to the Northbound, in the order in which it passes them. After each of them the program
 * may die without harm: test/service/crash-matrix.test.ts kills it there.
 */
export type Step =
  // The controller looks at the source.
  | 'tip fetched'
  | 'files parsed'
  | 'specs validated'
  | 'rows compiled'
  | 'revision planned'
  | 'acceptance to be written'
  | 'acceptance written'
  | 'acceptance kept'
  | 'history told'
  | 'acceptance told'
  | 'lost acceptance restored'
  // It rings for units: after an acceptance, a change by hand, a comparison with a fresh read.
  | 'open units planned'
  | 'open units rung for'
  | 'change of rows seen'
  | 'foreign change planned'
  | 'foreign change rung for'
  | 'fresh replica read'
  | 'comparison rung for'
  | 'rings to be delivered'
  | 'lost jobs forgotten'
  | 'rings delivered'
  // A worker brings a unit to the revision in force.
  | 'job taken'
  | 'acceptance read'
  | 'unit planned'
  | 'transaction built'
  | 'unit committed'
  | 'receipt told'
  | 'drift told'
  | 'status to be told'
  | 'status told'
  | 'removal told'
  | 'proof told'
  | 'job to be put off'
  | 'job put off'
  | 'job to be ended'
  // Either of them writes to the Northbound.
  | 'transaction to be sent'
  | 'transaction sent'
  | 'reply seen';

/** Marks that a step is reached. It does nothing: tests run the program with another function in its place. */
export function reached(_step: Step): void {}
