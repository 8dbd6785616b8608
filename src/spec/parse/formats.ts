import { parseCidr, parseInterface } from '../../lib/cidr.ts';
import { parseDuration } from '../../lib/duration.ts';
import { parseIp } from '../../lib/ip.ts';
import { parseIpRange } from '../../lib/ip-range.ts';
import { parseMac } from '../../lib/mac.ts';
import type { Result } from '../../lib/result.ts';
import { rowPatternProblem } from './row-pattern.ts';

/** What is wrong with a text of some format, as a predicate ("has host bits set; ..."); nothing when it is fine. */
type FormatCheck = (text: string) => string | undefined;

const LABEL = '[a-z0-9](?:[a-z0-9-]*[a-z0-9])?';
const NAME = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`);
const LABEL_NAME = new RegExp(`^${LABEL}$`);
const QUALIFIED = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
const SYSTEM_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;

/** Every format that the schemas use. */
export const FORMATS: Readonly<Record<string, FormatCheck>> = {
  ip: failureOf(parseIp),
  cidr: failureOf(parseCidr),
  interface: failureOf(parseInterface),
  'ip-range': failureOf(parseIpRange),
  mac: failureOf(parseMac),
  duration: failureOf(parseDuration),
  name: nameProblem,
  'label-name': pattern(
    LABEL_NAME,
    'must be lower-case letters, digits and "-", starting and ending with a letter or digit',
  ),
  'scoped-name': scopedNameProblem,
  'scoped-name-or-ip': (text) =>
    parseIp(text).ok ? undefined : (looksLikeIp(text) ?? scopedNameProblem(text)),
  'chassis-name': pattern(SYSTEM_NAME, 'must be letters, digits, "-", "." and "_"'),
  'physical-network': pattern(SYSTEM_NAME, 'must be letters, digits, "-", "." and "_"'),
  'interface-id': pattern(
    /^[A-Za-z0-9](?:[A-Za-z0-9._/-]*[A-Za-z0-9])?$/,
    'must be letters, digits, "-", ".", "_" and "/"',
  ),
  'service-name': serviceNameProblem,
  'port-or-name': serviceNameProblem,
  'label-key': labelKeyProblem,
  'label-value': (text) =>
    text === '' || QUALIFIED.test(text)
      ? undefined
      : 'is not a label value: letters, digits, "-", "." and "_", at most 63',
  'row-pattern': rowPatternProblem,
};

function failureOf(parse: (text: string) => Result<unknown, string>): FormatCheck {
  return (text) => {
    const parsed = parse(text);
    return parsed.ok ? undefined : parsed.error;
  };
}

function pattern(expression: RegExp, problem: string): FormatCheck {
  return (text) => (expression.test(text) ? undefined : problem);
}

/** A DNS subdomain (RFC 1123), which Kubernetes names are too. */
function nameProblem(text: string): string | undefined {
  if (!NAME.test(text)) {
    return 'must be lower-case letters, digits, "-" and ".", every part starting and ending with a letter or digit';
  }
  return undefined;
}

function scopedNameProblem(text: string): string | undefined {
  const slash = text.indexOf('/');
  if (slash < 0) return nameProblem(text);
  if (!LABEL_NAME.test(text.slice(0, slash)) || slash > 63) return 'must be namespace/name or name';
  return nameProblem(text.slice(slash + 1));
}

/** Digits and dots alone were meant as an address, although they would make a name. */
function looksLikeIp(text: string): string | undefined {
  if (!/^[0-9]+(?:\.[0-9]+){3}$/.test(text) && !text.includes(':')) return undefined;
  const parsed = parseIp(text);
  return parsed.ok ? undefined : parsed.error;
}

function serviceNameProblem(text: string): string | undefined {
  if (/^[0-9]+$/.test(text)) return 'is a number in quotes; write it without them';
  const fine = /^[a-z0-9](?:-?[a-z0-9])*$/.test(text) && /[a-z]/.test(text) && text.length <= 15;
  return fine
    ? undefined
    : 'is not a service name: lower-case letters, digits and single "-", at least one letter';
}

function labelKeyProblem(text: string): string | undefined {
  const slash = text.indexOf('/');
  const fine =
    QUALIFIED.test(text.slice(slash + 1)) && (slash < 0 || (slash <= 253 && NAME.test(text.slice(0, slash))));
  return fine ? undefined : 'is not a label name such as app or example.org/team';
}
