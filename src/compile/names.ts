import type { RowKey } from '../model/nb.ts';
import { rowKey } from '../model/nb.ts';

/*
 * Names of rows and their identities. Names of documents hold only [a-z0-9.-], start and end with a letter or digit and
 * have no ".." (RFC 1123 subdomains), so ":" and ".." separate parts without ambiguity.
 */

/** Identity of a subnet's switch. */
export function switchKey(subnet: string): RowKey {
  return rowKey('Logical_Switch', subnet);
}

/** Identity of a VPC's router. */
export function routerKey(vpc: string): RowKey {
  return rowKey('Logical_Router', vpc);
}

/** Identity of a Port's row by its scoped name. */
export function portKey(port: string): RowKey {
  return rowKey('Logical_Switch_Port', port);
}

/** Identity of a router port by its name. */
export function routerPortKey(name: string): RowKey {
  return rowKey('Logical_Router_Port', name);
}

/** Name of the switch's port that leads to a VPC's router. */
export function routerSidePortName(subnet: string, vpc: string): string {
  return `${subnet}:router:${vpc}`;
}

/** Name of the switch's port that leads to the physical network. */
export function localnetPortName(subnet: string): string {
  return `${subnet}:localnet`;
}

/** Name of a Gateway_Chassis, unique in the whole database; the chassis comes last because it may hold any character. */
export function gatewayChassisName(routerPort: string, chassis: string): string {
  return `${routerPort}:${chassis}`;
}

/**
 * Joins parts to one name of the form `[a-zA-Z_.][a-zA-Z_.0-9]*` that port groups and address sets must have (ovn-nb(5)):
 * another one makes every ACL that refers to it disappear. Different parts never give the same name.
 */
export function setName(prefix: 'sg' | 'np' | 'nps' | 'as', ...parts: readonly string[]): string {
  return [prefix, ...parts.map(escapeIdentifier)].join('..');
}

/** "-" becomes "_"; anything else that is not allowed, or is a capital or "_" itself, its code point between two "X". */
function escapeIdentifier(part: string): string {
  return part.replaceAll(/[^a-z0-9.]/gu, (character) =>
    character === '-' ? '_' : `X${(character.codePointAt(0) ?? 0).toString(16)}X`,
  );
}
