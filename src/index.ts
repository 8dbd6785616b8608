/** The pure core of ovn-gitops: from the text of spec files to Northbound rows, and from two states to a plan. */
export { compile, type Compiled } from './compile/compile.ts';
export { renderNb, type RenderedNb } from './compile/render-nb.ts';
export { type Diagnostic, hasErrors, type Place } from './model/diagnostic.ts';
export { EMPTY_LIVE } from './model/live.ts';
export type { NbRow, NbState, NbTable, NbValue, Ref, RowKey, UnitName } from './model/nb.ts';
export type { Change, ColumnChange, Hazard, Plan } from './model/plan.ts';
export type { Resource, ResourceOf } from './model/resource.ts';
export { ResourceSet } from './model/resource-set.ts';
export { diff, type DiffInput } from './plan/diff.ts';
export { type DesiredNb, indexDesired } from './plan/desired.ts';
export { CORRECT_ALL } from './plan/drift-policy.ts';
export { liveFromState } from './plan/live-from-state.ts';
export { planFingerprint, printPlans } from './plan/print.ts';
export { parseFile, type ParsedFile } from './spec/parse.ts';
export { printDiagnostics, printDiagnosticsJson } from './spec/print.ts';
export { validateFiles, type Validated } from './spec/validate.ts';
