import type { DiagnosticCode } from '../model/diagnostic-codes.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { resourceId, type Resource } from '../model/resource.ts';

/** What a rule has to say about a field of a resource. */
export interface Finding {
  readonly code: DiagnosticCode;
  readonly field: string;
  readonly message: string;
  readonly hint: string;
  readonly severity?: 'error' | 'warning';
  /** Fields of other resources (or of the same) that take part. */
  readonly related?: readonly Related[];
}

export interface Related {
  readonly resource: Resource;
  readonly field: string;
  /** Default: the resource's kind and name. */
  readonly message?: string;
}

/** A rule's finding as a diagnostic, at the place of the field. */
export function diagnose(resource: Resource, finding: Finding): Diagnostic {
  const { origin } = resource;
  return {
    code: finding.code,
    severity: finding.severity ?? 'error',
    message: finding.message,
    place: origin.placeOf(finding.field),
    field: finding.field,
    excerpt: origin.excerptOf(finding.field),
    hint: finding.hint,
    related: (finding.related ?? []).map(({ resource: other, field, message }) => ({
      place: other.origin.placeOf(field),
      message: message ?? `${resourceId(other)} is here`,
    })),
  };
}
